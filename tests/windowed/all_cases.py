"""One way at least into each row of the recovery table."""

from tests.windowed.log_cases import LOG_CASES
from tests.windowed.state_cases import STATE_CASES
from tests.windowed.wiring_cases import WIRING_CASES

CASES = [*LOG_CASES, *WIRING_CASES, *STATE_CASES]
