"""Write selected blocks as plain text, clean HTML or Markdown: one renderer for all extractors."""
