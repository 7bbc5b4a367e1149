"""The parts of FastWARC that read archives here: Brotli and Zstandard. Without it, how to install it."""

try:
    from fastwarc.stream_io import BrotliReader, ZstdReader
except ImportError as error:
    raise ImportError(
        f"WARC files are read by FastWARC ({error}): pip install 'newsextract[archive]'", name="fastwarc"
    ) from error

__all__ = ["BrotliReader", "ZstdReader"]
