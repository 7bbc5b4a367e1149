"""Report the results of an evaluation in the terminal, as Markdown and as one HTML page."""
