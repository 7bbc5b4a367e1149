"""Subscriptions in a crawl: what is sent to which host, and logging in when a session begins or has ended."""
