"""Tests of windowed/: state from window to window, without Spark. The table of cases:

    what                                                            where
    a state's store: StateContract on StorageState                  test_contract.py
    replace, change, unchanged: rows, keys, columns                 test_changes.py
    what a transform may return, and a state's key                  test_results.py
    arguments of a pipeline with state, its places                  test_arguments.py
    who is called when, in a window and at an end                   test_order.py
    when a checkpoint is made; nothing that grows                   test_checkpoints.py
    windows that fail: retries, errors of transform and sink        test_failures.py
    own loop, preview, read_window                                  test_looking.py
    a replay: crash, sinks apart, older backups                     test_replay.py
    who is told of a replay, and in which order                     test_told.py
    damaged and lost checkpoints, other columns                     test_damage.py
    one fault at every operation, power cuts                        test_faults.py
    a crash at every moment                                         test_crash.py
    two drivers, and one that was paused                            test_rivals.py
    a random life against a model                                   test_life.py

`world.py` is what they share: words to count, with the count of a word in the state.
"""
