"""Sweeps: many scenarios, towers or games under many parameters, to Parquet; resumable, on cores or on a cluster."""
