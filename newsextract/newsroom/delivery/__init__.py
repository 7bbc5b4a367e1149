"""News that leaves the house: what a message is, and the targets that get it."""
