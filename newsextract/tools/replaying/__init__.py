"""Kept pages read again, and what would change in the database if they were stored as they read now."""
