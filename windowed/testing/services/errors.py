"""The errors of the service starters.

KitError
├── ServiceUnavailable  WD19  this machine lacks what a service needs: Java, its jars
└── ServiceFailed       WD20  a daemon ended, or did not answer in time
"""

from __future__ import annotations

from windowlog.errors import KitError


class ServiceUnavailable(KitError):
    """{service} cannot be started on this machine: {reason}. {remedy} Nothing was left running."""

    code = "WD19"


class ServiceFailed(KitError):
    """The {daemon} {reason}. Its log is {log}; the last lines are: {lines}"""

    code = "WD20"
