"""Run every extractor on every page of some corpora: answers, times, scores, and the results as one value."""
