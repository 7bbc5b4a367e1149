"""Selected blocks as plain text, clean HTML and Markdown: one renderer for all extractors."""
