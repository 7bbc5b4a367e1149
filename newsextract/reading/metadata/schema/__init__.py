"""schema.org: JSON-LD and microdata, and which of their nodes speak of the article."""
