"""A made-up newsroom of four sites on two days, as files, for the first run and for tests; not part of the package."""
