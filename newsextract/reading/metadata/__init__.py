"""What pages say about their articles: one source a file, merged field by field with its provenance."""

from newsextract.reading.metadata.metadata_fields import Metadata
from newsextract.reading.metadata.metadata_reader import read_metadata
from newsextract.reading.metadata.precedence import PRECEDENCE, BadPrecedence, with_overrides

__all__ = ["PRECEDENCE", "BadPrecedence", "Metadata", "read_metadata", "with_overrides"]
