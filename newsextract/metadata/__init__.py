"""What pages say about their articles: one source a file, merged field by field with its provenance."""

from newsextract.metadata.fields import Author, Breadcrumb, Image, Metadata
from newsextract.metadata.reading import PRECEDENCE, read_metadata

__all__ = ["PRECEDENCE", "Author", "Breadcrumb", "Image", "Metadata", "read_metadata"]
