"""What the page, its server and its site allow: text and data mining, robots, the paywall."""
