"""Pages that show no article, each with the same story in the data for its scripts, as one framework writes it."""

from __future__ import annotations

import json
from html import escape
from typing import Any

HEADLINE = "River floods the old town of Melbury"
URL = "https://news.example/local/river-floods-the-old-town-of-melbury-48213"
DATE = "2026-03-02T08:15:00+01:00"
AUTHOR = "Anna Keller"
PARAGRAPHS = [
    "The river Mell rose by two metres in one night, and the water reached the market square before dawn on Monday.",
    "About three hundred people had to leave their houses. Most of them found a bed with relatives, the mayor says.",
    "Firemen pumped water out of the cellars all day, while volunteers filled sand bags at the school's sports field.",
    "The gauge is to fall from Tuesday on. How much the damage costs, nobody in the town hall dares to say as yet.",
]
LONGER = [
    *PARAGRAPHS,
    "On Tuesday the school stays closed, and so do the shops around the market square, says the mayor.",
]
BODY_HTML = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
TEASERS = [
    {
        "title": f"Another story about the {name} of Melbury",
        "url": f"/local/another-{number}",
        "date": "2026-03-01",
        "body": "".join(
            f"<p>{name} said nothing about it on that day, number {n}, and nobody asked.</p>" for n in range(9)
        ),
    }
    for number, name in enumerate(("mayor", "school", "market"), start=900)
]
ARTICLE: dict[str, Any] = {
    "id": 48213,
    "title": HEADLINE,
    "publishedAt": DATE,
    "author": {"name": AUTHOR},
    "paragraphs": PARAGRAPHS,
}


def shell(inside: str, *, title: str = f"{HEADLINE} | Melbury News", head: str = "") -> str:
    """Return a page that shows a menu and a footer, with this markup inside."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{title}</title>{head}</head><body>'
        '<nav><a href="/">Home</a> <a href="/local">Local</a></nav><div id="root"></div>'
        f"{inside}<footer>© Melbury News</footer></body></html>"
    )


def _json(value: object) -> str:
    return json.dumps(value).replace("</", "<\\/")


def _script(text: str, attributes: str = "") -> str:
    return f"<script {attributes}>{text}</script>"


def _element(value: object, name: str = "__NEXT_DATA__") -> str:
    return _script(_json(value), f'id="{name}" type="application/json"')


def _with(**fields: object) -> dict[str, object]:
    """Return the article with its text in other fields."""
    return {key: value for key, value in ARTICLE.items() if key != "paragraphs"} | fields


def _literal(value: object) -> str:
    """Return a value as a JavaScript literal: no quotes around keys, single quotes, trailing commas."""
    if isinstance(value, dict):
        return "{" + "".join(f"{key}: {_literal(each)}, " for key, each in value.items()) + "/* end */}"
    if isinstance(value, list):
        return "[" + "".join(f"{_literal(each)},\n" for each in value) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "\\'").replace("<", "\\x3C") + "'"
    return {None: "undefined", True: "!0"}.get(value, str(value))  # type: ignore[call-overload, no-any-return]


def _apollo() -> dict[str, object]:
    paragraphs = {f"Paragraph:{n}": {"__typename": "Paragraph", "text": text} for n, text in enumerate(PARAGRAPHS)}
    story = _with(__typename="Article", author={"__ref": "Person:3"}, blocks=[{"__ref": name} for name in paragraphs])
    return {
        "ROOT_QUERY": {"__typename": "Query", 'article({"id":48213})': {"__ref": "Article:48213"}},
        "Article:48213": story,
        "Person:3": {"__typename": "Person", "name": AUTHOR},
    } | paragraphs


def _contentful() -> dict[str, object]:
    nodes: list[object] = [
        {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": text, "marks": []}]} for text in PARAGRAPHS
    ]
    link = {"nodeType": "hyperlink", "data": {"uri": "/x"}, "content": [{"nodeType": "text", "value": "The gauge"}]}
    rest = {"nodeType": "text", "value": PARAGRAPHS[3].removeprefix("The gauge"), "marks": []}
    nodes[3] = {"nodeType": "paragraph", "content": [link, rest]}
    nodes.insert(2, {"nodeType": "heading-2", "content": [{"nodeType": "text", "value": "Sand bags", "marks": []}]})
    return {"nodeType": "document", "data": {}, "content": nodes}


def _slate() -> list[object]:
    first = {"type": "paragraph", "children": [{"text": "The river "}, {"text": "Mell", "bold": True}]}
    first["children"].append({"text": PARAGRAPHS[0].removeprefix("The river Mell")})  # type: ignore[attr-defined]
    return [first, *({"type": "paragraph", "children": [{"text": text}]} for text in PARAGRAPHS[1:])]


def _prosemirror() -> dict[str, object]:
    def nodes(text: str) -> list[object]:
        return [{"type": "text", "text": text[:20]}, {"type": "text", "marks": [{"type": "em"}], "text": text[20:]}]

    return {"type": "doc", "content": [{"type": "paragraph", "content": nodes(text)} for text in PARAGRAPHS]}


def _portable_text() -> list[object]:
    blocks: list[object] = [
        {
            "_type": "block",
            "style": "normal",
            "markDefs": [],
            "children": [{"_type": "span", "text": text, "marks": []}],
        }
        for text in PARAGRAPHS
    ]
    blocks.insert(
        1, {"_type": "image", "asset": {"_ref": "image-1"}, "alt": "The square under water, seen from above."}
    )
    return blocks


def _draft() -> dict[str, object]:
    return {
        "blocks": [{"key": "a", "type": "unstyled", "text": text, "depth": 0} for text in PARAGRAPHS],
        "entityMap": {},
    }


def _editor_js() -> dict[str, object]:
    blocks = [{"type": "paragraph", "data": {"text": text}} for text in PARAGRAPHS]
    return {"time": 1772435700000, "blocks": [*blocks, {"type": "embed", "data": {"caption": "A video of it."}}]}


def _lexical() -> dict[str, object]:
    def paragraph(text: str) -> dict[str, object]:
        return {"type": "paragraph", "children": [{"type": "text", "text": text, "format": 0}], "direction": "ltr"}

    return {"root": {"type": "root", "children": list(map(paragraph, PARAGRAPHS))}}


def _fusion() -> dict[str, object]:
    elements: list[object] = [{"type": "text", "content": text} for text in PARAGRAPHS]
    elements.insert(1, {"type": "image", "caption": "The square under water, seen from the tower of the church."})
    elements.insert(3, {"type": "interstitial_link", "content": "Read also: what to do when the water comes."})
    return {
        "type": "story",
        "headlines": {"basic": HEADLINE},
        "display_date": DATE,
        "credits": {"by": [{"type": "author", "name": AUTHOR}]},
        "content_elements": elements,
        "related_content": {"basic": TEASERS},
    }


def _nuxt_2() -> str:
    story = _literal(ARTICLE).replace(f"'{HEADLINE}'", "a").replace(f"'{DATE}'", "c")
    state = f"{{layout:'default',data:[{{article:{story},teasers:{_literal(TEASERS)}}}],error:b,serverRendered:!0}}"
    return _script(f"window.__NUXT__=(function(a,b,c){{b.x=1;return {state}}}({json.dumps(HEADLINE)},null,'{DATE}'));")


_PROPS = {"props": {"pageProps": {"article": ARTICLE, "related": TEASERS}}, "page": "/[slug]", "query": {"slug": "x"}}
_STRING = _json(_json({"article": _with(body=BODY_HTML)}))

SHAPES: dict[str, str] = {
    "Next, pages router": _element(_PROPS),
    "Nuxt 2, function": _nuxt_2(),
    "Apollo cache": _script(f"window.__APOLLO_STATE__ = {_json(_apollo())};"),
    "Redux": _script(f"window.__PRELOADED_STATE__={_json({'story': _with(body=BODY_HTML), 'news': TEASERS})}"),
    "JSON.parse": _script(f"window.__INITIAL_STATE__ = JSON.parse({_STRING}); boot();"),
    "JavaScript literal": _script(f"var ready = 1; window['state'] = {_literal({'story': ARTICLE, 'more': TEASERS})};"),
    "Gatsby": _script(
        f"/*<![CDATA[*/window.pageData={_json({'result': {'data': {'post': _with(html=BODY_HTML)}}})};/*]]>*/"
    ),
    "Remix 1": _script(f"window.__remixContext = {_json({'state': {'loaderData': {'routes/$id': ARTICLE}}})};"),
    "SvelteKit": _script(
        "{ __sveltekit_1 = {base: ''}; Promise.all([import('./a.js')]).then(([kit, app]) => { kit.start(app, element, "
        f"{{ node_ids: [0, 2], data: [null, {{type:'data',data:{_literal({'post': ARTICLE})}}}], form: 0 }}); }}); }}"
    ),
    "Inertia": f'<div id="app" data-page="{escape(_json({"component": "Story", "props": {"story": ARTICLE}}))}"></div>',
    "FastBoot shoebox": _script(
        _json({"data": {"type": "story", "id": "48213", "attributes": _with(body=BODY_HTML)}, "included": TEASERS}),
        'type="fastboot/shoebox" id="shoebox-story"',
    ),
    "Arc Fusion": _script(f"window.Fusion={{}};Fusion.arcSite='melbury';Fusion.globalContent={_json(_fusion())};"),
    "Drupal settings": _script(
        _json({"path": {"baseUrl": "/"}, "story": _with(field_body=[{"value": BODY_HTML, "format": "full_html"}])}),
        'type="application/json" data-drupal-selector="drupal-settings-json"',
    ),
    "WordPress REST": _script(
        "var post = "
        + _json({
            "id": 48213,
            "link": URL,
            "date": DATE,
            "title": {"rendered": HEADLINE},
            "content": {"rendered": BODY_HTML, "protected": False},
            "excerpt": {"rendered": f"<p>{PARAGRAPHS[0]}</p>"},
        })
    ),
    "Contentful": _element({"entry": {"fields": _with(body=_contentful())}}),
    "Slate": _element({"page": _with(content=_slate())}),
    "ProseMirror": _element({"page": _with(doc=_prosemirror())}),
    "Portable Text": _element({"page": _with(body=_portable_text(), slug={"current": "x"})}),
    "Draft.js in a string": _element({"page": _with(content=_json(_draft()))}),
    "Editor.js": _element({"page": _with(content=_editor_js())}),
    "Lexical": _element({"page": _with(content=_lexical())}),
    "items of modules": _element({
        "page": _with(body=[{"_template": "/Text.hbs", "items": [{"body": f"<p>{text}</p>"}]} for text in PARAGRAPHS])
    }),
    "Markdown": _element({"page": _with(markdown="\n\n".join(["## What happened", *PARAGRAPHS, "[More](https://a.example/)"]))}),
    "escaped HTML": _element({"page": _with(text=escape(BODY_HTML))}),
    "plain text": _element({"page": _with(text="\n\n".join(PARAGRAPHS))}),
    "headline beside the text": _element({"page": {"seo": {"title": HEADLINE, "date": DATE}, "parts": LONGER}}),
}  # fmt: skip
