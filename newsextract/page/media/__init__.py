"""Find what an article shows beside its text and its images: videos, recordings, and embeds of other sites."""
