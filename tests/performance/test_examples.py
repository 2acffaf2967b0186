"""The files of ``examples/performance``: their worst values are proved, and about those that PEPit or AutoLyap gives in floats."""

import runpy
from pathlib import Path

import pytest

from fltheory.performance import why_not_proved

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "performance"
# PEPit 0.5 with Clarabel; an example on which it is off by more than a millionth, or no upper value is proved, stands below.
# The linear rates are those of AutoLyap 0.2.1 with Clarabel for the same Lyapunov functions; test_linear_rates.py has their bounds.
VALUES = (
    ("adaptive_methods/polyak_steps_in_distance_to_optimum", 0.669421488),
    ("adaptive_methods/polyak_steps_in_function_value", 0.669421442),
    ("composite_convex_minimization/accelerated_douglas_rachford_splitting", 0.192914818),
    ("composite_convex_minimization/accelerated_proximal_gradient", 0.051673293),
    ("composite_convex_minimization/accelerated_proximal_gradient_simplified", 0.0526315819),
    ("composite_convex_minimization/bregman_proximal_point", 0.0666666667),
    ("composite_convex_minimization/douglas_rachford_splitting", 0.0626886636),
    ("composite_convex_minimization/douglas_rachford_splitting_contraction", 0.350127822),
    ("composite_convex_minimization/frank_wolfe", 0.146212466),
    ("composite_convex_minimization/no_lips_in_function_value", 0.333333333),
    ("composite_convex_minimization/proximal_gradient", 0.656100003),
    ("composite_convex_minimization/proximal_gradient_quadratics", 0.6561),
    ("continuous_time_models/accelerated_gradient_flow_convex", 0),
    ("continuous_time_models/accelerated_gradient_flow_strongly_convex", -0.300000008),
    ("continuous_time_models/gradient_flow_convex", 0),
    ("continuous_time_models/gradient_flow_strongly_convex", -0.200000059),
    ("fixed_point_problems/halpern_iteration", 0.0400000025),
    ("fixed_point_problems/krasnoselskii_mann_constant_step_sizes", 0.140624999),
    ("fixed_point_problems/krasnoselskii_mann_increasing_step_sizes", 0.119633711),
    ("fixed_point_problems/optimal_contractive_halpern_iteration", 0.0612227306),
    ("inexact_proximal_methods/accelerated_inexact_forward_backward", 0.114490274),
    ("inexact_proximal_methods/partially_inexact_douglas_rachford_splitting", 0.602018639),
    ("inexact_proximal_methods/relatively_inexact_proximal_point_algorithm", 0.0130258022),
    ("linear_rates/chambolle_pock", 0.666666654),
    ("linear_rates/chambolle_pock_lyapunov", 0.640001114),
    ("linear_rates/davis_yin", 0.639999958),
    ("linear_rates/douglas_rachford", 0.444444319),
    ("linear_rates/extragradient", 0.797453166),
    ("linear_rates/forward", 0.749999974),
    ("linear_rates/gradient", 0.722499999),
    ("linear_rates/heavy_ball", 0.401069916),
    ("linear_rates/nesterov_constant", 0.542901548),
    ("linear_rates/proximal_point", 0.249999991),
    ("linear_rates/triple_momentum", 0.444444444),
    ("linear_rates/tseng", 0.690764353),
    ("low_dimensional_worst_cases_scenarios/alternate_projections", 0.0490869903),
    ("low_dimensional_worst_cases_scenarios/averaged_projections", 0.154968196),
    ("low_dimensional_worst_cases_scenarios/dykstra", 0.0655031947),
    ("low_dimensional_worst_cases_scenarios/frank_wolfe", 0.146212466),
    ("low_dimensional_worst_cases_scenarios/gradient_descent", 0.266666667),
    ("low_dimensional_worst_cases_scenarios/halpern_iteration", 0.0400000025),
    ("low_dimensional_worst_cases_scenarios/optimized_gradient", 0.0767518286),
    ("low_dimensional_worst_cases_scenarios/proximal_point", 0.0669795964),
    ("monotone_inclusions_variational_inequalities/accelerated_proximal_point", 0.0400000016),
    ("monotone_inclusions_variational_inequalities/douglas_rachford_splitting", 0.928770695),
    ("monotone_inclusions_variational_inequalities/douglas_rachford_splitting_2", 0.914530117),
    ("monotone_inclusions_variational_inequalities/optimal_strongly_monotone_proximal_point", 0.0268296206),
    ("monotone_inclusions_variational_inequalities/optimistic_gradient", 0.16966866),
    ("monotone_inclusions_variational_inequalities/proximal_point", 0.081920002),
    ("monotone_inclusions_variational_inequalities/three_operator_splitting", 0.779689002),
    ("nonconvex_optimization/difference_of_convex_algorithm", 0.698644857),
    ("nonconvex_optimization/gradient_descent", 0.266666667),
    ("nonconvex_optimization/gradient_descent_quadratic_lojasiewicz_naive", 0.727272733),
    ("nonconvex_optimization/no_lips_1", 0.333333335),
    ("nonconvex_optimization/no_lips_2", 0.333333333),
    ("online_learning/online_follow_leader", 2.68252199),
    ("online_learning/online_follow_regularized_leader", 1.73205081),
    ("online_learning/online_frank_wolfe", 3.41695021),
    ("online_learning/online_gradient_descent", 1.73205082),
    ("potential_functions/accelerated_gradient_method", 0),
    ("potential_functions/gradient_descent_lyapunov_1", 0),
    ("potential_functions/gradient_descent_lyapunov_2", 0),
    ("stochastic_and_randomized_convex_minimization/point_saga", 0.934652859),
    ("stochastic_and_randomized_convex_minimization/randomized_coordinate_descent_smooth_convex", 1),
    ("stochastic_and_randomized_convex_minimization/randomized_coordinate_descent_smooth_strongly_convex", 0.834710758),
    ("stochastic_and_randomized_convex_minimization/saga", 0.961538462),
    ("stochastic_and_randomized_convex_minimization/sgd", 5.04165231),
    ("stochastic_and_randomized_convex_minimization/sgd_overparametrized", 0.810000005),
    ("tutorials/gradient_descent_contraction", 0.377149517),
    ("unconstrained_convex_minimization/accelerated_gradient_convex", 0.0468332361),
    ("unconstrained_convex_minimization/accelerated_gradient_convex_simplified", 0.0357142859),
    ("unconstrained_convex_minimization/accelerated_gradient_strongly_convex", 0.347602232),
    ("unconstrained_convex_minimization/accelerated_proximal_point", 0.0159311494),
    ("unconstrained_convex_minimization/conjugate_gradient", 0.0618941835),
    ("unconstrained_convex_minimization/conjugate_gradient_qg_convex", 0.100000002),
    ("unconstrained_convex_minimization/cyclic_coordinate_descent", 0.3076923),
    ("unconstrained_convex_minimization/epsilon_subgradient_method", 1.07430976),
    ("unconstrained_convex_minimization/gradient_descent", 0.0555555558),
    ("unconstrained_convex_minimization/gradient_descent_qg_convex", 0.192307693),
    ("unconstrained_convex_minimization/gradient_descent_qg_convex_decreasing", 0.105547388),
    ("unconstrained_convex_minimization/gradient_descent_quadratics", 0.0649571538),
    ("unconstrained_convex_minimization/gradient_descent_silver_stepsize_convex", 0.0184215426),
    ("unconstrained_convex_minimization/gradient_descent_silver_stepsize_strongly_convex", 0.138012268),
    ("unconstrained_convex_minimization/gradient_exact_line_search", 0.4481251),
    ("unconstrained_convex_minimization/heavy_ball_momentum", 0.77000623),
    ("unconstrained_convex_minimization/heavy_ball_momentum_qg_convex", 0.0833333365),
    ("unconstrained_convex_minimization/inexact_accelerated_gradient", 0.0393878414),
    ("unconstrained_convex_minimization/inexact_gradient_descent", 0.518916691),
    ("unconstrained_convex_minimization/inexact_gradient_exact_line_search", 0.518916622),
    ("unconstrained_convex_minimization/information_theoretic_exact_method", 0.193219325),
    ("unconstrained_convex_minimization/optimized_gradient", 0.0767518286),
    ("unconstrained_convex_minimization/optimized_gradient_for_gradient", 0.307007308),
    ("unconstrained_convex_minimization/proximal_point", 0.0208333372),
    ("unconstrained_convex_minimization/subgradient_method", 0.755928948),
    ("unconstrained_convex_minimization/subgradient_method_rsi_eb", 0.96059601),
    ("unconstrained_convex_minimization/triple_momentum", 0.175582994),
)
UNPROVED = [
    "composite_convex_minimization/improved_interior_algorithm",
    "composite_convex_minimization/three_operator_splitting",
    "fixed_point_problems/inconsistent_halpern_iteration",
    "linear_rates/malitsky_tam",
    "low_dimensional_worst_cases_scenarios/inexact_gradient",
    "monotone_inclusions_variational_inequalities/past_extragradient",
    "unconstrained_convex_minimization/gradient_descent_lc",
    "unconstrained_convex_minimization/robust_momentum",
]
# Its instances have a matrix too near to singular to be rounded.
UNATTAINED = {"unconstrained_convex_minimization/gradient_descent_quadratics"}


@pytest.fixture(autouse=True)
def solver():
    pytest.importorskip("clarabel")


@pytest.mark.parametrize(("name", "value"), VALUES, ids=[name for name, _ in VALUES])
def test_a_worst_value_is_proved_and_about_that_of_pepit(name, value):
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))["worst"]
    assert why_not_proved(found) is None
    near = 3e-6 * max(1, abs(value))
    assert abs(float(found.upper) - value) < near
    if found.only_upper is None and name not in UNATTAINED:
        assert found.lower <= found.upper
        assert abs(float(found.lower) - value) < near


def test_every_example_is_checked_or_named():
    files = {str(path.relative_to(EXAMPLES).with_suffix("")) for path in EXAMPLES.glob("*/*.py")}
    assert files == {*UNPROVED, *(name for name, _ in VALUES)}


def test_examples_are_as_short_as_those_of_pepit():
    for path in EXAMPLES.glob("*/*.py"):
        _, problem = path.read_text(encoding="utf-8").split("\n\np = Problem()")
        assert 1 + sum(1 for line in problem.splitlines() if line.strip()) <= 12, path
