"""The headline: where it stands, and what the site adds to it."""
