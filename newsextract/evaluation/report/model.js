// What the page knows and what the reader has chosen; nothing here touches the document.
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const byId = (id) => document.getElementById(id);
const facts = JSON.parse(byId("results").textContent);
const pageCount = facts.pages.id.length;
const GROUPS = ["corpus", "language", "site"];
const nothing = { corpus: "", language: "", extractor: "", measure: facts.primary, q: "", page: "" };
const chosen = { ...nothing };
const ABSENT = "–";

const nameOf = (kind, page) => facts.pages[kind].names[facts.pages[kind].of[page]];
const rankOf = (extractor) => facts.extractors.indexOf(extractor);
const labelOf = (measure) => (facts.measures.find(([name]) => name === measure) ?? [measure, measure])[1];
const column = (measure, rank) => facts.scores[measure]?.[rank];

function fraction(value) {
  return value === null || value === undefined || Number.isNaN(value) ? ABSENT : value.toFixed(3);
}

function duration(value) {
  if (value === null || value === undefined) return ABSENT;
  return value.toFixed(value < 1 ? 2 : value < 100 ? 1 : 0);
}

/** The pages that the filters let through, by number. */
function chosenPages() {
  const words = chosen.q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let page = 0; page < pageCount; page += 1) {
    if (chosen.corpus && nameOf("corpus", page) !== chosen.corpus) continue;
    if (chosen.language && nameOf("language", page) !== chosen.language) continue;
    if (words.length && !holds(page, words)) continue;
    found.push(page);
  }
  return found;
}

function holds(page, words) {
  const text = `${nameOf("site", page)} ${facts.pages.url[page] ?? ""} ${facts.pages.id[page]}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The mean of a measure over pages with its interval, in units; null where no page has it. */
function average(measure, rank, pages) {
  const values = column(measure, rank);
  let sum = 0, squares = 0, count = 0;
  for (const page of values ? pages : []) {
    const value = values[page];
    if (value === null) continue;
    sum += value; squares += value * value; count += 1;
  }
  if (!count) return null;
  const mean = sum / count;
  const error = count > 1 ? 1.96 * Math.sqrt(Math.max(squares / count - mean * mean, 0) / (count - 1)) : 0;
  return { mean: mean / 1000, low: (mean - error) / 1000, high: (mean + error) / 1000, count };
}

/** The group of the results that the filters ask for, null when it must be computed. */
function exactGroup(extractor, extra = {}) {
  const asked = { corpus: chosen.corpus, language: chosen.language, ...extra };
  if (chosen.q || (asked.corpus && asked.language)) return null;
  const groups = facts.groups[extractor];
  if (asked.corpus) return groups.corpus[asked.corpus] ?? null;
  return asked.language ? groups.language[asked.language] ?? null : groups.all;
}

function intervalOf(group, measure) {
  const found = group.measures[measure];
  return found ? { mean: found[0] / 10000, low: found[1] / 10000, high: found[2] / 10000 } : null;
}

/** A measure of an extractor over pages: as the results have it, else computed from the pages. */
function measureOf(measure, extractor, pages, extra) {
  const group = exactGroup(extractor, extra);
  return group ? intervalOf(group, measure) : average(measure, rankOf(extractor), pages);
}

/** Time and failures of an extractor over pages; what single pages do not tell is null. */
function costsOf(extractor, pages) {
  const group = exactGroup(extractor);
  if (group) return { ...group, ms: group.ms === null ? null : group.ms / 100, x_parse: group.x_parse === null ? null : group.x_parse / 100 };
  const rank = rankOf(extractor);
  const times = pages.map((page) => facts.ms[rank][page]).filter((value) => value !== null);
  const errors = pages.filter((page) => `${rank} ${page}` in facts.errors).length;
  const sum = times.reduce((total, value) => total + value, 0);
  return { ms: times.length ? sum / times.length / 100 : null, x_parse: null, errors, too_slow: null, empty: null };
}

/** An element with properties and children; text is always text. */
function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && name !== "style") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}
