"""Reads pages and site files outside the reactor: in worker processes that can be killed, or in one thread."""
