"""The rules of one site, written by people: where body, headline, authors and date are, and what is not text."""
