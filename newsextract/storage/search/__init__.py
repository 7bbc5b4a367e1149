"""Articles by the words they hold."""
