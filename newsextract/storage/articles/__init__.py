"""Articles as rows, and pages as they were fetched."""
