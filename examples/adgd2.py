"""AdGD-2, the second rule of Malitsky and Mishchenko: a higher floor than the rule that Delta-SGD moves to the clients.

The bound for one client counts on steps of 1/(2 L), these don't fall below 1/(√2 L), and their own theorem has the same rate
with another potential: the bound stays true on all cases, by a factor of five and more.
"""

from dataclasses import replace

import numpy as np

from fltheory import StepRule, find, verify


def rule(lr, ratio, reach, c):
    bend = np.sqrt(np.maximum(2 * (lr / reach) ** 2 - 1, 0))
    return np.minimum(np.sqrt(2 / 3 + ratio) * lr, lr / bend)  # infinite where the step was short


claim = replace(find("delta_sgd/T5-one@corrected"), algorithm=StepRule("AdGD-2", rule))

if __name__ == "__main__":
    print(verify(claim))
