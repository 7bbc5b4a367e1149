"""What is left to visit on one site, and when to visit it again."""
