"""The load `executors`: Spark's tasks write a window's rows as Parquet files into a folder that
they share with the driver; the transaction takes them from there, and the driver's memory stays
small.

    source.py   what runs in the tasks: sent to them by value
    stores.py   where they put the files: a shared folder, or HDFS
    on_hdfs.py  a spool on HDFS, as the driver sees it
    files.py    which files are a window's rows: exactly those that the tasks counted
    folders.py  where they are, and when they go
    save.py     the Spark job
"""
