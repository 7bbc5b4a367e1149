"""Read the lines that say who made an article and as what: a reporter signs it, an editor does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from newsextract.reading.metadata.chinese_names import first_names

if TYPE_CHECKING:
    from collections.abc import Iterable


class Credits(NamedTuple):
    """The persons named in the credits of a Chinese page."""

    reporters: tuple[str, ...] = ()
    """Of the first line that names one."""
    helpers: frozenset[str] = frozenset()
    """Editors, proof-readers and translators."""


_REPORTER = r"记者|記者|撰稿人?|撰文|通讯员|通訊員|特派员|实习生|采写|作者|(?:文字?|文本)(?=\s?[:：/／|｜丨])"
_HELPER = (
    r"责任编辑|責任編輯|编辑|編輯|责编|責編|主编|主編|总编|编审|审核|审校|校对|校對|监制|出品|策划|统筹|制作|制图|摄影|攝影"
    r"|视频|翻译|翻譯|编译|編譯|来源|來源|(?:图片?|圖片?)(?=\s?[:：/／|｜丨])|责任校对|参与记者|参与采写"
)
_ROLE = re.compile(rf"(?:(?P<helper>{_HELPER})|(?P<reporter>{_REPORTER}))[\s\u3000:：/／|｜丨]*")
_OF_PICTURES = re.compile(r"[摄攝图圖]|视频")
_CREDIT = re.compile(rf"{_HELPER}|{_REPORTER}|[电電讯訊]\s?[（(]")
"""What every line with a credit has."""

_MAX_CHARS = 80
"""The longest line of credits."""
_BEFORE = re.compile(r"^[\s\u3000■□▲●◎【\[（(《“\"/／|]*(?:[^\s，。！？；：:、,]{0,14}[\s\u3000/／|]*)?$")
"""What may come before the first role of a line: brackets and the outlet's name."""
_AFTER = re.compile(
    r"^(?:[\s\u3000）)】\]/／|]*|(?:\S{2,6}\s?)?(?:报道|報導|報道|发自\S{0,8}|[摄文攝/／]).{0,12}|[（(].{0,20}"
    r"|[A-Z]{1,3}\d{2,4}\W*|\d.*|分享.*|\S{2,6})$"
)
"""What may follow the last name: a place, a number in the house, the date, links to share."""
_DATELINE = re.compile(r"[（(]([^（()）]{2,40})[)）]")
_WIRED = re.compile(r"[^\s，。]{1,30}[电電讯訊]\s?")
"""What stands before the reporter where a story begins: the house, the place and the day. Teasers begin with a title."""
_TRAINEE = re.compile(r"[（(]实习\S{0,2}[)）]")
"""What a name is, in brackets behind it."""
_DATE = re.compile(r"20\d\d\s?[-年/.]\s?\d")


def read_credits(lines: Iterable[str]) -> Credits:
    """Return who is named in the credits of a page.

    >>> read_credits(["新京报记者 王小明 编辑 李红 校对 张三"])[0]
    ('王小明',)
    """
    reporters: tuple[str, ...] = ()
    helpers: set[str] = set()
    for line in lines:
        if (len(line) <= _MAX_CHARS or "(" in line or "（" in line) and _CREDIT.search(line):
            signing, helping = _line_credits(line)
            reporters = reporters or tuple(signing)
            helpers.update(helping)
    return Credits(reporters, frozenset(helpers.difference(reporters)))


def is_dated_signature(line: str) -> bool:
    """Return whether a line is the row under a headline, of reporter and date, rather than text.

    >>> is_dated_signature("临江晚报 记者 方静怡 2026年11月20日 分享到微博"), is_dated_signature("新华社记者 施春")
    (True, False)
    """
    return len(line) <= _MAX_CHARS and _DATE.search(line) is not None and bool(_by_roles(line)[0])


def _line_credits(line: str) -> tuple[list[str], list[str]]:
    """Return the reporters and the helpers whom one line names."""
    if len(line) <= _MAX_CHARS:
        found = _by_roles(line)
        if any(found):
            return found
    signing, helping = [], []
    for bracket in _DATELINE.finditer(line):
        is_dateline = _WIRED.fullmatch(line[: bracket.start()]) is not None
        if is_dateline or bracket.end() == len(line.rstrip("。 ")):
            inside = bracket[1].strip()
            some, others = _by_roles(inside)
            signing += [*(first_names(inside)[0] if is_dateline else []), *some]
            helping += others
    return signing, helping


def _by_roles(line: str) -> tuple[list[str], list[str]]:
    line = _TRAINEE.sub("", line)
    roles = list(_ROLE.finditer(line))
    signing: list[str] = []
    helping: list[str] = []
    if not roles or not _BEFORE.match(line[: roles[0].start()]):
        return signing, helping
    for role, after in zip(roles, [*roles[1:], None], strict=True):
        segment = line[role.end() : after.start() if after else len(line)].strip("\u3000 ）)】]")
        names, rest = first_names(re.split(r"[|｜丨/／]", segment)[0])
        if after is None and not _AFTER.match(rest):
            return [], []
        if not _OF_PICTURES.match(role[0]):  # whoever took the picture may have written, too
            (helping if role["helper"] else signing).extend(names)
    return signing, helping
