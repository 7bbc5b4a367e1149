// The extractors to choose from, the keys, and the first drawing.
function chip(number, isPressed, act) {
  const row = current().extractors[number];
  const isVoid = row.error !== null || !row.words;
  const label = row.control ? "–" : String(number + 1);
  const button = make("button", { type: "button", class: isVoid ? "chip void" : "chip", "aria-pressed": String(isPressed), mark: colourOf(number), title: row.error || `${row.words} words` }, make("i", {}, label), row.name);
  button.addEventListener("click", act);
  return button;
}

function drawChips() {
  const all = make("button", { type: "button", class: "chip all", "aria-pressed": String(!chosen.extractors.length), mark: "#4aa3df", title: "How many keep each text (0)" }, make("i"), "Agreement");
  all.addEventListener("click", () => choose([]));
  const others = current().extractors.map((_, number) => chip(number, chosen.extractors.includes(number), (event) => toggle(number, event.shiftKey)));
  at("chips").replaceChildren(all, ...others);
}

function drawLegend() {
  const { voters } = current();
  const key = (look, text) => { const swatch = make("i"); swatch.style.background = look; return make("span", { class: "key" }, swatch, text); };
  if (chosen.extractors.length > 1) {
    const own = chosen.extractors.map((number) => key(underlined(colourOf(number)), nameOf(number)));
    at("legend").replaceChildren(key(TOGETHER, chosen.extractors.length === 2 ? "both" : "all of them"), ...own);
  } else if (chosen.extractors.length) {
    const row = current().extractors[chosen.extractors[0]];
    at("legend").replaceChildren(row.error ? make("span", { class: "trouble" }, row.error) : key(underlined(colourOf(chosen.extractors[0])), `${row.name} keeps ${row.words.toLocaleString("en")} words in ${row.ms.toFixed(1)} ms`));
  } else {
    const steps = voters.map((_, place) => { const swatch = make("span", {}, String(place + 1)); swatch.style.background = heat(place + 1, voters.length); return swatch; });
    at("legend").replaceChildren("kept by", make("span", { class: "scale" }, ...steps), `of ${voters.length}`);
  }
}

function drawFacts() {
  const page = current();
  const isOfAll = chosen.view === "summary" && pages.length > 1;
  at("facts").hidden = isOfAll;
  at("title").textContent = isOfAll ? `${pages.length} pages compared` : page.title;
  at("title").dir = "auto";
  document.title = `${page.title} · side by side`;
  const address = page.url ? make("a", { href: page.url, target: "_blank", rel: "noopener noreferrer" }, page.url) : page.name;
  const united = page.unanimity === null ? "" : ` · ${page.voters.length} vote, unanimous on ${percent(page.unanimity)} of what any of them kept`;
  at("facts").replaceChildren(address, ` · ${page.words.toLocaleString("en")} words in ${page.blocks.length} blocks${page.language ? ` · ${page.language}` : ""} · parsed in ${page.parse_ms.toFixed(1)} ms${united}`);
}

function drawTabs() {
  for (const tab of at("tabs").children) {
    const isOn = tab.getAttribute("aria-controls") === chosen.tab;
    tab.setAttribute("aria-selected", String(isOn));
    tab.tabIndex = isOn ? 0 : -1;
    at(tab.getAttribute("aria-controls")).hidden = !isOn;
  }
}

/** Show the summary or the page; a frame that is hidden cannot scroll, so the page is opened when it is shown. */
function drawView() {
  const isPage = chosen.view === "page";
  at("summary").hidden = isPage;
  for (const part of [at("page-view"), document.querySelector("nav")]) part.hidden = !isPage;
  for (const tab of at("views").children) {
    tab.setAttribute("aria-selected", String((tab.id === "view-page") === isPage));
    tab.tabIndex = (tab.id === "view-page") === isPage ? 0 : -1;
  }
  if (isPage && opened !== chosen.page) openPage();
}

function refresh() {
  at("overlay").checked = chosen.overlay;
  at("fade").checked = chosen.fade;
  for (const draw of [drawFacts, drawChips, drawLegend, drawTabs, drawDisputes, drawArticle, drawFigures, drawSummary, drawView, paint]) draw();
}

function choose(numbers) {
  chosen.extractors = numbers;
  if (numbers.length) chosen.maker = numbers[numbers.length - 1];
  refresh();
}

function toggle(number, isAdding) {
  const others = chosen.extractors.filter((one) => one !== number);
  const isOn = others.length < chosen.extractors.length;
  if (isAdding || chosen.overlay) choose(isOn ? others : [...others, number].sort((a, b) => a - b));
  else choose(isOn && !others.length ? [] : [number]);
}

const KEYS = {
  n: () => step(1), p: () => step(-1),
  o: () => { chosen.overlay = !chosen.overlay; refresh(); },
  d: () => { chosen.fade = !chosen.fade; refresh(); },
};

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || ["SELECT", "TEXTAREA"].includes(event.target.nodeName) || chosen.view !== "page") return;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code); // with Shift the key is another sign, the place the same
  if (digit && digit[1] === "0") choose([]);
  else if (digit && Number(digit[1]) <= Math.min(current().extractors.length, 9)) toggle(Number(digit[1]) - 1, event.shiftKey);
  else if (event.key in KEYS) KEYS[event.key]();
}

function switchPage(number) {
  Object.assign(chosen, { page: number, dispute: -1, maker: 0, extractors: [] });
  opened = -1;
  at("page").value = number;
  refresh();
  tellKeepers(null);
}

function switchTheme() {
  const root = document.documentElement;
  const shown = root.style.colorScheme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.style.colorScheme = shown === "dark" ? "light" : "dark";
}

for (const tab of at("tabs").children) tab.addEventListener("click", () => { chosen.tab = tab.getAttribute("aria-controls"); refresh(); });
for (const tab of at("views").children) tab.addEventListener("click", () => { chosen.view = tab.id === "view-page" ? "page" : "summary"; refresh(); });
for (const list of [at("tabs"), at("views")]) list.addEventListener("keydown", (event) => {
  const tabs = [...list.children];
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const next = move && tabs[(tabs.indexOf(event.target) + move + tabs.length) % tabs.length];
  if (next) { next.click(); next.focus(); }
});
at("overlay").addEventListener("change", () => { chosen.overlay = at("overlay").checked; });
at("fade").addEventListener("change", () => { chosen.fade = at("fade").checked; paint(); });
at("which").addEventListener("change", () => { chosen.which = at("which").value; drawDisputes(); });
at("next").addEventListener("click", () => step(1));
at("previous").addEventListener("click", () => step(-1));
at("theme").addEventListener("click", switchTheme);
at("pages").hidden = pages.length < 2;
at("page").append(...pages.map((page, number) => new Option(page.name, number)));
at("page").addEventListener("change", () => switchPage(Number(at("page").value)));
addEventListener("keydown", onKey);
switchPage(0);
