"""Learn a site's page groups, with their template and usual places, as its pages arrive; kept between runs."""
