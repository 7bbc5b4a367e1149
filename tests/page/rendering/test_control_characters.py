"""Control characters of a page: a terminal would obey them."""

from __future__ import annotations

from newsextract import read_article

_ODD = "with\x1b]0;title\x07 an escape, &#27;[2J, \x9b31m and others\x00\x7f"


def test_no_form_of_an_article_has_control_characters() -> None:
    text = "".join(f"<p>Paragraph {number} {_ODD} of a text that is long enough to be one.</p>" for number in range(6))
    title, code = f"Bridge {_ODD} opens", "<pre>a\x1b[0m\n b</pre>"
    html = f"<html><title>{title}</title><article><h1>{title}</h1>{text}{code}</article>"
    article = read_article(html, "https://news.example/1", markdown=True)
    forms = (article.headline, article.articleBody, article.articleBodyHtml, article.articleMarkdown)
    for form in forms:
        assert form
        assert "escape" in form
        assert form.replace("\n", "").isprintable()
