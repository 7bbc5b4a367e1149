"""The commands that newsextract adds to `scrapy`.

In: arguments, options and the project's settings. Out: text or JSON on standard output, files, and an exit code.
"""

from __future__ import annotations

from newsextract.interrupts import end_quietly

end_quietly()
