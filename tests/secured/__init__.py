"""HDFS where it trusts nobody: tokens, https and Kerberos, on real servers."""
