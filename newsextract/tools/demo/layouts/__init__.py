"""The three layouts of the demo sites, one a file, and what they are given to lay out."""
