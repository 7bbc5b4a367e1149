"""The extractors, one algorithm per file. They never import each other; they are combined by name in the registry."""
