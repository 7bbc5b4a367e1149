"""What the extractor `template` makes of whole sites: groups, measures, and a map."""
