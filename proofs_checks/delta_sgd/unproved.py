"""Claims that no theorem decides, each with what is in the way: there are none."""

from __future__ import annotations

WHY: dict[str, str] = {}
