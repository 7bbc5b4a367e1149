"""Why an extractor cannot be made; importing it loads no extractor."""

from __future__ import annotations


class UnknownExtractor(ValueError):  # noqa: N818 - the name says that it is an error
    """No extractor has this name; the message lists the names."""


class ExtractorUnavailable(UnknownExtractor):
    """The extractor needs a package that is not installed; the message says how to install it."""


class BadExtractorOption(ValueError):  # noqa: N818 - the name says that it is an error
    """The extractor has no such option, or the option cannot have this value."""


class UnknownOption(BadExtractorOption):
    """The extractor has no option of this name; the message lists its options."""
