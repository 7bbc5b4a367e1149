"""Read schema.org metadata from JSON-LD and microdata, and choose the nodes about the article."""
