"""A connection by URL, the thread that does all writing, and statements in the dialect of each database."""
