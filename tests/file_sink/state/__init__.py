"""FileState: the state of a pipeline as Parquet files.

| case | what happens | tests |
|---|---|---|
| totals over several runs | as counted by hand; two checkpoints stay | spark |
| a driver dies before and after everything | the same totals | spark, hdfs |
| a task without rows; a path like `day=1` | no file is missed, no column made up | spark |
| put, delete, NULL and NaN as keys, no row left | as dicts of Python have it | changes |
| a key put twice; other columns or types | WrongOutputs; the next run goes on | changes |
| every type of column | the same values after a restart | types |
| a file is gone, cut, or one bit of it changed | the older checkpoint is used | damage |
| executors write what the driver does not see | CountsDiffer; no checkpoint | damage |
| arguments that cannot be | BadArgument, FrameUnsuitable | settings |
| HDFS: answers lost, a name node restarted | made good, or the next run goes on | hdfs |
| the contract | on this machine and on HDFS | contract |
"""
