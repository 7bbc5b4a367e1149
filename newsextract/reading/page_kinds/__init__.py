"""What kind of page a page is: an article, a listing, or something else."""
