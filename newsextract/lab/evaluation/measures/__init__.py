"""The measures of the field, one family per file: pure functions of the kept text and the gold."""
