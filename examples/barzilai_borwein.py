"""The step of Barzilai and Borwein: |x - x'|/|g - g'|, the geometric mean of their two, with no cap on its growth.

Far out on log-cosh clients the gradient hardly changes and the step is huge: the point swings from side to side and falls
into a cycle, so that V_t, which the rule of Delta-SGD never lets rise, rises. On a quadratic it doesn't.
"""

from dataclasses import replace

import numpy as np

from fltheory import StepRule, find, verify


def rule(lr, ratio, reach, c):
    return np.where(np.isfinite(reach), reach, lr)


claim = replace(find("delta_sgd/V-one@corrected"), algorithm=StepRule("Barzilai-Borwein", rule))

if __name__ == "__main__":
    print(verify(claim))
