// The filters, the address that remembers them, and the first drawing.
const form = byId("filters");
let listings = {};

/** Change what is chosen, draw the page again, and go to a section when one is named. */
function choose(changes, section = "") {
  Object.assign(chosen, changes);
  const told = Object.entries(chosen).filter(([name, value]) => value !== nothing[name]);
  const fragment = new URLSearchParams(told).toString();
  history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  refresh();
  if (section) visit(byId(section));
}

function visit(section) {
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  section.scrollIntoView();
}

function refresh() {
  for (const name of ["corpus", "language", "extractor", "measure", "q"]) {
    if (form.elements[name].value !== chosen[name]) form.elements[name].value = chosen[name];
  }
  const pages = chosenPages();
  byId("count").textContent = `${pages.length.toLocaleString("en")} of ${pageCount.toLocaleString("en")} pages`;
  for (const place of $$("[data-measure]")) place.textContent = labelOf(chosen.measure);
  refreshSummary(pages);
  refreshHeat(pages);
  focusExtractor();
  fillListing(listings.site, siteRows(pages));
  fillListing(listings.page, pages);
  refreshReader();
}

/** Take the choices from the address, leaving out what the results do not have. */
function readFragment() {
  const asked = new URLSearchParams(location.hash.slice(1));
  for (const [name, fallback] of Object.entries(nothing)) {
    const value = asked.get(name) ?? fallback;
    const select = form.elements[name];
    const isKnown = !(select instanceof HTMLSelectElement) || [...select.options].some((option) => option.value === value);
    chosen[name] = isKnown ? value : fallback;
  }
}

function fillSelects() {
  for (const kind of ["corpus", "language"]) {
    form.elements[kind].append(...facts.pages[kind].names.map((name) => new Option(name, name)));
  }
  form.elements.extractor.append(...facts.extractors.map((name) => new Option(name, name)));
  form.elements.measure.append(...facts.measures.map(([name, title]) => new Option(title, name)));
}

function switchTheme() {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const root = document.documentElement;
  const shown = root.style.colorScheme || (isDark ? "dark" : "light");
  root.style.colorScheme = shown === "dark" ? "light" : "dark";
}

function start() {
  fillSelects();
  startReader();
  listings = { site: makeListing("site", siteColumns()), page: makeListing("page", pageColumns()) };
  $$("#summary, #by-corpus, #by-language").forEach(makeSortable);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => choose({ [event.target.name]: event.target.value }));
  form.addEventListener("reset", (event) => { event.preventDefault(); choose({ ...nothing }); });
  byId("theme").addEventListener("click", switchTheme);
  addEventListener("hashchange", () => { readFragment(); refresh(); });
  for (const id of ["filters", "reader", "sites", "pages"]) byId(id).hidden = false;
  readFragment();
  refresh();
}

start();
