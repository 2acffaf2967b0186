(* Lemmas and tactics for the scripts.  Nothing here is trusted: all of it is proved from Semantics.v and Rocq's reals. *)
Require Export Lia Lra Field FunctionalExtensionality.
Require Permutation.
From FL Require Export Semantics.
Open Scope R_scope.

(* ---- gaps: a line from a sum of products ---- *)
Lemma gap_le l r g : r - l = g -> 0 <= g -> l <= r. Proof. intros; lra. Qed.
Lemma gap_lt l r g : r - l = g -> 0 < g -> l < r. Proof. intros; lra. Qed.
Lemma gap_eq l r g : r - l = g -> g = 0 -> l = r. Proof. intros; lra. Qed.
Lemma gap_mul l r m g : 0 < m -> m * (r - l) = g -> 0 <= g -> l <= r.
Proof. intros H E G. apply Rnot_lt_le; intro C. assert (m * (r - l) < 0). { rewrite <- (Rmult_0_r m). apply Rmult_lt_compat_l; lra. } lra. Qed.
Lemma prod_le l r w : l <= r -> 0 <= w -> 0 <= w * (r - l). Proof. intros; apply Rmult_le_pos; lra. Qed.
Lemma prod_lt l r w : l < r -> 0 < w -> 0 < w * (r - l). Proof. intros; apply Rmult_lt_0_compat; lra. Qed.
Lemma prod_eq l r w : l = r -> w * (r - l) = 0. Proof. intros ->; ring. Qed.
Lemma le_of l r l' r' : l <= r -> r' - l' = r - l -> l' <= r'. Proof. intros; lra. Qed.
Lemma lt_of l r l' r' : l < r -> r' - l' = r - l -> l' < r'. Proof. intros; lra. Qed.
Lemma le_of_lt l r l' r' : l < r -> r' - l' = r - l -> l' <= r'. Proof. intros; lra. Qed.
Lemma le_of_eq l r l' r' : l = r -> r' - l' = r - l -> l' <= r'. Proof. intros; lra. Qed.
Lemma eq_of l r l' r' : l = r -> r' - l' = r - l -> l' = r'. Proof. intros; lra. Qed.
Lemma eq_of' l r l' r' : l = r -> r' - l' = l - r -> l' = r'. Proof. intros; lra. Qed.
Lemma plus00 a b : a = 0 -> b = 0 -> a + b = 0. Proof. intros; lra. Qed.
Lemma sub_nn a b : b <= a -> 0 <= a - b. Proof. lra. Qed.
Lemma nz_pos a : 0 < a -> a <> 0. Proof. lra. Qed.
Lemma inv_nonneg x : 0 <= x -> 0 <= / x.
Proof. intros [H|<-]. left; apply Rinv_0_lt_compat; auto. rewrite Rinv_0; lra. Qed.
Lemma even_pow n a : Nat.even n = true -> 0 <= a ^ n.
Proof. intros H. apply Nat.even_spec in H. destruct H as [k ->]. rewrite pow_mult. apply pow_le.
  rewrite <- Rsqr_pow2. apply Rle_0_sqr. Qed.
Lemma even_pow_pos n a : Nat.even n = true -> a <> 0 -> 0 < a ^ n.
Proof. intros H N. destruct (even_pow n a H) as [|E]; auto. symmetry in E. destruct (pow_nonzero a n N E). Qed.
Lemma Rmin_nonneg a b : 0 <= a -> 0 <= b -> 0 <= Rmin a b. Proof. intros; apply Rmin_glb; auto. Qed.
Lemma Rmin_pos' a b : 0 < a -> 0 < b -> 0 < Rmin a b. Proof. intros; apply Rmin_glb_lt; auto. Qed.
Lemma Rmax_nonneg1 a b : 0 <= a -> 0 <= Rmax a b. Proof. intros; eapply Rle_trans; [eassumption|apply Rmax_l]. Qed.
Lemma Rmax_nonneg2 a b : 0 <= b -> 0 <= Rmax a b. Proof. intros; eapply Rle_trans; [eassumption|apply Rmax_r]. Qed.
Lemma Rmax_pos1 a b : 0 < a -> 0 < Rmax a b. Proof. intros; eapply Rlt_le_trans; [eassumption|apply Rmax_l]. Qed.
Lemma Rmax_pos2 a b : 0 < b -> 0 < Rmax a b. Proof. intros; eapply Rlt_le_trans; [eassumption|apply Rmax_r]. Qed.
Lemma indicator_nonneg a : 0 <= indicator a. Proof. unfold indicator; destruct Rle_dec; lra. Qed.

(* ---- integers among the reals ---- *)
Lemma int_IZR z : integer (IZR z). Proof. exists z; auto. Qed.
Lemma int_plus x y : integer x -> integer y -> integer (x + y).
Proof. intros [a ->] [b ->]. exists (a + b)%Z. now rewrite plus_IZR. Qed.
Lemma int_minus x y : integer x -> integer y -> integer (x - y).
Proof. intros [a ->] [b ->]. exists (a - b)%Z. now rewrite minus_IZR. Qed.
Lemma int_mult x y : integer x -> integer y -> integer (x * y).
Proof. intros [a ->] [b ->]. exists (a * b)%Z. now rewrite mult_IZR. Qed.
Lemma int_opp x : integer x -> integer (- x).
Proof. intros [a ->]. exists (- a)%Z. now rewrite opp_IZR. Qed.
Lemma int_floor x : integer (floor x). Proof. eexists; reflexivity. Qed.
Lemma int_indicator x : integer (indicator x).
Proof. unfold indicator; destruct Rle_dec; apply int_IZR. Qed.
Lemma int_max x y : integer x -> integer y -> integer (Rmax x y). Proof. unfold Rmax; destruct Rle_dec; auto. Qed.
Lemma int_min x y : integer x -> integer y -> integer (Rmin x y). Proof. unfold Rmin; destruct Rle_dec; auto. Qed.
Lemma int_abs x : integer x -> integer (Rabs x). Proof. unfold Rabs; destruct Rcase_abs; auto using int_opp. Qed.
Lemma int_pow x n : integer x -> integer (x ^ n).
Proof. intros H; induction n; simpl. apply (int_IZR 1). now apply int_mult. Qed.
Lemma int_added f lo n : (forall z, integer (f z)) -> integer (added f lo n).
Proof. intros H; induction n; simpl. apply (int_IZR 0). now apply int_plus. Qed.
Lemma int_total f lo hi : (forall x, integer x -> integer (f x)) -> integer (total f lo hi).
Proof. intros H. apply int_added. intros. apply H, int_IZR. Qed.
Lemma Int_part_IZR z : Int_part (IZR z) = z.
Proof. destruct (base_Int_part (IZR z)) as [A B]. apply Z.le_antisymm; [apply le_IZR|]; [lra|].
  apply Z.lt_succ_r, lt_IZR. unfold Z.succ. rewrite plus_IZR. lra. Qed.
Lemma first_IZR z : first (IZR z) = z.
Proof. unfold first. rewrite <- opp_IZR, Int_part_IZR. lia. Qed.
Lemma count_IZR a b : count (IZR a) (IZR b) = Z.to_nat (b - a + 1).
Proof. unfold count. now rewrite first_IZR, Int_part_IZR. Qed.
Lemma floor_le x : floor x <= x. Proof. unfold floor. destruct (base_Int_part x). lra. Qed.
Lemma floor_gt x : x < floor x + 1. Proof. unfold floor. destruct (base_Int_part x). lra. Qed.
Lemma floor_int x : integer x -> floor x = x. Proof. intros [z ->]. unfold floor. now rewrite Int_part_IZR. Qed.
Lemma int_lt x y : integer x -> integer y -> x < y -> x + 1 <= y.
Proof. intros [a ->] [b ->] H. rewrite <- plus_IZR. apply IZR_le. apply lt_IZR in H. lia. Qed.
Lemma floor_max x n : integer n -> n <= x -> n <= floor x.
Proof. intros H L. pose proof (floor_gt x). destruct (Rle_or_lt n (floor x)); auto.
  pose proof (int_lt _ _ (int_floor x) H H1). lra. Qed.
Lemma floor_unique x n : integer n -> n <= x -> x < n + 1 -> floor x = n.
Proof. intros H L U. pose proof (floor_max x n H L). destruct (Rle_or_lt (floor x) n); [lra|].
  pose proof (int_lt _ _ H (int_floor x) H1). pose proof (floor_le x). lra. Qed.
Lemma floor_shift x n : integer n -> floor (n + x) = n + floor x.
Proof. intros H. apply floor_unique. apply int_plus; auto using int_floor. pose proof (floor_le x); lra. pose proof (floor_gt x); lra. Qed.

(* ---- powers ---- *)
Lemma power_IZR a z : power a (IZR z) = powZ a z.
Proof. unfold power. rewrite Int_part_IZR. destruct Req_EM_T; auto. congruence. Qed.
(* a literal exponent is no exception *)
Lemma power_literal M (e : env M) w a n : num e w (Pow a (Num n 1)) = power (num e w a) (num e w (Num n 1)).
Proof. simpl. now rewrite power_IZR. Qed.
Lemma powZ_nat a n : powZ a (Z.of_nat n) = a ^ n.
Proof. destruct n as [|n]; auto. simpl. rewrite Pos.of_nat_succ.
  destruct (Pos.of_nat (S n)) eqn:E; try (f_equal; rewrite <- E, Nat2Pos.id by lia; auto).
  assert (n = O). { apply (f_equal Pos.to_nat) in E. rewrite Nat2Pos.id in E by lia. change (Pos.to_nat 1) with 1%nat in E. lia. }
  subst. simpl. ring. Qed.
Lemma powZ_neg a n : powZ a (- Z.of_nat n) = (/ a) ^ n.
Proof. rewrite <- powZ_nat. destruct n as [|n]; auto. Qed.
Lemma power_nat a n : power a (INR n) = a ^ n.
Proof. rewrite INR_IZR_INZ, power_IZR. apply powZ_nat. Qed.
Lemma power_neg a n : power a (- INR n) = (/ a) ^ n.
Proof. rewrite INR_IZR_INZ, <- opp_IZR, power_IZR. apply powZ_neg. Qed.
Lemma power_0 a : power a 0 = 1. Proof. apply (power_IZR a 0). Qed.
Lemma power_1 a : power a 1 = a. Proof. apply (power_IZR a 1). Qed.
Lemma nat_of x : integer x -> 0 <= x -> exists n, x = INR n.
Proof. intros [z ->] H. apply le_IZR in H. exists (Z.to_nat z). rewrite INR_IZR_INZ, Z2Nat.id; auto. Qed.
Lemma int_of x : integer x -> exists n, x = INR n \/ x = - INR n.
Proof. intros [z ->]. destruct (Z_le_dec 0 z).
  exists (Z.to_nat z). left. rewrite INR_IZR_INZ, Z2Nat.id; auto.
  exists (Z.to_nat (- z)). right. rewrite INR_IZR_INZ, Z2Nat.id by lia. rewrite opp_IZR. ring. Qed.
Lemma power_exp l x : power (exp l) x = exp (x * l).
Proof. unfold power. destruct Req_EM_T as [E|N].
  - rewrite E at 2. generalize (Int_part x) as z. clear. intros z.
    assert (K : forall n, exp l ^ n = exp (INR n * l)).
    { induction n. simpl. rewrite Rmult_0_l, exp_0; auto. rewrite S_INR. simpl. rewrite IHn, <- exp_plus. f_equal. ring. }
    assert (J : forall n, (/ exp l) ^ n = exp (- INR n * l)).
    { intros. rewrite <- exp_Ropp. clear. induction n. simpl. replace (-0 * l) with 0 by ring. now rewrite exp_0.
      rewrite S_INR. simpl. rewrite IHn, <- exp_plus. f_equal. ring. }
    destruct (Z_le_dec 0 z). rewrite <- (Z2Nat.id z) by auto. now rewrite powZ_nat, K, <- INR_IZR_INZ.
    replace z with (- Z.of_nat (Z.to_nat (- z)))%Z by (rewrite Z2Nat.id by lia; ring).
    now rewrite powZ_neg, J, opp_IZR, <- INR_IZR_INZ.
  - pose proof (exp_pos l). destruct Rlt_dec; [|lra]. now rewrite ln_exp. Qed.
Lemma exp_of b : 0 < b -> exists l, b = exp l. Proof. intros; exists (ln b); now rewrite exp_ln. Qed.
Lemma pow_exp l n : exp l ^ n = exp (INR n * l). Proof. rewrite <- power_nat. apply power_exp. Qed.
Lemma power_pos a x : 0 < a -> 0 < power a x.
Proof. intros H. destruct (exp_of a H) as [l ->]. rewrite power_exp. apply exp_pos. Qed.
Lemma power_nonneg a x : 0 <= a -> 0 <= power a x.
Proof. intros H. unfold power. destruct Req_EM_T. 2: destruct Rlt_dec; [left; apply exp_pos | lra].
  assert (0 <= / a) by now apply inv_nonneg.
  destruct (Int_part x) as [|p|p]; simpl; try lra; destruct p; auto; apply pow_le; auto. Qed.
Lemma power_root_nonneg a x : x <> IZR (Int_part x) -> 0 <= power a x.
Proof. intros. unfold power. destruct Req_EM_T; [contradiction|]. destruct Rlt_dec; [left; apply exp_pos|lra]. Qed.
Lemma power_plus_int a x y : integer x -> integer y -> 0 <= x -> 0 <= y -> power a (x + y) = power a x * power a y.
Proof. intros Hx Hy Lx Ly. destruct (nat_of x) as [m ->], (nat_of y) as [n ->]; auto.
  rewrite <- plus_INR, !power_nat. apply pow_add. Qed.
Lemma power_S a x : integer x -> 0 <= x -> power a (x + 1) = a * power a x.
Proof. intros. rewrite power_plus_int, power_1; try lra; auto. apply (int_IZR 1). Qed.
Lemma power_plus a x y : 0 < a -> power a (x + y) = power a x * power a y.
Proof. intros H. destruct (exp_of a H) as [l ->]. rewrite !power_exp, <- exp_plus. f_equal. ring. Qed.
Lemma power_mult a x y : 0 < a -> power (power a x) y = power a (x * y).
Proof. intros H. destruct (exp_of a H) as [l ->]. rewrite !power_exp. f_equal. ring. Qed.
Lemma powZ_mul a b z : powZ (a * b) z = powZ a z * powZ b z.
Proof. destruct z as [|p|p]; simpl. ring. destruct p; auto; apply Rpow_mult_distr.
  destruct p; try (now rewrite Rinv_mult); rewrite Rinv_mult; apply Rpow_mult_distr. Qed.
Lemma power_mul_int a b x : integer x -> power (a * b) x = power a x * power b x.
Proof. intros [z ->]. rewrite !power_IZR. apply powZ_mul. Qed.
Lemma power_inv_int a x : integer x -> power (/ a) x = / power a x.
Proof. intros [z ->]. rewrite !power_IZR. destruct z as [|p|p]; simpl. now rewrite Rinv_1.
  destruct p; auto; apply pow_inv. rewrite Rinv_inv. destruct p; rewrite ?Rinv_inv; auto; rewrite pow_inv, Rinv_inv; auto. Qed.
Lemma power_one x : power 1 x = 1. Proof. rewrite <- exp_0, power_exp. f_equal. ring. Qed.
Lemma power_int_nz a x : integer x -> a <> 0 -> power a x <> 0.
Proof. intros [z ->] H. rewrite power_IZR. assert (/ a <> 0) by now apply Rinv_neq_0_compat.
  destruct z as [|p|p]; simpl. lra. destruct p; auto; now apply pow_nonzero. destruct p; auto; now apply pow_nonzero. Qed.
Lemma power_plus_nz a x y : a <> 0 -> integer x -> integer y -> power a (x + y) = power a x * power a y.
Proof. intros H [m ->] [n ->]. rewrite <- plus_IZR, !power_IZR.
  assert (K : forall z, powZ a z = powerRZ a z).
  { intros z. destruct z as [|p|p]; simpl; auto. destruct p; auto; unfold powerRZ; simpl. ring. unfold powerRZ. destruct p; try (now rewrite pow_inv). simpl. now rewrite Rmult_1_r. }
  rewrite !K. now apply powerRZ_add. Qed.
Lemma power_mult_int a x y : integer x -> integer y -> 0 <= x -> 0 <= y -> power (power a x) y = power a (x * y).
Proof. intros. destruct (nat_of x) as [m ->], (nat_of y) as [n ->]; auto. rewrite <- mult_INR, !power_nat. symmetry; apply pow_mult. Qed.
Lemma power_pow a x n : integer x -> 0 <= x -> power a x ^ n = power a (INR n * x).
Proof. intros. destruct (nat_of x) as [m ->]; auto. rewrite <- mult_INR, !power_nat, Nat.mul_comm. symmetry; apply pow_mult. Qed.
Lemma not_integer x n : IZR n < x -> x < IZR n + 1 -> x <> IZR (Int_part x).
Proof. intros A B E. rewrite E in A, B. apply lt_IZR in A. rewrite <- plus_IZR in B. apply lt_IZR in B. lia. Qed.
Lemma power_zero x : 0 < x -> power 0 x = 0.
Proof. intros H. unfold power. destruct Req_EM_T as [E|N]. 2: destruct Rlt_dec; lra.
  destruct (Int_part x) as [|p|p]; simpl. lra. destruct p; auto; apply pow_ne_zero; lia.
  assert (IZR (Z.neg p) < 0) by (apply IZR_lt; lia). lra. Qed.
Lemma power_incr a b x : 0 <= a -> a <= b -> 0 <= x -> power a x <= power b x.
Proof. intros Ha Hb [Hx|<-]; [|rewrite !power_0; lra]. destruct Ha as [Ha|<-].
  - destruct (exp_of a Ha) as [l E], (exp_of b) as [k F]; [lra|]. subst. rewrite !power_exp.
    destruct (Req_dec l k) as [->|N]; [lra|]. assert (l < k). { destruct Hb as [Hb|Hb]. now apply exp_lt_inv. apply exp_inv in Hb. lra. }
    left. apply exp_increasing. apply Rmult_lt_compat_l; auto.
  - rewrite power_zero by auto. apply power_nonneg; lra. Qed.
Lemma root_ex x (d : nat) : (0 < d)%nat -> 0 <= x -> exists r, 0 <= r /\ x = r ^ d.
Proof. intros Hd [H|<-]. destruct (exp_of x H) as [l ->]. exists (exp (/ INR d * l)). split. left; apply exp_pos.
  rewrite pow_exp. f_equal. field. apply not_0_INR; lia. exists 0. split. lra. rewrite pow_ne_zero; auto; lia. Qed.
Lemma root_pos r (d : nat) : (0 < d)%nat -> 0 <= r -> 0 < r ^ d -> 0 < r.
Proof. intros Hd [H|<-] Hp; auto. rewrite pow_ne_zero in Hp by lia. lra. Qed.
(* a root is r^k where its base is r^d *)
Lemma power_root r (d k : nat) y : (0 < k)%nat -> (0 < d)%nat -> 0 <= r -> y * INR d = INR k -> power (r ^ d) y = r ^ k.
Proof. intros Hk Hd [H|<-] E. destruct (exp_of r H) as [l ->]. rewrite !pow_exp, power_exp. f_equal. rewrite <- E. ring.
  rewrite !pow_ne_zero by lia. apply power_zero. apply lt_0_INR in Hk, Hd. rewrite <- E in Hk.
  destruct (Rlt_or_le 0 y); auto. assert (y * INR d <= 0). { rewrite <- (Rmult_0_l (INR d)). apply Rmult_le_compat_r; lra. } lra. Qed.
Lemma power_root_neg r (d k : nat) y : (0 < d)%nat -> 0 < r -> y * INR d = - INR k -> power (r ^ d) y = / r ^ k.
Proof. intros Hd H E. destruct (exp_of r H) as [l ->]. rewrite !pow_exp, power_exp, <- exp_Ropp. f_equal.
  replace (y * (INR d * l)) with ((y * INR d) * l) by ring. rewrite E. ring. Qed.
Lemma pow_lt_strict a b n : 0 <= a -> a < b -> a ^ S n < b ^ S n.
Proof. intros Ha Hb. induction n; simpl in *; [lra|]. assert (0 <= a * a ^ n) by (apply (pow_le a (S n)); auto).
  apply Rle_lt_trans with (a * (b * b ^ n)). apply Rmult_le_compat_l; lra. apply Rmult_lt_compat_r; lra. Qed.
(* what a root is: X^q = B^p *)
Lemma power_char B X y (p q : nat) : (0 < q)%nat -> (0 < p)%nat -> 0 <= B -> 0 <= X -> y * INR q = INR p -> X ^ q = B ^ p -> power B y = X.
Proof. intros Hq Hp HB HX E K. destruct (root_ex B q Hq HB) as [r [Hr ->]]. rewrite (power_root r q p y) by auto.
  rewrite <- pow_mult, Nat.mul_comm, pow_mult in K. set (m := r ^ p) in *.
  assert (0 <= m) by (apply pow_le; auto). clearbody m. destruct q; [lia|].
  destruct (Rtotal_order m X) as [L|[L|L]]; auto.
  pose proof (pow_lt_strict m X q H L). lra. pose proof (pow_lt_strict X m q HX L). lra. Qed.
Lemma ln_le1 x : 0 < x -> ln x <= x - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln x)). rewrite exp_ln in H0 by auto. lra. Qed.

(* ---- sums over ranges ---- *)
Lemma added_ext f g lo n : (forall k, (k < n)%nat -> f (lo + Z.of_nat k)%Z = g (lo + Z.of_nat k)%Z) -> added f lo n = added g lo n.
Proof. intros H; induction n; simpl; auto. rewrite IHn, H by (auto; intros; apply H; lia). auto. Qed.
Lemma added_le f g lo n : (forall k, (k < n)%nat -> f (lo + Z.of_nat k)%Z <= g (lo + Z.of_nat k)%Z) -> added f lo n <= added g lo n.
Proof. intros H; induction n; simpl; try lra. apply Rplus_le_compat. apply IHn; intros; apply H; lia. apply H; lia. Qed.
Lemma first_le lo z : (first lo <= z)%Z -> lo <= IZR z.
Proof. unfold first. intros H. destruct (base_Int_part (- lo)). apply IZR_le in H. rewrite opp_IZR in H. lra. Qed.
Lemma in_range lo hi k : (k < count lo hi)%nat -> lo <= IZR (first lo + Z.of_nat k) <= hi.
Proof. unfold count. intros H. split. apply first_le; lia. assert (first lo + Z.of_nat k <= Int_part hi)%Z by lia.
  apply IZR_le in H0. destruct (base_Int_part hi). lra. Qed.
Lemma total_ext f g lo hi : (forall x, integer x -> lo <= x -> x <= hi -> f x = g x) -> total f lo hi = total g lo hi.
Proof. intros H. apply added_ext. intros k Hk. destruct (in_range _ _ _ Hk). apply H; auto using int_IZR. Qed.
Lemma total_le f g lo hi : (forall x, integer x -> lo <= x -> x <= hi -> f x <= g x) -> total f lo hi <= total g lo hi.
Proof. intros H. apply added_le. intros k Hk. destruct (in_range _ _ _ Hk). apply H; auto using int_IZR. Qed.
Lemma added_0 lo n : added (fun _ => 0) lo n = 0. Proof. induction n; simpl; rewrite ?IHn; ring. Qed.
Lemma total_0 lo hi : total (fun _ => 0) lo hi = 0. Proof. apply added_0. Qed.
Lemma total_nonneg f lo hi : (forall x, integer x -> lo <= x -> x <= hi -> 0 <= f x) -> 0 <= total f lo hi.
Proof. intros H. rewrite <- (total_0 lo hi). now apply total_le. Qed.
Lemma added_plus f g lo n : added (fun i => f i + g i) lo n = added f lo n + added g lo n.
Proof. induction n; simpl; rewrite ?IHn; ring. Qed.
Lemma added_scal c f lo n : added (fun i => c * f i) lo n = c * added f lo n.
Proof. induction n; simpl; rewrite ?IHn; ring. Qed.
Lemma total_plus f g lo hi : total (fun i => f i + g i) lo hi = total f lo hi + total g lo hi. Proof. apply added_plus. Qed.
Lemma total_scal c f lo hi : total (fun i => c * f i) lo hi = c * total f lo hi. Proof. apply added_scal. Qed.
Lemma total_empty f lo hi : integer lo -> integer hi -> hi < lo -> total f lo hi = 0.
Proof. intros [a ->] [b ->] H. apply lt_IZR in H. unfold total. rewrite count_IZR. replace (Z.to_nat (b - a + 1)) with O by lia. auto. Qed.
Lemma total_last f lo hi : integer lo -> integer hi -> lo <= hi -> total f lo hi = total f lo (hi - 1) + f hi.
Proof. intros [a ->] [b ->] H. apply le_IZR in H. rewrite <- minus_IZR. unfold total. rewrite !count_IZR, !first_IZR.
  replace (Z.to_nat (b - a + 1)) with (S (Z.to_nat (b - 1 - a + 1))) by lia. simpl. do 3 f_equal. lia. Qed.
(* a closed form: what grows by f at each integer *)
Lemma total_closed f g lo hi : integer lo -> integer hi -> lo <= hi + 1 ->
  (forall x, g x - g (x - 1) = f x) -> total f lo hi = g hi - g (lo - 1).
Proof. intros [a ->] [b ->] H D. replace 1 with (IZR 1) in H by auto. rewrite <- plus_IZR in H. apply le_IZR in H.
  replace (IZR b) with (IZR (a - 1 + Z.of_nat (Z.to_nat (b - a + 1)))) by (f_equal; lia). rewrite <- minus_IZR.
  clear H. unfold total. rewrite count_IZR, first_IZR. replace (Z.to_nat _) with (Z.to_nat (b - a + 1)) by lia.
  induction (Z.to_nat (b - a + 1)) as [|n IH]. simpl. replace (a - 1 + 0)%Z with (a - 1)%Z by lia. ring.
  simpl added. rewrite IH. replace (a + Z.of_nat n)%Z with (a - 1 + Z.of_nat (S n))%Z by lia.
  rewrite <- (D (IZR (a - 1 + Z.of_nat (S n)))). replace (IZR (a - 1 + Z.of_nat (S n)) - 1) with (IZR (a - 1 + Z.of_nat n)). ring.
  rewrite <- minus_IZR. f_equal. lia. Qed.
Lemma total_const c lo hi : integer lo -> integer hi -> lo <= hi + 1 -> total (fun _ => c) lo hi = c * (hi - lo + 1).
Proof. intros. rewrite (total_closed _ (fun x => c * x)); auto. ring. intros; ring. Qed.
Lemma added_total f a n lo hi : added (fun i => total (fun j => f i j) lo hi) a n = total (fun j => added (fun i => f i j) a n) lo hi.
Proof. induction n; simpl. symmetry; apply total_0. rewrite IHn. symmetry; apply total_plus. Qed.
Lemma total_const' c lo hi : integer lo -> integer hi -> lo <= hi + 1 -> total (fun _ => c) lo hi = c * (hi + (-1 * lo + 1)).
Proof. intros. rewrite total_const by auto. ring. Qed.
Lemma total_swap f lo hi lo' hi' : total (fun i => total (fun j => f i j) lo' hi') lo hi = total (fun j => total (fun i => f i j) lo hi) lo' hi'.
Proof. exact (added_total (fun z j => f (IZR z) j) _ _ _ _). Qed.
Lemma total_shift f lo hi k : integer k -> integer lo -> integer hi -> total f lo hi = total (fun i => f (i + k)) (lo - k) (hi - k).
Proof. intros [c ->] [a ->] [b ->]. rewrite <- !minus_IZR. unfold total. rewrite !count_IZR, !first_IZR.
  replace (b - c - (a - c) + 1)%Z with (b - a + 1)%Z by lia. induction (Z.to_nat _); simpl; auto. rewrite IHn. f_equal.
  f_equal. rewrite <- plus_IZR. f_equal. lia. Qed.
Lemma total_congr f g a b c d : (forall x, integer x -> a <= x -> x <= c -> f x = g x) -> a = b -> c = d -> total f a c = total g b d.
Proof. intros H <- <-. now apply total_ext. Qed.
Lemma total_pos f lo hi : integer lo -> integer hi -> lo <= hi -> (forall x, integer x -> lo <= x -> x <= hi -> 0 < f x) -> 0 < total f lo hi.
Proof. intros. rewrite total_last by auto. apply Rplus_le_lt_0_compat. apply total_nonneg. intros. left. apply H2; auto; lra. apply H2; auto; lra. Qed.

(* sums over what a permutation has in its places *)
Lemma total_list f n : total f 1 (INR n) = fold_right (fun k r => f (INR (S k)) + r) 0 (seq 0 n).
Proof. unfold total. rewrite INR_IZR_INZ, count_IZR, (first_IZR 1). replace (Z.to_nat _) with n by lia.
  assert (K : forall l x, fold_right (fun k r => f (INR (S k)) + r) x l = fold_right (fun k r => f (INR (S k)) + r) 0 l + x).
  { induction l; intros; cbn [fold_right]; try ring. rewrite IHl. ring. }
  induction n. auto. rewrite seq_S, fold_right_app, (K _ (fold_right _ _ _)), <- IHn. cbn [added fold_right Nat.add]. rewrite (INR_IZR_INZ (S n)). replace (1 + Z.of_nat n)%Z with (Z.of_nat (S n)) by lia. ring. Qed.
Lemma nodup_map (g : nat -> nat) l : (forall x y, In x l -> In y l -> g x = g y -> x = y) -> NoDup l -> NoDup (map g l).
Proof. induction l as [|a l IH]; intros H N; simpl; constructor; inversion N; subst.
  intro C. apply in_map_iff in C. destruct C as [x [E X]]. apply H in E; simpl; auto. now subst.
  apply IH; auto. intros; apply H; simpl; auto. Qed.
Lemma total_permuted f s m : integer m -> permutes m s -> (forall i, integer (s i) /\ 1 <= s i) ->
  total (fun i => f (s i)) 1 m = total f 1 m.
Proof. intros Hm [Hs Hi] Hp. destruct (Rlt_or_le m 0) as [L|L].
  { rewrite !total_empty; auto; try lra; apply (int_IZR 1). }
  destruct (nat_of m) as [n ->]; auto. rewrite !total_list.
  assert (P : forall k, exists j, s (INR (S k)) = INR (S j)).
  { intros k. destruct (Hp (INR (S k))) as [A B]. destruct (nat_of (s (INR (S k)) - 1)) as [j J]. apply int_minus; auto. apply (int_IZR 1). lra.
    exists j. rewrite (S_INR j). lra. }
  set (g k := pred (Z.to_nat (Int_part (s (INR (S k)))))).
  assert (G : forall k, s (INR (S k)) = INR (S (g k))).
  { intros k. destruct (P k) as [j J]. unfold g. rewrite J. rewrite (INR_IZR_INZ (S j)) at 2. rewrite Int_part_IZR, Nat2Z.id. auto. }
  assert (N : NoDup (map g (seq 0 n))).
  { apply nodup_map; [|apply seq_NoDup]. intros x y Hx Hy E. apply in_seq in Hx, Hy.
    assert (INR (S x) = INR (S y)). { apply Hi; try (exists (Z.of_nat (S x)); apply INR_IZR_INZ); try (exists (Z.of_nat (S y)); apply INR_IZR_INZ).
      rewrite S_INR; pose proof (pos_INR x); lra. apply le_INR; lia. rewrite S_INR; pose proof (pos_INR y); lra. apply le_INR; lia. now rewrite !G, E. }
    apply INR_eq in H. lia. }
  assert (I : incl (map g (seq 0 n)) (seq 0 n)).
  { intros x Hx. apply in_map_iff in Hx. destruct Hx as [k [<- Hk]]. apply in_seq in Hk. apply in_seq. split; [lia|].
    assert (INR (S (g k)) <= INR n). { rewrite <- G. apply Hs. exists (Z.of_nat (S k)); apply INR_IZR_INZ. rewrite S_INR; pose proof (pos_INR k); lra. apply le_INR; lia. }
    apply INR_le in H. lia. }
  assert (Q : Permutation.Permutation (map g (seq 0 n)) (seq 0 n)).
  { apply Permutation.NoDup_Permutation_bis; auto. rewrite map_length. auto. }
  transitivity (fold_right (fun k r => f (INR (S k)) + r) 0 (map g (seq 0 n))).
  - clear - G. induction (seq 0 n) as [|a l IH]; cbn [fold_right map]; auto. rewrite IH, G. auto.
  - revert Q. generalize (map g (seq 0 n)) (seq 0 n). clear. intros a b Q. induction Q; cbn [fold_right]; try congruence. ring. Qed.

(* ---- expectations ---- *)
Section Mean.
Context (M : model).
Lemma outcome : Omega M.
Proof. pose proof (weight_one M). destruct (outcomes M) as [|w ?]; [simpl in H; lra|exact w]. Qed.
Lemma mean_ext f g : (forall w, f w = g w) -> mean M f = mean M g.
Proof. intros H. unfold mean. induction (outcomes M); simpl; auto. now rewrite IHl, H. Qed.
Lemma mean_le f g : (forall w, f w <= g w) -> mean M f <= mean M g.
Proof. intros H. unfold mean. induction (outcomes M); simpl; try lra. apply Rplus_le_compat; auto. apply Rmult_le_compat_l; auto. apply weight_nonneg. Qed.
Lemma mean_plus f g : mean M (fun w => f w + g w) = mean M f + mean M g.
Proof. unfold mean. induction (outcomes M); simpl; rewrite ?IHl; ring. Qed.
Lemma mean_scal c f : mean M (fun w => c * f w) = c * mean M f.
Proof. unfold mean. induction (outcomes M); simpl; rewrite ?IHl; ring. Qed.
Lemma mean_one : mean M (fun _ => 1) = 1.
Proof. transitivity (fold_right (fun w rest => weight M w + rest) 0 (outcomes M)); [|apply weight_one].
  unfold mean. induction (outcomes M); simpl; rewrite ?IHl; ring. Qed.
Lemma mean_const c : mean M (fun _ => c) = c.
Proof. transitivity (mean M (fun _ => c * 1)). apply mean_ext; intros; ring. rewrite (mean_scal c (fun _ => 1)), mean_one. ring. Qed.
Lemma mean_nonneg f : (forall w, 0 <= f w) -> 0 <= mean M f.
Proof. intros. rewrite <- (mean_const 0). now apply mean_le. Qed.
Lemma mean_total f lo hi : mean M (fun w => total (fun i => f i w) lo hi) = total (fun i => mean M (fun w => f i w)) lo hi.
Proof. unfold total. induction (count lo hi); simpl. apply mean_const. now rewrite mean_plus, IHn. Qed.

(* ---- vectors ---- *)
Lemma dot_add' u v z : dot M z (vadd M u v) = dot M z u + dot M z v. Proof. now rewrite dot_comm, dot_add, !(dot_comm M z). Qed.
Lemma dot_scal' c u z : dot M z (vscal M c u) = c * dot M z u. Proof. now rewrite dot_comm, dot_scal, (dot_comm M z). Qed.
Lemma dot_0 z : dot M (vzero M) z = 0.
Proof. pose proof (dot_add M (vzero M) (vzero M) z). rewrite vadd_zero in H. lra. Qed.
Lemma dot_0' z : dot M z (vzero M) = 0. Proof. now rewrite dot_comm, dot_0. Qed.
Lemma vext u v : (forall z, dot M u z = dot M v z) -> u = v.
Proof. intros H. assert (D : vadd M u (vscal M (-1) v) = vzero M).
  { apply dot_zero. rewrite dot_add, dot_scal, H. ring. }
  rewrite <- (vadd_zero M u), <- (vadd_opp M v), (vadd_comm M v), vadd_assoc, D, vadd_comm, vadd_zero. auto. Qed.
Lemma dot_vtotal f lo hi z : dot M (vtotal M f lo hi) z = total (fun x => dot M (f x) z) lo hi.
Proof. unfold vtotal, total. induction (count lo hi); simpl. apply dot_0. now rewrite dot_add, IHn. Qed.
Lemma dot_vtotal' f lo hi z : dot M z (vtotal M f lo hi) = total (fun x => dot M z (f x)) lo hi.
Proof. rewrite dot_comm, dot_vtotal. apply total_ext. intros. apply dot_comm. Qed.
End Mean.

(* ---- induction over a range ---- *)
Lemma induct (P : R -> Prop) lo : integer lo -> P lo -> (forall i, integer i -> lo <= i -> P i -> P (i + 1)) ->
  forall i, integer i -> lo <= i -> P i.
Proof. intros [a ->] H0 HS i [z ->] L. apply le_IZR in L. replace z with (a + Z.of_nat (Z.to_nat (z - a)))%Z by lia.
  induction (Z.to_nat (z - a)) as [|n IH]. now rewrite Z.add_0_r.
  replace (IZR (a + Z.of_nat (S n))) with (IZR (a + Z.of_nat n) + 1). apply HS; auto using int_IZR. apply IZR_le; lia.
  rewrite <- plus_IZR. f_equal. lia. Qed.
Lemma induct_to (P : R -> Prop) lo hi : integer lo -> P lo -> (forall i, integer i -> lo <= i -> i <= hi - 1 -> P i -> P (i + 1)) ->
  forall i, integer i -> lo <= i -> i <= hi -> P i.
Proof. intros A H0 HS i I L. apply (induct (fun i => i <= hi -> P i) lo); auto. intros j J K Q U. apply HS; auto; try lra. apply Q. lra. Qed.

(* ---- what scripts end with ---- *)
Lemma nn_as a b : a = b -> 0 <= b -> 0 <= a. Proof. intros; lra. Qed.
Lemma pos_as a b : a = b -> 0 < b -> 0 < a. Proof. intros; lra. Qed.
Lemma nn_both a b c : a = b + c -> 0 <= b -> 0 <= c -> 0 <= a. Proof. intros; lra. Qed.
Lemma pos_left a b c : a = b + c -> 0 < b -> 0 <= c -> 0 < a. Proof. intros; lra. Qed.
Lemma pos_right a b c : a = b + c -> 0 <= b -> 0 < c -> 0 < a. Proof. intros; lra. Qed.
Lemma gap_pos l r : l = r -> 0 <= r - l. Proof. intros; lra. Qed.
Lemma gap_neg l r : l = r -> 0 <= l - r. Proof. intros; lra. Qed.
Lemma nz_neg a : 0 < -1 * a -> a <> 0. Proof. intros; lra. Qed.
Lemma Rminus_le_0 a b : 0 <= b + -1 * a -> a <= b. Proof. intros; lra. Qed.
Lemma Rminus_lt_0 a b : 0 < b + -1 * a -> a < b. Proof. intros; lra. Qed.
Lemma Rmin_pos_ a b : 0 < a -> 0 < b -> 0 < Rmin a b. Proof. intros; apply Rmin_glb_lt; auto. Qed.
Lemma ln_nonneg x : 0 <= x + -1 * 1 -> 0 <= ln x.
Proof. intros H. rewrite <- ln_1. destruct (Req_dec x 1) as [->|N]; [lra|]. left. apply ln_increasing; lra. Qed.
Lemma ln_pos x : 0 < x + -1 * 1 -> 0 < ln x. Proof. intros H. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma root_to b x (q : nat) : 0 <= b -> (0 < q)%nat -> x * INR q = 1 -> power b x ^ q = b.
Proof. intros H Q E. destruct (root_ex b q Q H) as [r [Hr ->]]. rewrite (power_root r q 1) by (auto; simpl; lra). now rewrite pow_1. Qed.
Lemma power_char_neg B X y (p q : nat) : (0 < q)%nat -> (0 < p)%nat -> 0 < B -> 0 < X -> y * INR q = - INR p -> X ^ q * B ^ p = 1 -> power B y = X.
Proof. intros Hq Hp HB HX E K. assert (0 < power B y) by now apply power_pos.
  assert (P : power B y * power B (- y) = 1) by (rewrite <- power_plus by auto; replace (y + - y) with 0 by ring; apply power_0).
  assert (J : power B (- y) = / X).
  { apply (power_char _ _ _ p q); auto; try lra. left; now apply Rinv_0_lt_compat. rewrite pow_inv. apply Rmult_eq_reg_l with (X ^ q).
    rewrite Rinv_r, K; auto. apply pow_nonzero; lra. apply pow_nonzero; lra. }
  rewrite J in P. apply Rmult_eq_reg_r with (/ X). rewrite P, Rinv_r; auto; lra. apply Rinv_neq_0_compat; lra. Qed.
Lemma added_scal_r c f lo n : added (fun i => f i * c) lo n = added f lo n * c.
Proof. induction n; simpl; rewrite ?IHn; ring. Qed.
Lemma total_scal_r c f lo hi : total (fun i => f i * c) lo hi = total f lo hi * c. Proof. apply added_scal_r. Qed.
Lemma total_ext_all f g lo hi : (forall x, f x = g x) -> total f lo hi = total g lo hi. Proof. intros; apply total_ext; auto. Qed.
Lemma exp_nz x : exp x <> 0. Proof. pose proof (exp_pos x). lra. Qed.
Lemma inv_exp x : / exp x = exp (- x). Proof. now rewrite exp_Ropp. Qed.
Lemma power_e x : power (exp 1) x = exp x. Proof. rewrite power_exp. f_equal. ring. Qed.

Ltac nats := repeat match goal with |- context [Pos.to_nat ?p] => let n := eval compute in (Pos.to_nat p) in change (Pos.to_nat p) with n end.
Ltac nats_in K := repeat match type of K with context [Pos.to_nat ?p] => let n := eval compute in (Pos.to_nat p) in change (Pos.to_nat p) with n in K end.
Ltac lits := repeat match goal with |- context [power ?b (IZR ?z)] => rewrite (power_IZR b z); cbn [powZ] end; nats.
Ltac lits_in K := repeat match type of K with context [power ?b (IZR ?z)] => rewrite (power_IZR b z) in K; cbn [powZ] in K end; nats_in K.
Tactic Notation "by_exact" uconstr(p) := first [ exact p | let K := fresh in pose proof p as K; cbv beta in K; lits_in K; exact K ].
Lemma int_power a x : integer a -> integer x -> 0 <= x -> integer (power a x).
Proof. intros A I L. destruct (nat_of x I L) as [n ->]. rewrite power_nat. now apply int_pow. Qed.
Ltac int := first [ assumption | apply int_IZR | apply int_floor | apply int_indicator | lazymatch goal with
  | |- integer (_ + _) => apply int_plus; int | |- integer (_ - _) => apply int_minus; int | |- integer (_ * _) => apply int_mult; int
  | |- integer (- _) => apply int_opp; int | |- integer (Rmax _ _) => apply int_max; int | |- integer (Rmin _ _) => apply int_min; int
  | |- integer (Rabs _) => apply int_abs; int | |- integer (_ ^ _) => apply int_pow; int
  | |- integer (total _ _ _) => apply int_total; intros; cbv beta; int
  | |- integer (power _ _) => apply int_power; [ int | int | first [ assumption | lra ] ] end
  | match goal with H : forall _, _ |- _ => first [ apply H | apply (proj1 (H _ _ _ _)) ] end ].
Ltac nzs := repeat split; first [ assumption | apply Rgt_not_eq; apply exp_pos | apply Rgt_not_eq; apply power_pos; apply exp_pos | solve [ discrR ] | apply not_0_IZR; discriminate
  | match goal with N : ?a <> 0 |- ?b <> 0 => let C := fresh in intro C; apply N; first [ rewrite <- C; ring | lra ] end | lra
  | match goal with N : ?a <> 0, K : ?c <> 0 |- ?b <> 0 => let C := fresh in intro C; apply (Rmult_integral_contrapositive_currified a c N K); first [ rewrite <- C; ring | lra ] end
  | match goal with N : ?a <> 0 |- ?b <> 0 => let C := fresh in intro C; apply N; rewrite C; ring end ].
Ltac ring_or_field := first [ reflexivity | ring | unfold Rdiv; ring | field; nzs ].
Ltac posx := first [ assumption | lra | apply inv_nonneg; posx | apply Rmult_le_pos; posx | apply Rplus_le_le_0_compat; posx | apply pow_le; posx ].
(* linearity of sums and expectations *)
Ltac etas := repeat match goal with
  | |- context [total ?f ?a ?b] => lazymatch f with (fun _ => _) => fail | _ => change (total f a b) with (total (fun x => f x) a b) end
  | |- context [mean ?M ?f] => lazymatch f with (fun _ => _) => fail | _ => change (mean M f) with (mean M (fun x => f x)) end end.
Ltac totals := rewrite ?total_plus, ?total_scal, ?total_0; rewrite ?total_plus, ?total_scal; etas.
Ltac means := rewrite ?mean_plus, ?mean_scal, ?mean_const; rewrite ?mean_plus, ?mean_scal, ?mean_const; rewrite ?mean_scal, ?mean_const; etas.
Ltac dots := repeat first [ rewrite dot_add | rewrite dot_add' | rewrite dot_scal | rewrite dot_scal' | rewrite dot_0 | rewrite dot_0' ].
(* factors brought into sums *)
Ltac bring := repeat first [ rewrite <- total_scal | rewrite <- total_scal_r ]; first [ reflexivity | apply total_ext_all; intro; cbv beta; ring ].
Ltac nest := first [ reflexivity | ring | repeat first [ rewrite <- total_scal | rewrite <- total_scal_r ]; first [ ring | apply total_ext_all; intro; cbv beta; nest ]
  | apply total_ext_all; intro; cbv beta; nest ].
(* powers of what is positive, as exponentials *)
Ltac as_exp b how := let l := fresh "l" in let H := fresh "H" in let K := fresh in assert (K : 0 < b) by how; destruct (exp_of b K) as [l H]; clear K; rewrite ?H; clear H.
Ltac to_exp := rewrite ?ln_exp; repeat first [ rewrite power_e | rewrite power_exp | rewrite pow_exp | rewrite inv_exp | rewrite <- exp_plus ].
Ltac one_exp := repeat match goal with |- context [exp ?a * (exp ?b * ?c)] => rewrite <- (Rmult_assoc (exp a) (exp b) c) | |- context [exp ?a * exp ?b] => rewrite <- exp_plus end.
Ltac exps := to_exp; one_exp; to_exp; one_exp; first [ reflexivity | f_equal; rewrite ?INR_IZR_INZ; cbn [Z.of_nat Pos.of_succ_nat Pos.succ]; ring_or_field
  | rewrite ?Rmult_1_l, ?Rmult_1_r; f_equal; rewrite ?INR_IZR_INZ; cbn [Z.of_nat Pos.of_succ_nat Pos.succ]; ring_or_field | rewrite <- exp_0; f_equal; ring_or_field ].
Ltac logs := rewrite ?pow_exp, ?inv_exp, <- ?exp_plus, ?ln_exp; rewrite ?pow_exp, ?inv_exp, <- ?exp_plus, ?ln_exp; rewrite ?INR_IZR_INZ; cbn [Z.of_nat Pos.of_succ_nat Pos.succ]; ring_or_field.
(* integer powers along their exponents *)
Ltac plain_powers := rewrite ?power_1, ?power_0, ?power_one; repeat match goal with |- context [power ?b (IZR ?z)] => rewrite (power_IZR b z); cbn [powZ] end.
Lemma power_pos_times a p x : integer x -> 0 <= x -> power a (IZR (Z.pos p) * x) = power a x ^ Pos.to_nat p.
Proof. intros. rewrite power_pow by auto. now rewrite INR_IZR_INZ, positive_nat_Z. Qed.
Ltac split_int := repeat first [ rewrite power_plus_int by (first [ int | lra | posx ]) | rewrite power_pos_times by (first [ int | lra | posx ]) | rewrite power_mul_int by int | rewrite power_inv_int by int ]; plain_powers; nats.
Lemma int_INR n : integer (INR n). Proof. exists (Z.of_nat n). apply INR_IZR_INZ. Qed.
Lemma power_nat_times a n x : a <> 0 -> integer x -> power a (INR n * x) = power a x ^ n.
Proof. intros H I. induction n. simpl. rewrite Rmult_0_l. apply power_0. rewrite S_INR.
  replace ((INR n + 1) * x) with (x + INR n * x) by ring. rewrite power_plus_nz, IHn; auto. apply int_mult; auto using int_INR. Qed.
Lemma power_opp a x : a <> 0 -> integer x -> power a (- x) = / power a x.
Proof. intros H I. assert (P : power a x * power a (- x) = 1).
  { rewrite <- power_plus_nz; auto using int_opp. replace (x + - x) with 0 by ring. apply power_0. }
  pose proof (power_int_nz a x I H). apply Rmult_eq_reg_l with (power a x); auto. rewrite P, Rinv_r; auto. Qed.
Lemma power_times a n x : integer x -> a <> 0 -> power a (IZR n * x) = powZ (power a x) n.
Proof. intros I H. destruct (Z_le_dec 0 n).
  rewrite <- (Z2Nat.id n) by auto. rewrite powZ_nat, <- INR_IZR_INZ. now apply power_nat_times.
  replace n with (- Z.of_nat (Z.to_nat (- n)))%Z by (rewrite Z2Nat.id by lia; ring).
  rewrite powZ_neg, opp_IZR, <- INR_IZR_INZ. rewrite pow_inv, <- power_nat_times by auto.
  rewrite <- power_opp; auto. f_equal; ring. apply int_mult; auto using int_INR. Qed.
Ltac nonz := first [ assumption | lra | match goal with N : ?a <> 0 |- ?b <> 0 => let C := fresh in intro C; apply N; rewrite C; ring end | apply Rmult_integral_contrapositive_currified; nonz | apply Rinv_neq_0_compat; nonz ].
Ltac split_nz := repeat first [ rewrite power_plus_nz by (first [ int | assumption | nonz ]) | rewrite power_times by (first [ int | assumption | nonz ]); cbn [powZ] | rewrite power_mul_int by int | rewrite power_inv_int by int ]; plain_powers; nats.
Tactic Notation "rewrite_base" constr(a) constr(b) tactic3(t) := let Q := fresh in assert (Q : a = b) by t; repeat match goal with |- context [power a ?x] => rewrite Q end; try rewrite Q; clear Q.
Ltac roots_end := first [ ring_or_field | repeat match goal with H : ?r ^ ?n = ?b |- _ => is_var r; first [ rewrite <- H | fail ] end; ring_or_field ].
Ltac lattice := unfold Rmax, Rmin, Rabs, indicator in *; repeat (destruct Rle_dec || destruct Rcase_abs); lra.
Ltac floors := first [ reflexivity | rewrite floor_shift by int; ring | rewrite floor_int by int; ring ].
(* ranges *)
Ltac rng := first [ assumption | lra ].
Lemma le_gap l r l' r' : l <= r -> r' + -1 * l' = r + -1 * l -> l' <= r'. Proof. intros; lra. Qed.
Lemma lt_gap l r l' r' : l < r -> r' + -1 * l' = r + -1 * l -> l' < r'. Proof. intros; lra. Qed.
Lemma le_gap_lt l r l' r' : l < r -> r' + -1 * l' = r + -1 * l -> l' <= r'. Proof. intros; lra. Qed.
Lemma le_gap_eq l r l' r' : l = r -> r' + -1 * l' = r + -1 * l -> l' <= r'. Proof. intros; lra. Qed.
Lemma eq_gap l r l' r' : l = r -> r' + -1 * l' = r + -1 * l -> l' = r'. Proof. intros; lra. Qed.
Lemma le_gap_eq_back l r l' r' : l = r -> r' + -1 * l' = l + -1 * r -> l' <= r'. Proof. intros; lra. Qed.
Lemma eq_gap_back l r l' r' : l = r -> r' + -1 * l' = l + -1 * r -> l' = r'. Proof. intros; lra. Qed.
(* a line from a sum of products *)
Lemma by_le l r g : r + -1 * l = g -> 0 <= g -> l <= r. Proof. intros; lra. Qed.
Lemma by_lt l r g : r + -1 * l = g -> 0 < g -> l < r. Proof. intros; lra. Qed.
Lemma by_eq l r g : r + -1 * l = g -> g = 0 -> l = r. Proof. intros; lra. Qed.
Lemma by_mul l r m g : 0 < m -> m * (r + -1 * l) = g -> 0 <= g -> l <= r.
Proof. intros H E G. apply (gap_mul l r m g); auto. rewrite <- E. ring. Qed.
Lemma times_le l r w : l <= r -> 0 <= w -> 0 <= w * (r + -1 * l). Proof. intros; apply Rmult_le_pos; lra. Qed.
Lemma times_lt l r w : l < r -> 0 < w -> 0 < w * (r + -1 * l). Proof. intros; apply Rmult_lt_0_compat; lra. Qed.
Lemma times_eq l r w : l = r -> w * (r + -1 * l) = 0. Proof. intros ->; ring. Qed.
Lemma times_eq_le l r w : l = r -> 0 <= w * (r + -1 * l). Proof. intros ->. right; ring. Qed.
Lemma dot_of_eq M (a b z : V M) : a = b -> dot M a z = dot M b z. Proof. now intros ->. Qed.
Lemma dots_eq M l r w : l = r -> dot M w (vadd M r (vscal M (-1) l)) = 0.
Proof. intros ->. rewrite dot_add', dot_scal'. ring. Qed.
Lemma dots_eq_le M l r w : l = r -> 0 <= dot M w (vadd M r (vscal M (-1) l)). Proof. intros H. right. symmetry. now apply dots_eq. Qed.
Lemma ln_le1' x : 0 < x -> ln x <= x + -1 * 1. Proof. intros H. pose proof (ln_le1 x H). lra. Qed.
Lemma indicator_le1 x : indicator x <= 1. Proof. unfold indicator; destruct Rle_dec; lra. Qed.
Lemma indicator_half x : x * indicator x = 1 / 2 * (x + Rabs x). Proof. unfold indicator, Rabs; destruct Rle_dec, Rcase_abs; lra. Qed.
Lemma indicator_abs x : Rabs x * indicator x = x * indicator x. Proof. unfold indicator, Rabs; destruct Rle_dec, Rcase_abs; lra. Qed.
Lemma indicator_both x : 1 <= indicator x + indicator (-1 * x). Proof. unfold indicator; destruct Rle_dec, Rle_dec; lra. Qed.
Lemma indicator_one x : 0 <= x -> indicator x = 1. Proof. unfold indicator; destruct Rle_dec; lra. Qed.
Lemma indicator_incr a b : a <= b -> indicator a <= indicator b. Proof. unfold indicator; destruct Rle_dec, Rle_dec; lra. Qed.
Lemma abs_le a b : a <= b -> -1 * a <= b -> Rabs a <= b. Proof. intros. apply Rabs_le. lra. Qed.
Lemma nn_line l r : l <= r -> 0 <= r + -1 * l. Proof. intros; lra. Qed.
Lemma int_gap l r : integer (r + -1 * l) -> l < r -> l + 1 <= r.
Proof. intros H L. pose proof (int_lt 0 _ (int_IZR 0) H). lra. Qed.
(* classes of functions *)
Section Classes.
Context (M : model) (F : V M -> R) (G : V M -> V M).
Let sub u v := vadd M u (vscal M (-1) v).
Let tangent u v := F v + dot M (G v) (sub u v).
Lemma class_convex L m : in_class M F G L (Some m) -> forall u v, tangent u v + 1 / 2 * (m * dot M (sub u v) (sub u v)) <= F u.
Proof. intros (A & _) u v. specialize (A m eq_refl u v). unfold tangent, sub in *. lra. Qed.
Lemma class_descent L m : in_class M F G (Some L) m -> forall u v, F u <= tangent u v + 1 / 2 * (L * dot M (sub u v) (sub u v)).
Proof. intros (_ & A & _) u v. destruct (A L eq_refl u v) as (B & _). unfold tangent, sub in *. lra. Qed.
Lemma class_ascent L m : in_class M F G (Some L) m -> forall u v, tangent u v + -1 * (1 / 2 * (L * dot M (sub u v) (sub u v))) <= F u.
Proof. intros (_ & A & _) u v. destruct (A L eq_refl u v) as (_ & B & _). unfold tangent, sub in *. lra. Qed.
Lemma class_lipschitz L m : in_class M F G (Some L) m -> forall u v, dot M (sub (G u) (G v)) (sub (G u) (G v)) <= L * (L * dot M (sub u v) (sub u v)).
Proof. intros (_ & A & _) u v. destruct (A L eq_refl u v) as (_ & _ & B). unfold sub in *. lra. Qed.
Lemma class_cocoercive L m : 0 <= m -> in_class M F G (Some L) (Some m) -> forall u v, tangent u v + 1 / 2 * (/ L * dot M (sub (G u) (G v)) (sub (G u) (G v))) <= F u.
Proof. intros N (_ & _ & A) u v. destruct (A L m eq_refl eq_refl u v) as (B & _). specialize (B N). unfold tangent, sub in *. lra. Qed.
Lemma class_interpolated L m : in_class M F G (Some L) (Some m) -> forall u v,
  1 / 2 * dot M (sub (G u) (G v)) (sub (G u) (G v)) + (1 / 2 * (L * (m * dot M (sub u v) (sub u v))) + -1 * (m * dot M (sub (G u) (G v)) (sub u v)))
  <= (L + -1 * m) * (F u + -1 * tangent u v).
Proof. intros (_ & _ & A) u v. destruct (A L m eq_refl eq_refl u v) as (_ & B). unfold tangent, sub in *. lra. Qed.
End Classes.
Lemma nn_times t m g : 0 < m -> m * t = g -> 0 <= g -> 0 <= t.
Proof. intros H E G. apply (gap_mul 0 t m g); auto. rewrite <- E. ring. Qed.
Lemma int_ge1 x : integer x -> 0 < x -> 1 <= x. Proof. intros H L. pose proof (int_lt 0 x (int_IZR 0) H L). lra. Qed.
Lemma class_less M F G L m : in_class M F G (Some L) (Some m) -> in_class M F G None None.
Proof. intros _. repeat split; discriminate. Qed.
Lemma class_less_convex M F G s m : in_class M F G s (Some m) -> in_class M F G s None.
Proof. intros (A & B & C). repeat split; intros; try discriminate; destruct (B L H u v) as (X & Y & Z); auto. Qed.
Lemma class_less_smooth M F G L c : in_class M F G (Some L) c -> in_class M F G None c.
Proof. intros (A & B & C). repeat split; intros; try discriminate; eauto. Qed.
Lemma class_weaker M F G s m m' : in_class M F G s (Some m) -> m' <= m -> in_class M F G s (Some m').
Proof. intros (A & B & C) H. split; [|split].
- intros m0 E u v. injection E as <-. specialize (A m eq_refl u v). cbv zeta in *.
  assert (m' * dot M (vadd M u (vscal M (-1) v)) (vadd M u (vscal M (-1) v)) <= m * dot M (vadd M u (vscal M (-1) v)) (vadd M u (vscal M (-1) v))).
  { apply Rmult_le_compat_r; [apply dot_nonneg | auto]. } lra.
- exact B.
- intros L m0 E E0 u v. injection E0 as <-. destruct (C L m E eq_refl u v) as (P & Q). destruct (B L E v u) as (R & _). cbv zeta in *. split.
  + intros N. apply P. lra.
  + assert (S : 0 <= (m - m') * (F u + dot M (G u) (vadd M v (vscal M (-1) u)) + / 2 * (L * dot M (vadd M v (vscal M (-1) u)) (vadd M v (vscal M (-1) u))) - F v)) by (apply Rmult_le_pos; lra).
    rewrite !dot_add, !dot_scal, !dot_add', !dot_scal' in *. rewrite (dot_comm M v u) in *. rewrite (dot_comm M (G v) (G u)) in *. nra. Qed.
Ltac lattice_goal := unfold Rmax, Rmin; repeat destruct Rle_dec; lra.
Lemma less_one a : 1 <= a -> 0 <= a + -1 * 1. Proof. intros; lra. Qed.
Lemma pow2_abs_ x : x ^ 2 = Rabs x ^ 2. Proof. symmetry. apply pow2_abs. Qed.
Lemma ln_is x y : x = exp y -> ln x = y. Proof. intros ->. apply ln_exp. Qed.
Lemma exp_ln_Z p z : 0 < p -> exp (IZR z * ln p) = powZ p z.
Proof. intros H. rewrite <- power_IZR. destruct (exp_of p H) as [l ->]. now rewrite ln_exp, power_exp. Qed.
Lemma power_up a x n e : integer x -> 0 <= x -> e = x + INR n -> power a e = power a x * a ^ n.
Proof. intros I L ->. rewrite power_plus_int, power_nat; auto using pos_INR. exists (Z.of_nat n). apply INR_IZR_INZ. Qed.
Lemma vscal_0 M u : vscal M 0 u = vzero M. Proof. apply vext. intros z. rewrite dot_scal, dot_0. ring. Qed.
Lemma vtotal_ext M f g lo hi : (forall x, integer x -> lo <= x -> x <= hi -> f x = g x) -> vtotal M f lo hi = vtotal M g lo hi.
Proof. intros H. apply vext. intros z. rewrite !dot_vtotal. apply total_ext. intros x I A B. now rewrite H. Qed.
(* slopes *)
Lemma slope_is f y a b : derivable_pt_lim f y a -> a = b -> derivable_pt_lim f y b. Proof. now intros H <-. Qed.
Lemma d_const c y : derivable_pt_lim (fun _ => c) y 0. Proof. apply derivable_pt_lim_const. Qed.
Lemma d_id y : derivable_pt_lim (fun x => x) y 1. Proof. apply derivable_pt_lim_id. Qed.
Lemma d_plus f g a b y : derivable_pt_lim f y a -> derivable_pt_lim g y b -> derivable_pt_lim (fun x => f x + g x) y (a + b).
Proof. apply derivable_pt_lim_plus. Qed.
Lemma d_mult f g a b y : derivable_pt_lim f y a -> derivable_pt_lim g y b -> derivable_pt_lim (fun x => f x * g x) y (a * g y + f y * b).
Proof. apply derivable_pt_lim_mult. Qed.
Lemma d_exp f a y : derivable_pt_lim f y a -> derivable_pt_lim (fun x => exp (f x)) y (exp (f y) * a).
Proof. intros H. apply (derivable_pt_lim_comp f exp y a (exp (f y)) H). apply derivable_pt_lim_exp. Qed.
Lemma d_ln f a y : 0 < f y -> derivable_pt_lim f y a -> derivable_pt_lim (fun x => ln (f x)) y (/ f y * a).
Proof. intros P H. apply (derivable_pt_lim_comp f ln y a (/ f y) H). now apply derivable_pt_lim_ln. Qed.
Lemma d_inv f a y : f y <> 0 -> derivable_pt_lim f y a -> derivable_pt_lim (fun x => / f x) y (-1 * ((/ f y) ^ 2 * a)).
Proof. intros P H. apply slope_is with (- / (f y) ^ 2 * a).
  apply (derivable_pt_lim_comp f Rinv y a (- / (f y) ^ 2) H). rewrite <- Rsqr_pow2. apply (slope_is _ _ (- / Rsqr (f y))); auto.
  intros e He. destruct (derivable_pt_lim_div (fun _ => 1) (fun x => x) (f y) 0 1 (derivable_pt_lim_const 1 _) (derivable_pt_lim_id _) P e He) as [d D].
  exists d. intros h N L. specialize (D h N L). unfold div_fct, Rsqr, Rdiv in *. rewrite !Rmult_1_l in D. 
  replace (- / (f y * f y)) with ((0 * f y + - (1)) * / (f y * f y)) by ring. replace (0 * f y + - (1)) with (0 * f y - 1) by ring. exact D.
  rewrite pow_inv. ring. Qed.
Lemma d_pow f n c a y : c = INR n + 1 -> derivable_pt_lim f y a -> derivable_pt_lim (fun x => f x ^ S n) y (c * (f y ^ n * a)).
Proof. intros -> H. apply slope_is with (INR (S n) * f y ^ n * a).
  apply (derivable_pt_lim_comp f (fun x => x ^ S n) y a _ H). apply derivable_pt_lim_pow. rewrite S_INR. ring. Qed.
Lemma d_square f a y : derivable_pt_lim f y a -> derivable_pt_lim (fun x => f x ^ 2) y (2 * (f y * a)).
Proof. intros H. apply slope_is with (2 * (f y ^ 1 * a)). apply (d_pow f 1); [simpl; lra | auto]. ring. Qed.
Lemma rising f g : (forall x, 0 <= x -> derivable_pt_lim f x (g x)) -> 0 <= f 0 -> (forall x, 0 <= x -> 0 <= g x) -> forall x, 0 <= x -> 0 <= f x.
Proof. intros D S G x [L|<-]; auto. destruct (MVT_cor2 f g 0 x L) as (c & E & C). intros; apply D; lra.
  assert (0 <= g c * (x - 0)). { apply Rmult_le_pos; [apply G|]; lra. } lra. Qed.
(* what is positive is taken out of any power: of a number that is not positive both sides are 0, or integer powers *)
Lemma power_pull c a x : 0 < c -> power (c * a) x = power c x * power a x.
Proof. intros H. unfold power. destruct Req_EM_T. apply powZ_mul. destruct (Rlt_dec 0 c); [|contradiction]. destruct (Rlt_dec 0 a) as [A|A].
  - destruct (Rlt_dec 0 (c * a)) as [P|P]; [|destruct P; now apply Rmult_lt_0_compat]. rewrite ln_mult, <- exp_plus by auto. f_equal. ring.
  - destruct (Rlt_dec 0 (c * a)) as [P|P]; [|ring]. destruct A. apply (Rmult_lt_reg_l c); auto. now rewrite Rmult_0_r. Qed.
Lemma ln_apart a b : 0 < b -> b <= a -> 0 <= ln a + -1 * ln b.
Proof. intros P [H| ->]; [|lra]. pose proof (ln_increasing b a P H). lra. Qed.
(* exponentials brought to one for each exponent, then a ring *)
Ltac same_exps := repeat match goal with |- context [exp ?a] => match goal with |- context [exp ?b] =>
  lazymatch a with b => fail | _ => replace (exp a) with (exp b) by (f_equal; ring_or_field) end end end.
Ltac e_ring := to_exp; one_exp; to_exp; one_exp; rewrite ?INR_IZR_INZ; cbn [Z.of_nat Pos.of_succ_nat Pos.succ]; same_exps; ring_or_field.
Ltac closes := first [ ring | field; nzs | e_ring ].
Lemma power_up_pos a x n e : 0 < a -> e = x + INR n -> power a e = power a x * a ^ n.
Proof. intros H ->. destruct (exp_of a H) as [l ->]. rewrite !power_exp, pow_exp, <- exp_plus. f_equal. ring. Qed.
(* each root becomes a letter, and a letter whose root that is becomes the power of it *)
Ltac root_letters := repeat match goal with H : power ?b ?e ^ _ = ?b |- _ => let r := fresh in set (r := power b e) in *; clearbody r end;
  repeat match goal with H : ?r ^ _ = ?x |- _ => is_var r; is_var x; rewrite <- H in *; clear H end.
(* a power of a power as one of the product, which is written in one order *)
Ltac powers_of_powers := repeat match goal with |- context [power (power ?a ?x) ?y] => rewrite (power_mult_int a x y) by (first [ int | posx ]) end;
  repeat match goal with |- context [power ?a (?x * ?y)] => match goal with |- context [power a (y * x)] =>
    lazymatch x with y => fail | _ => rewrite (Rmult_comm x y) end end end.
(* powers of one positive number as exponentials, where the number may stand elsewhere *)
Ltac heads_exp b how := let K := fresh in assert (K : 0 < b) by how; let l := fresh "l" in let H := fresh in let E := fresh in
  destruct (exp_of b K) as [l H]; assert (E : forall x, power b x = exp (x * l)) by (intro; rewrite H at 1; apply power_exp);
  clear H K; rewrite ?E; clear E.
