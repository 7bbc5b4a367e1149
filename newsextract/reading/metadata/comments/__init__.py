"""Read the comments of readers below an article: those that JSON-LD declares, and those that the page shows."""
