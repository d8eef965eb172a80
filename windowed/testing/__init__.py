"""What tests of your own pipelines, inputs, sinks and storages use. Needs the extra `testing`."""

from windowed.testing.clock import ManualClock
from windowed.testing.crash import Crash, crash_everywhere
from windowed.testing.faulty import Fault, FaultyStorage, every_fault
from windowed.testing.forgetful import ForgetfulStorage
from windowed.testing.input_contract import InputContract
from windowed.testing.list_sink import ListSink, ListStore
from windowed.testing.rows import CRASH, RowsInput
from windowed.testing.sink_contract import SinkContract
from windowed.testing.state_contract import StateContract
from windowed.testing.storage_contract import StorageContract
from windowed.testing.storage_state import StorageState

__all__ = [
    "CRASH",
    "Crash",
    "Fault",
    "FaultyStorage",
    "ForgetfulStorage",
    "InputContract",
    "ListSink",
    "ListStore",
    "ManualClock",
    "RowsInput",
    "SinkContract",
    "StateContract",
    "StorageContract",
    "StorageState",
    "crash_everywhere",
    "every_fault",
]
