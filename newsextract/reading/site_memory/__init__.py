"""What is learned of a site as its pages arrive: its page groups, their template, their places; kept between runs."""
