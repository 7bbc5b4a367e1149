"""The steps from the tables of one version to those of the next, a file each, for Alembic.

A change of `newsextract.storage.schema` needs a step here, and its number in `migrating.REVISIONS`.
A step that was released is never changed. It may be repeated: MySQL cannot take back a step that was interrupted.
"""
