"""What differs between two versions of an article, and what of that is worth telling: pure functions on texts."""
