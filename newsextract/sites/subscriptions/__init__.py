"""A reader's own subscription to a site: what `sites.yml` says of it, and the secrets that it names.

`sites.yml` names secrets, as in `${NAME}`; their values come from the environment or from a file of secrets.
"""
