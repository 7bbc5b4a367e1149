"""What describes a data set beside its tables: a card for people and the Hugging Face Hub, and Croissant metadata.

In: a folder of Parquet files, and the counts of the run that made it. Out: `README.md` and `croissant.json`.
"""
