"""Every page of some corpora before every extractor: answers, times, scores, and the results as one value."""
