from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.page.charset import decode
from newsextract.page.page import Page

FRENCH = "Le maire de la ville a été réélu dimanche dès le premier tour, à la surprise générale. Où étaient les élus ?"
POLISH = (
    "Premier ogłosił wczoraj, że rząd podwyższy płace nauczycieli. Związki żądają jednak więcej pieniędzy na szkoły."
)
RUSSIAN = "Вчера в столице прошёл сильный дождь, и многие улицы оказались под водой. Жители ждут помощи от города."
GREEK = "Η κυβέρνηση ανακοίνωσε χθες νέα μέτρα για την οικονομία. Οι πολίτες περιμένουν τις αποφάσεις της βουλής."
ARABIC = "أعلنت الحكومة أمس عن خطة جديدة لدعم التعليم في المدن الصغيرة. ويرى المعلمون أن الخطة غير كافية."
CHINESE = (
    "昨天下午北京下了一场大雨，许多街道被水淹没。市政府表示，今天将派出更多工人清理道路。居民们希望交通早日恢复正常。"
)
TAIWANESE = (
    "昨天下午臺北下了一場大雨，許多街道被水淹沒。市政府表示，今天將派出更多工人清理道路。居民們希望交通早日恢復正常。"
)
JAPANESE = "昨日の午後、東京で大雨が降り、多くの道路が水に浸かりました。市は今日、作業員を増やすと発表しました。"
KOREAN = "어제 오후 서울에 큰비가 내려 많은 도로가 물에 잠겼습니다. 시는 오늘 더 많은 인력을 보내겠다고 밝혔습니다."

CHARSETS = {
    "utf-8": RUSSIAN,
    "windows-1252": FRENCH,
    "iso-8859-1": FRENCH,
    "iso-8859-2": POLISH,
    "windows-1250": POLISH,
    "windows-1251": RUSSIAN,
    "koi8-r": RUSSIAN,
    "iso-8859-7": GREEK,
    "windows-1253": GREEK,
    "windows-1256": ARABIC,
    "gb2312": CHINESE,
    "gb18030": CHINESE,
    "gbk": CHINESE,
    "big5": TAIWANESE,
    "shift_jis": JAPANESE,
    "euc-jp": JAPANESE,
    "euc-kr": KOREAN,
}
DETECTED = ("utf-8", "windows-1251", "koi8-r", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "windows-1256")


def written(text: str, charset: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body><p>{text}</p></body></html>".encode(charset)


def read(body: bytes, http: str | None = None) -> str:
    (block,) = Page(body, charset=http).blocks
    return block.text


@pytest.mark.parametrize(("charset", "text"), CHARSETS.items(), ids=CHARSETS)
def test_reads_what_http_declares(charset: str, text: str) -> None:
    assert read(written(text, charset), charset) == text


@pytest.mark.parametrize(("charset", "text"), CHARSETS.items(), ids=CHARSETS)
@pytest.mark.parametrize(
    "meta", ["<meta charset={}>", "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset={}'>"]
)
def test_reads_what_meta_declares(charset: str, text: str, meta: str) -> None:
    assert read(written(text, charset, meta.format(charset))) == text


@pytest.mark.parametrize("charset", DETECTED)
def test_detects_what_nothing_declares(charset: str) -> None:
    assert read(written(CHARSETS[charset] * 8, charset)) == CHARSETS[charset] * 8


@pytest.mark.parametrize(
    ("mark", "charset"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
@pytest.mark.parametrize("http", [None, "iso-8859-1", "koi8-r"])
def test_a_byte_order_mark_goes_before_all(mark: bytes, charset: str, http: str | None) -> None:
    body = mark + written(RUSSIAN, charset, "<meta charset=windows-1251>")
    assert (read(body, http), decode(body, http).source) == (RUSSIAN, "bom")


def test_http_goes_before_meta() -> None:
    body = written(RUSSIAN, "windows-1251", "<meta charset=koi8-r>")
    assert (read(body, "windows-1251"), decode(body, "windows-1251").source) == (RUSSIAN, "http")


def test_meta_goes_before_detection() -> None:
    body = written("Cześć", "iso-8859-2", "<meta charset=iso-8859-2>")
    assert (read(body), decode(body).source) == ("Cześć", "meta")


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_http_may_say_utf_16_of_either_byte_order(charset: str) -> None:
    assert read(written(RUSSIAN, charset), "utf-16") == RUSSIAN


@pytest.mark.parametrize("wrong", ["iso-8859-1", "windows-1252", "koi8-r", "gb2312", "shift_jis", "us-ascii"])
def test_utf_8_labelled_as_something_else_is_read_as_utf_8(wrong: str) -> None:
    assert read(written(FRENCH, "utf-8"), wrong) == FRENCH
    assert read(written(FRENCH, "utf-8", f"<meta charset={wrong}>")) == FRENCH


def test_another_charset_labelled_utf_8_is_not_believed() -> None:
    assert "\ufffd" not in read(written(FRENCH * 4, "windows-1252"), "utf-8")
    assert read(written(FRENCH, "windows-1252", "<meta charset=windows-1252>"), "utf-8") == FRENCH
    assert read(written(RUSSIAN * 4, "windows-1251", "<meta charset=utf-8>")) == RUSSIAN * 4


UNKNOWN = ("", "none", "x-unknown", "utf8mb4", "\x00", "charset", "a b", "é", "replacement", "x-user-defined")
NOT_FOR_PAGES = (
    "rot13 idna punycode undefined hex base64 zip bz2 uu quopri unicode_escape raw_unicode_escape charmap mbcs oem "
    "utf-7 cp037 cp500 utf_8_sig"
).split()


@pytest.mark.parametrize("label", [*UNKNOWN, *NOT_FOR_PAGES])
def test_what_labels_no_charset_of_pages_is_passed_over(label: str) -> None:
    for body, text in ((written(FRENCH, "utf-8"), FRENCH), (written(RUSSIAN * 8, "windows-1251"), RUSSIAN * 8)):
        assert read(body, label) == text
        assert decode(body, label).source in {"content", "detection"}
    assert read(written(FRENCH, "utf-8", f"<meta charset='{label}'>")) == FRENCH


@pytest.mark.parametrize("label", NOT_FOR_PAGES)
def test_such_a_label_spoils_no_page_in_ascii(label: str) -> None:
    assert read(written("Plain words, -a- and \\x41", "ascii"), label) == "Plain words, -a- and \\x41"


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("http", ["utf-8", None, "iso-8859-1"])
def test_a_page_that_stops_inside_a_character_keeps_its_charset(lost: int, http: str | None) -> None:
    body = "<p>It’s “late”…".encode()[:-lost]
    assert read(body, http).startswith("It’s “late”")


def test_a_few_broken_bytes_do_not_change_the_charset() -> None:
    body = "<p>It’s “late” in the caf".encode() + b"\xe9 today"
    assert read(body, "utf-8") == "It’s “late” in the caf\ufffd today"


def test_nuls_are_survived() -> None:
    assert read("<p>ca\x00fé</p>".encode() + b" " * 20) == "café"
    assert [block.text for block in Page("<p>ca\x00fé</p>").blocks] == ["café"]


@pytest.mark.parametrize("declared", ["utf-16", "iso-8859-1", "x", "UTF-8"])
def test_an_xml_declaration_is_survived(declared: str) -> None:
    xml = f'<?xml version="1.0" encoding="{declared}"?>\n<!DOCTYPE html><html><body><p>{FRENCH}</p></body></html>'
    assert [block.text for block in Page(xml).blocks] == [FRENCH]
    assert read(xml.encode()) == FRENCH


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from(
        [None, "utf-8", "utf-16", "utf-7", "gb2312", "iso-2022-jp", "big5", "cp037", "punycode", "latin-1"]
    ),
)
def test_never_raises(body: bytes, http: str | None) -> None:
    assert isinstance(decode(body, http).text, str)
