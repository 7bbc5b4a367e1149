"""The extractors, an algorithm a file; they never import each other, and compose by name through the registry."""
