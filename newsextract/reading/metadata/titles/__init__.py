"""Find the headline on the page, and remove what the site adds to it."""
