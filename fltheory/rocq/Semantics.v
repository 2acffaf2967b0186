(* What a term, a line and a theorem of an exported proof mean: docs/reference/semantics.md, word for word.

   This file and the printer (printer.py) are what must be read to know what a theorem here says. *)
Require Export Reals ZArith List String Bool.
Export ListNotations.
Open Scope R_scope.

(* ---- numbers ---- *)
Definition integer (x : R) : Prop := exists z : Z, x = IZR z.
Definition floor (x : R) : R := IZR (Int_part x).
(* a^n by repeated multiplication, a^-n = (1/a)^n; 1/0 = 0 and ln x = 0 for x <= 0 are Rocq's own *)
Definition powZ (a : R) (n : Z) : R :=
  match n with
  | Z0 => 1
  | Zpos xH => a
  | Zpos p => a ^ Pos.to_nat p
  | Zneg xH => / a
  | Zneg p => (/ a) ^ Pos.to_nat p
  end.
Definition power (a x : R) : R :=
  if Req_EM_T x (IZR (Int_part x)) then powZ a (Int_part x) else if Rlt_dec 0 a then exp (x * ln a) else 0.
Definition indicator (x : R) : R := if Rle_dec 0 x then 1 else 0.
Definition binomial (n k : R) : R :=
  if Req_EM_T n (floor n) then if Req_EM_T k (floor k) then if Rle_dec 0 k then if Rle_dec k n then
    C (Z.to_nat (Int_part n)) (Z.to_nat (Int_part k)) else 0 else 0 else 0 else 0.
(* the sum of f over the integers from low to high, 0 if there are none *)
Fixpoint added (f : Z -> R) (low : Z) (n : nat) : R :=
  match n with O => 0 | S m => added f low m + f (low + Z.of_nat m)%Z end.
Definition first (low : R) : Z := (- Int_part (- low))%Z.
Definition count (low high : R) : nat := Z.to_nat (Int_part high - first low + 1).
Definition total (f : R -> R) (low high : R) : R := added (fun z => f (IZR z)) (first low) (count low high).

(* ---- a finite probability space and a real inner product space ---- *)
Record model := {
  Omega : Type; outcomes : list Omega; weight : Omega -> R;
  all_outcomes : forall w, In w outcomes;
  weight_nonneg : forall w, 0 <= weight w;
  weight_one : fold_right (fun w rest => weight w + rest) 0 outcomes = 1;
  V : Type; vzero : V; vadd : V -> V -> V; vscal : R -> V -> V; dot : V -> V -> R;
  vadd_comm : forall u v, vadd u v = vadd v u;
  vadd_assoc : forall u v z, vadd u (vadd v z) = vadd (vadd u v) z;
  vadd_zero : forall u, vadd u vzero = u;
  vadd_opp : forall u, vadd u (vscal (-1) u) = vzero;
  dot_comm : forall u v, dot u v = dot v u;
  dot_add : forall u v z, dot (vadd u v) z = dot u z + dot v z;
  dot_scal : forall c u z, dot (vscal c u) z = c * dot u z;
  dot_nonneg : forall u, 0 <= dot u u;
  dot_zero : forall u, dot u u = 0 -> u = vzero }.

Definition mean (M : model) (f : Omega M -> R) : R := fold_right (fun w rest => weight M w * f w + rest) 0 (outcomes M).
Fixpoint vadded (M : model) (f : Z -> V M) (low : Z) (n : nat) : V M :=
  match n with O => vzero M | S m => vadd M (vadded M f low m) (f (low + Z.of_nat m)%Z) end.
Definition vtotal (M : model) (f : R -> V M) (low high : R) : V M :=
  vadded M (fun z => f (IZR z)) (first low) (count low high).

(* ---- terms, as in docs/reference/proof_format.md ---- *)
Inductive sort := Real | Nonnegative | Positive | Integer | From0 | From1 | Unknown.
Inductive kind := Vector | RandomVector | Fun | Scalar | NonnegativeScalar | PositiveScalar
  | RandomScalar | RandomInteger | RandomNonnegative | RandomPositive.
Inductive term :=
  | Num (p : Z) (q : positive) | Sym (name : string) (s : sort) | Fam (k : kind) (name : string) (at_ : list term)
  | Add (args : list term) | Mul (args : list term) | Pow (a b : term)
  | Exp (a : term) | Log (a : term) | Abs (a : term) | Floor (a : term) | Sin (a : term) | Cos (a : term)
  | Binomial (n k : term) | Max (args : list term) | Min (args : list term) | Euler | Pi
  | Dot (u v : term) | Grad (f u : term) | Val (f u : term) | Mean (a : term) | Indicator (a : term)
  | Sum (a : term) (name : string) (s : sort) (low high : term)
  | Draw (i m : term) | DrawOf (i m r : term) | Endless | MinusEndless.
Inductive relation := LE | LT | EQ.
Record range := Range { index : string; index_sort : sort; low : term; high : term }.
Record line := Line { left : term; op : relation; right : term; over : list range }.
Inductive hypothesis :=
  | Given (h : line) | Defines (left right : term)
  | Member (function : term) (smooth convex : option term).

(* ---- values of letters ---- *)
Record env (M : model) := {
  letter : string -> sort -> R;
  number_of : kind -> string -> list R -> R;              (* families of numbers *)
  chance_of : kind -> string -> list R -> Omega M -> R;   (* those that depend on the outcome *)
  vector_of : string -> list R -> V M;
  random_of : string -> list R -> Omega M -> V M;
  val_of : string -> list R -> V M -> R;                  (* a function's values *)
  grad_of : string -> list R -> V M -> V M;               (* and gradients *)
  drawn : option R -> R -> R -> Omega M -> R }.           (* of a round: of how many, in which place *)
Arguments letter {M}. Arguments number_of {M}. Arguments chance_of {M}. Arguments vector_of {M}. Arguments random_of {M}.
Arguments val_of {M}. Arguments grad_of {M}. Arguments drawn {M}.

Definition same_sort (s t : sort) : bool :=
  match s, t with Real, Real | Nonnegative, Nonnegative | Positive, Positive | Integer, Integer | From0, From0
  | From1, From1 | Unknown, Unknown => true | _, _ => false end.
Definition bind {M} (e : env M) (n : string) (s : sort) (x : R) : env M :=
  {| letter := fun m t => if (String.eqb n m && same_sort s t)%bool then x else letter e m t;
     number_of := number_of e; chance_of := chance_of e; vector_of := vector_of e; random_of := random_of e;
     val_of := val_of e; grad_of := grad_of e; drawn := drawn e |}.

(* what a uniform random permutation has in its places: here each outcome has some permutation, whatever their law *)
Definition permutes (m : R) (s : R -> R) : Prop :=
  (forall i, integer i -> 1 <= i -> i <= m -> s i <= m) /\
  (forall i j, integer i -> 1 <= i -> i <= m -> integer j -> 1 <= j -> j <= m -> s i = s j -> i = j).
Record within {M} (e : env M) : Prop := {
  of_nonnegative : forall n, 0 <= letter e n Nonnegative;
  of_positive : forall n, 0 < letter e n Positive;
  of_integer : forall n, integer (letter e n Integer);
  of_from0 : forall n, integer (letter e n From0) /\ 0 <= letter e n From0;
  of_from1 : forall n, integer (letter e n From1) /\ 1 <= letter e n From1;
  of_nonnegatives : forall n l, 0 <= number_of e NonnegativeScalar n l;
  of_positives : forall n l, 0 < number_of e PositiveScalar n l;
  of_integers : forall n l w, integer (chance_of e RandomInteger n l w);
  of_random_nonnegatives : forall n l w, 0 <= chance_of e RandomNonnegative n l w;
  of_random_positives : forall n l w, 0 < chance_of e RandomPositive n l w;
  of_draws : forall r m i w, integer (drawn e r m i w) /\ 1 <= drawn e r m i w;
  of_permutations : forall r m w, integer m -> permutes m (fun i => drawn e r m i w) }.

(* ---- values of terms ---- *)
Definition literal (t : term) : option Z := match t with Num p xH => Some p | _ => None end.
Fixpoint vectorial (t : term) : bool :=
  match t with
  | Fam Vector _ _ | Fam RandomVector _ _ | Grad _ _ => true
  | Add l | Mul l => existsb vectorial l
  | Sum a _ _ _ _ => vectorial a
  | _ => false
  end.
Definition of_rational (p : Z) (q : positive) : R := match q with xH => IZR p | _ => IZR p / IZR (Zpos q) end.
Definition chancy (k : kind) : bool :=
  match k with RandomScalar | RandomInteger | RandomNonnegative | RandomPositive => true | _ => false end.

Fixpoint num {M} (e : env M) (w : Omega M) (t : term) {struct t} : R :=
  match t with
  | Num p q => of_rational p q
  | Sym n s => letter e n s
  | Fam k n l => if chancy k then chance_of e k n (map (num e w) l) w else number_of e k n (map (num e w) l)
  | Add l => (fix go l := match l with [] => 0 | [a] => num e w a | a :: r => num e w a + go r end) l
  | Mul l => (fix go l := match l with [] => 1 | [a] => num e w a | a :: r => num e w a * go r end) l
  | Pow a b => match literal b with Some n => powZ (num e w a) n | None => power (num e w a) (num e w b) end
  | Exp a => exp (num e w a)
  | Log a => ln (num e w a)
  | Abs a => Rabs (num e w a)
  | Floor a => floor (num e w a)
  | Sin a => sin (num e w a)
  | Cos a => cos (num e w a)
  | Binomial n k => binomial (num e w n) (num e w k)
  | Max l => (fix go l := match l with [] => 0 | [a] => num e w a | a :: r => Rmax (num e w a) (go r) end) l
  | Min l => (fix go l := match l with [] => 0 | [a] => num e w a | a :: r => Rmin (num e w a) (go r) end) l
  | Euler => exp 1
  | Pi => PI
  | Dot u v => dot M (vec e w u) (vec e w v)
  | Val (Fam _ n l) u => val_of e n (map (num e w) l) (vec e w u)
  | Mean a => mean M (fun o => num e o a)
  | Indicator a => indicator (num e w a)
  | Sum a n s lo hi => total (fun x => num (bind e n s x) w a) (num e w lo) (num e w hi)
  | Draw i m => drawn e None (num e w m) (num e w i) w
  | DrawOf i m r => drawn e (Some (num e w r)) (num e w m) (num e w i) w
  | _ => 0
  end
with vec {M} (e : env M) (w : Omega M) (t : term) {struct t} : V M :=
  match t with
  | Fam RandomVector n l => random_of e n (map (num e w) l) w
  | Fam _ n l => vector_of e n (map (num e w) l)
  | Add l => (fix go l := match l with [] => vzero M | [a] => vec e w a | a :: r => vadd M (vec e w a) (go r) end) l
  | Mul l => (fix go l := match l with [] => vzero M
      | [a] => vec e w a
      | a :: r => if vectorial a then vscal M ((fix product l := match l with [] => 1 | [a] => num e w a
                                               | a :: r => num e w a * product r end) r) (vec e w a)
                  else vscal M (num e w a) (go r) end) l
  | Grad (Fam _ n l) u => grad_of e n (map (num e w) l) (vec e w u)
  | Sum a n s lo hi => vtotal M (fun x => vec (bind e n s x) w a) (num e w lo) (num e w hi)
  | _ => vzero M
  end.

(* a literal exponent is no exception: it is the same function of two numbers (Lib.v: power_literal) *)

(* ---- lines and hypotheses ---- *)
Definition holds_there {M} (e : env M) (w : Omega M) (h : line) : Prop :=
  if (vectorial (left h) || vectorial (right h))%bool then vec e w (left h) = vec e w (right h) else
  match op h with
  | LE => num e w (left h) <= num e w (right h)
  | LT => num e w (left h) < num e w (right h)
  | EQ => num e w (left h) = num e w (right h)
  end.
Fixpoint for_all {M} (e : env M) (w : Omega M) (ranges : list range) (P : env M -> Prop) : Prop :=
  match ranges with
  | [] => P e
  | Range n s lo hi :: rest => forall x : R, integer x ->
      let inside := for_all (bind e n s x) w rest P in
      let below := match hi with Endless => inside | _ => x <= num e w hi -> inside end in
      match lo with MinusEndless => below | _ => num e w lo <= x -> below end
  end.
Definition holds {M} (e : env M) (h : line) : Prop := forall w, for_all e w (over h) (fun f => holds_there f w h).

(* the members of a class of functions, by the inequalities that it is used for *)
Definition in_class (M : model) (F : V M -> R) (G : V M -> V M) (smooth convex : option R) : Prop :=
  let sub u v := vadd M u (vscal M (-1) v) in
  let tangent u v := F v + dot M (G v) (sub u v) in
  let square u := dot M u u in
  (forall m, convex = Some m -> forall u v, tangent u v + / 2 * (m * square (sub u v)) <= F u) /\
  (forall L, smooth = Some L -> forall u v,
     F u <= tangent u v + / 2 * (L * square (sub u v)) /\
     tangent u v - / 2 * (L * square (sub u v)) <= F u /\
     square (sub (G u) (G v)) <= L * (L * square (sub u v))) /\
  (forall L m, smooth = Some L -> convex = Some m -> forall u v,
     (0 <= m -> tangent u v + / 2 * (/ L * square (sub (G u) (G v))) <= F u) /\
     / 2 * square (sub (G u) (G v)) + / 2 * (L * (m * square (sub u v))) - m * dot M (sub (G u) (G v)) (sub u v)
       <= (L - m) * (F u - tangent u v)).

(* for all values of the indices of a family *)
Fixpoint for_indices {M} (e : env M) (indices : list term) (P : env M -> list R -> Prop) (done : list R) : Prop :=
  match indices with
  | [] => P e done
  | Sym n s :: rest => forall x : R, for_indices (bind e n s x) rest P (done ++ [x])
  | _ :: _ => True
  end.
Definition supposed {M} (e : env M) (h : hypothesis) : Prop :=
  match h with
  | Given h => holds e h
  | Defines l r => forall w, for_indices e (match l with Fam _ _ i => i | _ => [] end)
      (fun f _ => if vectorial l then vec f w l = vec f w r else num f w l = num f w r) []
  | Member (Fam _ n i) smooth convex => forall w, for_indices e i
      (fun f at_ => in_class M (val_of f n at_) (grad_of f n at_) (option_map (num f w) smooth) (option_map (num f w) convex)) []
  | Member _ _ _ => False
  end.
Fixpoint all_supposed {M} (e : env M) (l : list hypothesis) : Prop :=
  match l with [] => True | h :: rest => supposed e h /\ all_supposed e rest end.

(* ---- theorems ---- *)
Definition valid (hypotheses : list hypothesis) (statement : line) : Prop :=
  forall (M : model) (e : env M), within e -> all_supposed e hypotheses -> holds e statement.
Definition refuted (hypotheses : list hypothesis) (statement : line) : Prop :=
  exists (M : model) (e : env M), within e /\ all_supposed e hypotheses /\ ~ holds e statement.
