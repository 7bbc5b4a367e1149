"""What pages say about their articles: one source a file, merged field by field with its provenance."""

from newsextract.metadata.fields import Author, Breadcrumb, Image, LiveUpdate, Metadata, UsageRights
from newsextract.metadata.precedence import PRECEDENCE, BadPrecedence, with_overrides
from newsextract.metadata.reading import read_metadata
from newsextract.metadata.titles.title_memory import TitleMemory

__all__ = [
    "PRECEDENCE", "Author", "BadPrecedence", "Breadcrumb", "Image", "LiveUpdate", "Metadata", "TitleMemory",
    "UsageRights", "read_metadata", "with_overrides",
]  # fmt: skip
