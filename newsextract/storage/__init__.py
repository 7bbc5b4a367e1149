"""Articles in databases: the schema, and how rows are written."""
