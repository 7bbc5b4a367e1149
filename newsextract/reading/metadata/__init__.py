"""Read a page's metadata: one file for each source, merged field by field, with the source of each value."""

from newsextract.reading.metadata.field_rules import PRECEDENCE, BadPrecedence, with_overrides
from newsextract.reading.metadata.findings import Metadata
from newsextract.reading.metadata.metadata_reader import read_metadata

__all__ = ["PRECEDENCE", "BadPrecedence", "Metadata", "read_metadata", "with_overrides"]
