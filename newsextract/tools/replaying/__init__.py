"""Read kept pages again, and report what would change in the database."""
