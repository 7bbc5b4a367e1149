"""The measures of the field, a family a file: pure functions of what was kept and what should have been."""
