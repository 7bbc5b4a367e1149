"""The tables of a data set: their columns, and the rows of articles and of records."""
