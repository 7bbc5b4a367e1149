"""What the pages are made of: words in several scripts, dates, names, addresses, and strings that have hurt parsers."""

from __future__ import annotations

WORDS = (
    "the rain in Spain stays mainly plain and nobody was hurt said mayor of river Monday le maire a été réélu dès "
    "der Regen fällt in den Bergen дождь прошёл вчера в столице 昨天下午北京下了一场大雨 許多街道被水淹沒 "
    "昨日の午後東京で 어제 오후 서울에 أعلنت الحكومة أمس عن خطة הגשם ירד אתמול ฝนตกหนักเมื่อวาน बारिश हुई "
    "Η κυβέρνηση ανακοίνωσε 1,200 42 %"
).split()

MARKS = (
    ".", ". ", ", ", "; ", ": ", "! ", "? ", "。", "，", "… ", "“", "”", "'", '"', " – ", " | ", " (", ") ", "؟ ",
    "। ",
)  # fmt: skip

DATES = (
    "2024-05-14", "2024-05-14T10:00:00Z", "2024-05-14T10:00:00+02:00", "14 May 2024", "May 14, 2024 10:00 a.m.",
    "14.05.2024, 10:00 Uhr", "le 14 mai 2024 à 10h00", "14 мая 2024", "2024年5月14日 10:00", "١٤ مايو ٢٠٢٤",
    "05/14/2024", "14/05/24", "yesterday", "vor 3 Stunden", "0000-00-00", "9999-12-31T23:59:60Z", "2024-02-30",
    "-1", "1715680800", "17156808000000000000", "2024-05-14T25:61:61+99:99", "32 Mai 99999",
    "14 May 2024 14 May 2024", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "00:00", "24:00 1 1 1",
    "2024-W20-2", "２０２４年５月１４日",
)  # fmt: skip

NAMES = (
    "Anna Smith", "By Anna Smith and John Doe", "par Élodie d’Arc", "Von Hans-Peter Müller, dpa", "Иван Петров",
    "记者 王小明", "Reuters", "admin", "@anna", "https://news.example/anna", "Dr. Dr. h. c. A. B. C. D. E. F. Smith",
    "By By By", "and , and", "Por", "By Anna Smith | 14 May 2024 | 3 min read", "O'Neil",
    "Anna Smith (Text) und (Bild)",
)  # fmt: skip

ADDRESSES = (
    "/story-1.html", "/a/2", "?page=2", "#top", "", " ", "//", "///", "http://", "http://[", "http://[::1",
    "http://[::1/%zz", "https://news.example/a/b", "https://other.example/2024/05/14/rain-in-spain.html",
    "javascript:void(0)", "data:,x", "mailto:desk@news.example", "http://news.example:99999/",
    "http://news.example:x/", "http://\u2100.example/", "http://例え.テスト/ニュース", "http://a..b/",
    "http://" + "a" * 300 + "/", "/" + "x/" * 300, "http://user:pw@news.example/", "%", "%zz",
    "\\\\news.example\\a", "http://news.example/\ud800", "http://xn--/", "http://1.2.3.4.5/",
    "https:news.example", "/picture-300x200.jpg?w=300&h=200", "/logo.png", "a.jpg 1x, b.jpg 2x",
    "http://news.example/?" + "a=1&" * 200,
)  # fmt: skip

ODD = (
    "\x00", "\x01", "\x0b", "\x0c", "\x1f", "\x7f", "\x85", "\xa0", "\xad", "\u0301" * 30, "\u200b", "\u200d",
    "\u2028", "\u202e", "\ufeff", "\ufffe", "\uffff", "\ufffd", "\ud800", "\udfff", "\U0001f600", "\U0010ffff",
    "&#0;", "&#1;", "&#x1f;", "&#xd800;", "&#xfffe;", "&#1114112;", "&#xffffffffff;", "&#x110000",
    "&" + "#9" * 9, "&amp;amp;lt;", "&nbsp", "&notit;", "&;", "&#;", "&#x;", "&NotEqualTilde;",
    "&" + "a" * 70 + ";", "&#" + "1" * 5_000 + ";", "<", "</", "<!", "<?", "<!-", "<!--", "-->", "--!>",
    "<!-->", "<![CDATA[", "]]>", "<!DOCTYPE", "<!doctype html [<!ENTITY a 'b'>]>",
    "<?xml version='1.0' encoding='utf-16'?>", "</>", "< p>", "</p", "</html>", "</body>", "</head>",
    "<html lang=xx>", "<body hidden>", "<head>", "<plaintext>", "<xmp>", "<noscript>", "<textarea>", "<title>",
    "<script>", "<style>", "</script", "<template>", "<svg><title>", "<math><mi>", "<select><option>",
    "<table><tr><p>", "</table>", "<frameset><frame>", "<iframe src=/>", "<base href='http://['>",
    "<base href='//other.example/'>", "<base target=x>", "<meta charset=rot13>",
    "<meta http-equiv=content-type content='text/html; charset=idna'>", "<a href=/x><a>", "<p \x01=1>",
    "<p a\x02b='c'>", "<p =>", "<p '\">", "<p a='", '<p a="', "<x:y:z>", "<:>", "<a:b xmlns:a=c>", "<é>",
    "<p\x00q>", "<image>", "<isindex>", "<br/>", "</br>", "<p/>", "<li value=99999999999999999999>",
    "<ol start=-99999999999999999999>", "<ol start=x>", "<ol reversed>", "<td colspan=99999999>",
    "<td rowspan=0>", "<img width=1e999 height=-1>", "<h1>" * 9,
)  # fmt: skip
"""What stands at a random place of many a page."""

BLOCK_TAGS = (
    "p div section article main header footer nav aside h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tbody tr td th "
    "figure figcaption blockquote pre form fieldset details summary address center hr iframe noscript template "
    "select option video picture svg dialog"
).split()
INLINE_TAGS = (
    "a b i em strong span font code sup sub br img time q cite u s small ruby rt button label input wbr x-y mark"
).split()

CLASSES = (
    "byline author date published article-body story content comments sidebar share nav footer headline related "
    "teaser breadcrumb paywall live-update caption h-entry entry-content hidden visually-hidden"
).split()
ITEMPROPS = (
    "headline author datePublished articleBody name image url dateModified publisher description mainEntityOfPage"
).split()
SCHEMA_TYPES = (
    "NewsArticle Article LiveBlogPosting WebPage Person Organization ImageObject BreadcrumbList ItemList Product"
).split()
SCHEMA_KEYS = (
    "@type @id @graph @context @value headline name author creator datePublished dateModified dateCreated "
    "articleBody description image url mainEntityOfPage mainEntity publisher inLanguage keywords articleSection "
    "isAccessibleForFree hasPart itemListElement item position liveBlogUpdate coverageStartTime thumbnailUrl "
    "contentUrl caption license usageInfo isPartOf about wordCount"
).split()
META_NAMES = (
    "og:title og:type og:url og:image og:description og:locale og:site_name article:published_time "
    "article:modified_time article:author article:section article:tag author date description keywords "
    "news_keywords robots gptbot tdm-reservation tdm-policy twitter:title viewport generator language "
    "content-language dc.date dc.creator parsely-pub-date sailthru.date pubdate lastmod citation_author"
).split()

CHARSETS = (
    None, "utf-8", "UTF8", "iso-8859-1", "windows-1251", "gb2312", "big5", "shift_jis", "euc-jp", "iso-2022-jp",
    "euc-kr", "utf-16", "utf-16le", "utf-32", "utf-7", "rot13", "idna", "hex", "punycode", "undefined",
    "base64", "zip", "bz2", "uu", "unicode_escape", "raw_unicode_escape", "mbcs", "oem", "cp037", "replacement",
    "x-user-defined", "hz-gb-2312", "charmap", "", " ", "\x00", "é", "x" * 200, "utf-8; charset=utf-8",
    "'utf-8'", "../utf8", "none", "quopri", "utf_8_sig", "iso-2022-kr",
)  # fmt: skip
"""Labels of charsets in headers and `meta`, and what else stands there."""
