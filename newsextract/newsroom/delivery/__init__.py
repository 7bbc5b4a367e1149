"""Delivery: the messages about new articles, revisions and matches, and the targets they are sent to.

In: what an article's storage changed, and the outbox. Out: messages at brokers, webhooks, Atom feeds and files.
"""
