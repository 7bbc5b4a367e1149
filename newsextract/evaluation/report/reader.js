// The texts of the worst pages: what was kept, what was lost, what should not be there.
const KINDS = {
  kept: { title: "kept", tag: "span" },
  lost: { title: "lost", tag: "mark" },
  noise: { title: "noise", tag: "del" },
};
const LONG_CHARS = 40; // Shorter pieces are marked by line and colour alone: labels would drown them.

const placeOf = (corpus, id) => `${corpus}/${id}`;
const worst = facts.worst.map((pages) => new Map(pages.map((page) => [placeOf(page.corpus, page.id), page])));
const hasText = (rank, place) => worst[rank]?.has(place) ?? false;

function readerRank() {
  const rank = rankOf(byId("reader-extractor").value);
  return rank < 0 ? 0 : rank;
}

function isChosen(page) {
  const words = chosen.q.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${page.site} ${page.url ?? ""} ${page.id}`.toLowerCase();
  return (!chosen.corpus || page.corpus === chosen.corpus) && (!chosen.language || page.language === chosen.language)
    && words.every((word) => text.includes(word));
}

function refreshReader() {
  if (chosen.extractor) byId("reader-extractor").value = chosen.extractor;
  const pages = [...worst[readerRank()]].filter(([, page]) => isChosen(page));
  const current = pages.find(([place]) => place === chosen.page) ?? pages[0];
  fillShelf(pages.map(([place, page]) => shelfItem(place, page, place === current?.[0])));
  if (current) readPage(...current);
  else byId("reader-page").replaceChildren(make("p", { className: "note" }, "No text of these pages is kept here: only the worst of each extractor are."));
}

/** Put the pages on the shelf, the chosen one in view; a keyboard that was in the reader stays there. */
function fillShelf(items) {
  const shelf = byId("reader-pages");
  const wasHere = document.activeElement.matches("#reader button");
  shelf.replaceChildren(...items);
  const current = shelf.querySelector("[aria-current]");
  if (current) shelf.scrollTop = current.offsetTop - shelf.offsetTop - shelf.clientHeight / 3;
  if (wasHere) current?.focus({ preventScroll: true });
}

function shelfItem(place, page, isCurrent) {
  const button = make("button", { type: "button", onclick: () => choose({ page: place, extractor: chosen.extractor && facts.extractors[readerRank()] }) },
    make("strong", {}, fraction(page.score === null ? null : page.score / 1000)),
    make("span", { title: page.site }, page.site), make("small", {}, `${page.language} · ${page.corpus}`));
  if (isCurrent) button.setAttribute("aria-current", "true");
  return make("li", {}, button);
}

function readPage(place, page) {
  const text = make("div", { className: "text-body", dir: "auto", tabIndex: 0, lang: page.language === "unknown" ? "" : page.language }, ...page.segments.flatMap(segment));
  byId("reader-page").replaceChildren(
    make("h3", {}, `${facts.extractors[readerRank()]} on ${page.site}: ${labelOf("token_f1")} ${fraction(page.score === null ? null : page.score / 1000)}`),
    address(page), shares(page.chars), legend(page.chars), text, also(place));
}

function address(page) {
  const name = page.url ? make("a", { href: page.url, rel: "noreferrer noopener" }, page.url) : page.id;
  return make("p", { className: "address" }, name, ` · ${page.corpus} · ${page.language}`);
}

function shares(chars) {
  const total = Object.values(chars).reduce((sum, count) => sum + count, 0) || 1;
  const parts = Object.keys(KINDS).map((kind) => make("i", { className: kind, style: `width:${(100 * chars[kind]) / total}%` }));
  return make("div", { className: "shares", "aria-hidden": "true" }, ...parts);
}

function legend(chars) {
  const meaning = { kept: "and rightly", lost: "though of the article", noise: "kept, though not of the article" };
  const items = Object.entries(KINDS).map(([kind, { tag, title }]) =>
    make("li", {}, make(tag, { className: kind }, title), ` ${meaning[kind]}: ${chars[kind].toLocaleString("en")} characters`));
  return make("ul", { className: "legend" }, ...items);
}

/** The nodes of a piece of text; its outer white space stays unmarked. */
function segment([kind, text]) {
  if (kind === "cut") return [make("span", { className: "cut" }, ` [… ${Number(text).toLocaleString("en")} characters …] `)];
  if (kind === "kept") return [text];
  const { title, tag } = KINDS[kind] ?? KINDS.noise;
  const [, before, inner, after] = text.match(/^(\s*)(.*?)(\s*)$/s);
  if (!inner) return [text];
  const isLong = inner.length > LONG_CHARS;
  const name = make("span", { className: isLong ? "tag" : "unseen" }, isLong ? title : ` [${title}: `);
  const end = isLong ? "" : make("span", { className: "unseen" }, "] ");
  return [before, make(tag, { className: kind }, name, inner, end), after];
}

/** Links to the same page as other extractors saw it. */
function also(place) {
  const others = facts.extractors.filter((_, rank) => rank !== readerRank() && hasText(rank, place));
  const buttons = others.map((extractor) => make("button", { type: "button", onclick: () => readAs(extractor, place) }, extractor));
  return make("p", { className: "also" }, others.length ? "The same page is among the worst of: " : "", ...buttons);
}

function readAs(extractor, place) {
  byId("reader-extractor").value = extractor;
  choose({ page: place, extractor: chosen.extractor && extractor });
}

function startReader() {
  const select = byId("reader-extractor");
  select.append(...facts.extractors.map((extractor) => new Option(extractor, extractor)));
  select.addEventListener("change", () => choose({ extractor: chosen.extractor && select.value }));
}
