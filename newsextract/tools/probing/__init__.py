"""What one look at a site tells: how it is read best, and what stands in the way."""
