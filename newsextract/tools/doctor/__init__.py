"""What is wrong with an installation, a project or its surroundings, what to do about it: behind `scrapy doctor`."""
