"""Send messages about new articles, revisions and matches to the delivery targets.

In: the changes of each storage transaction, and the outbox. Out: messages to brokers, webhooks, Atom feeds and files.
"""
