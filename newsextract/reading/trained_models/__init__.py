"""What the models of blocks and of pages share: boosted trees, and the weights that come with the package."""
