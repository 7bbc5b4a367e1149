// The sites and the pages: as many rows as a reader can use, more on request.
const FIRST_ROWS = 25;
const MORE_ROWS = 200;

/** A table of rows with a sort and a "more" button; `columns` are {title, value(row), cell(row), isText}. */
function makeListing(prefix, columns) {
  const table = byId(`${prefix}-table`);
  const listing = { rows: [], shown: FIRST_ROWS, sorted: null, isAscending: true, table, columns, prefix };
  const head = table.createTHead().insertRow();
  for (const wanted of columns) {
    const button = make("button", { type: "button", onclick: () => sortListing(listing, wanted) }, wanted.title);
    wanted.heading = make("th", { scope: "col", className: wanted.isText ? "" : "num" }, button);
    head.append(wanted.heading);
  }
  table.createTBody();
  byId(`${prefix}-more`).addEventListener("click", () => { listing.shown += MORE_ROWS; drawListing(listing); });
  return listing;
}

function sortListing(listing, wanted) {
  listing.isAscending = listing.sorted === wanted ? !listing.isAscending : true;
  listing.sorted = wanted;
  drawListing(listing);
}

function fillListing(listing, rows) {
  listing.rows = rows;
  listing.shown = FIRST_ROWS;
  drawListing(listing);
}

function drawListing(listing) {
  const { rows, shown, columns, table, prefix, isAscending } = listing;
  const leader = columns.find((wanted) => wanted.extractor === (chosen.extractor || facts.extractors[0]));
  const sorted = listing.sorted ?? leader ?? columns[0];
  const keyed = rows.map((row) => [sorted.value(row), row]);
  keyed.sort(([left], [right]) => byValue(left, right, isAscending));
  markSorted(table.tHead.rows[0], sorted.heading, isAscending);
  table.tBodies[0].replaceChildren(...keyed.slice(0, shown).map(([, row]) => make("tr", {}, ...columns.map((wanted) => wanted.cell(row)))));
  byId(`${prefix}s-count`).textContent = `${Math.min(shown, rows.length).toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
  byId(`${prefix}-more`).hidden = shown >= rows.length;
}

function textColumn(title, value) {
  return { title, isText: true, value, cell: (row) => make("td", { className: "text", title: value(row), dir: "auto" }, value(row)) };
}

function scoreColumns(value, content) {
  return facts.extractors.map((extractor, rank) => ({
    title: extractor, extractor,
    value: (row) => value(row, rank),
    cell: (row) => {
      const cell = make("td", { className: "num heat" });
      heat(cell, value(row, rank));
      content?.(cell, row, rank);
      return cell;
    },
  }));
}

function siteRows(pages) {
  return [...groupBy(pages, "site")].map(([site, members]) => ({
    site, pages: members.length,
    languages: [...new Set(members.map((page) => nameOf("language", page)))].sort().join(" "),
    means: facts.extractors.map((_, rank) => average(chosen.measure, rank, members)?.mean ?? null),
  }));
}

function siteColumns() {
  const button = (row) => make("button", { type: "button", title: "Show its pages", onclick: () => choose({ q: row.site }, "pages") }, row.site);
  return [
    { title: "site", isText: true, value: (row) => row.site, cell: (row) => make("th", { scope: "row", className: "text", dir: "auto" }, button(row)) },
    textColumn("language", (row) => row.languages),
    { title: "pages", value: (row) => row.pages, cell: (row) => make("td", { className: "num" }, String(row.pages)) },
    ...scoreColumns((row, rank) => row.means[rank]),
  ];
}

function pageScore(page, rank) {
  const value = column(chosen.measure, rank)?.[page];
  return value === null || value === undefined ? null : value / 1000;
}

function pageColumns() {
  const name = (page) => facts.pages.url[page] ?? facts.pages.id[page];
  const link = (page) => facts.pages.url[page] ? make("a", { href: name(page), rel: "noreferrer noopener" }, shortAddress(name(page))) : name(page);
  return [
    { title: "page", isText: true, value: name, cell: (page) => make("th", { scope: "row", className: "text", title: name(page), dir: "auto" }, link(page)) },
    textColumn("site", (page) => nameOf("site", page)),
    textColumn("language", (page) => nameOf("language", page)),
    textColumn("corpus", (page) => nameOf("corpus", page)),
    ...scoreColumns(pageScore, openable),
  ];
}

const shortAddress = (url) => url.replace(/^https?:\/\/[^/]*/, "") || "/";

/** Turn a score into what opens its text, where the page holds it, and mark errors. */
function openable(cell, page, rank) {
  const error = facts.errors[`${rank} ${page}`];
  if (error) { cell.title = error; cell.append(" !"); cell.classList.add("trouble"); }
  const place = placeOf(nameOf("corpus", page), facts.pages.id[page]);
  if (!hasText(rank, place)) return;
  const open = () => choose({ extractor: facts.extractors[rank], page: place }, "reader");
  cell.replaceChildren(make("button", { type: "button", title: "Read the text", onclick: open }, cell.textContent));
}
