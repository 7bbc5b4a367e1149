"""The trained block classifier behind `auto`: features, inference on numpy, weights. See docs/model-card.md."""
