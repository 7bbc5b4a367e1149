"""Find dates on a page, parse them in many languages, and check them."""
