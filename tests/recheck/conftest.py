"""As the kernel's tests do, each of these begins with nothing worked out."""

from tests.kernel.conftest import _afresh

__all__ = ["_afresh"]
