"""Watch rules: named boolean queries that an article is matched against as it is stored."""
