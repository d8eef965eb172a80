"""Lines in, the same lines out, in order, whatever instruction the driver dies at."""

from samples.passthrough.copying import build, written

__all__ = ["build", "written"]
