"""URLs to stay away from: traps without end, and addresses of private networks."""
