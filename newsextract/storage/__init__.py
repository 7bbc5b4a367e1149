"""Articles in databases: the tables and their migrations, how rows are written, and how they are found."""
