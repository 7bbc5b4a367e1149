// The panel beside the page: where they differ, the articles, the figures.
function drawDisputes() {
  const { disputed, voters } = current();
  at("count").textContent = disputed.length;
  const kinds = Object.keys(KINDS).filter((kind) => kind === "all" || disputesOf(kind).length);
  if (!kinds.includes(chosen.which)) chosen.which = "all";
  at("which").replaceChildren(...kinds.map((kind) => new Option(`${KINDS[kind][0]} (${disputesOf(kind).length})`, kind)));
  at("which").value = chosen.which;
  const items = disputesOf(chosen.which).map((dispute) => make("li", {}, disputeButton(dispute, disputed.indexOf(dispute), voters)));
  const nothing = voters.length > 1 ? "All who have a vote kept the same blocks." : "There are no two extractors with a vote on this page.";
  at("disputed").replaceChildren(...(items.length ? items : [make("li", { class: "note" }, nothing)]));
}

function disputeButton(dispute, number, voters) {
  const against = voters.filter((one) => !dispute.by.includes(one));
  const dots = make("span", { class: "dots", "aria-hidden": "true" }, ...voters.map((one) => make("i", { mark: colourOf(one), class: dispute.by.includes(one) ? "" : "out", title: nameOf(one) })));
  const words = `${dispute.words} ${dispute.words === 1 ? "word" : "words"}`;
  const verdict = make("span", { class: "verdict" }, dots, make("strong", {}, verdictOf(dispute.by, against)), make("small", {}, words));
  const button = make("button", { type: "button", "data-dispute": number, "aria-current": number === chosen.dispute && "true" }, verdict, make("span", { class: "excerpt", dir: "auto" }, dispute.text));
  button.addEventListener("click", () => goTo(number, true));
  return button;
}

/** Say it the shorter way: who keeps it, or who does not. */
function verdictOf(by, against) {
  if (by.length === 1) return `only ${listed(by)}`;
  return by.length <= against.length ? `${by.length} of ${by.length + against.length}: ${listed(by)}` : `all but ${listed(against)}`;
}

function goTo(number, isScrolling) {
  chosen.dispute = number;
  refresh();
  const dispute = current().disputed[number];
  show(dispute.first, dispute.last, isScrolling);
  at("disputed").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Go on in the list as it is shown, from its end to its beginning. */
function step(by) {
  const shown = disputesOf(chosen.which).map((dispute) => current().disputed.indexOf(dispute));
  if (!shown.length) return;
  const place = shown.indexOf(chosen.dispute);
  chosen.tab = "differ";
  goTo(shown[(place < 0 ? (by > 0 ? 0 : shown.length - 1) : place + by + shown.length) % shown.length], true);
}

function drawArticle() {
  const row = current().extractors[chosen.maker];
  const { article } = row;
  const when = [article.published && `published ${article.published}`, article.modified && article.modified !== article.published && `modified ${article.modified}`];
  const byline = [article.authors.join(", "), article.publisher, ...when, article.kind && `taken for: ${article.kind}`, `${row.words.toLocaleString("en")} words`];
  const body = make("div", { class: "body", dir: "auto", lang: current().language });
  body.innerHTML = article.body; // sanitised when the report was made
  const empty = row.error ? make("p", { class: "trouble" }, row.error) : make("p", { class: "note" }, `${row.name} kept nothing of this page.`);
  const notes = row.notes.map((note) => make("p", { class: "notes" }, note));
  at("article").replaceChildren(
    make("h2", { dir: "auto" }, article.headline || "No headline"), make("p", { class: "byline" }, byline.filter(Boolean).join(" · ")), ...notes, article.body ? body : empty,
  );
  at("makers").replaceChildren(...current().extractors.map((one, number) => chip(number, number === chosen.maker, () => { chosen.maker = number; refresh(); })));
}

function drawFigures() {
  const { extractors, pairs, voters } = current();
  const auto = extractors.findIndex((row) => row.name === "auto");
  const heads = ["", "words", "majority", ...(auto < 0 ? [] : ["auto"]), "confidence", "ms"];
  const body = extractors.map((row, number) => {
    const remark = row.error || [row.no_vote && `no vote: ${row.no_vote}`, ...row.notes].filter(Boolean).join("; ");
    const own = row.error ? Array(heads.length - 1).fill("–") : [row.words.toLocaleString("en"), hundredths(row.majority), ...(auto < 0 ? [] : [hundredths(pairs[number][auto])]), hundredths(row.confidence), row.ms < 10 ? row.ms.toFixed(1) : Math.round(row.ms)];
    const cells = own.map((value) => make("td", {}, String(value)));
    const isOn = chosen.extractors.includes(number);
    const line = make("tr", { class: isOn ? "on" : "", mark: colourOf(number) }, head(number), ...cells);
    if (!remark) return [line];
    const below = make("tr", { class: "remark" }, make("td", { colspan: heads.length, class: row.error ? "trouble" : "" }, remark));
    return [line, below];
  });
  const caption = at("rows").caption;
  at("rows").replaceChildren(caption, make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...body.flat()));
  drawPairs(extractors, pairs);
}

function drawPairs(extractors, pairs) {
  const top = make("tr", {}, make("td", { class: "self" }), ...extractors.map((row) => make("th", { scope: "col" }, row.name)));
  const body = pairs.map((values, one) => make("tr", {}, head(one), ...values.map((value, other) => {
    if (one === other) return make("td", { class: "self" }, "·");
    const cell = make("td", { title: `${nameOf(one)} and ${nameOf(other)}: ${value.toFixed(4)}` }, String(Math.round(100 * value)));
    cell.style.setProperty("--heat", Math.max(0, (value - 0.3) / 0.7).toFixed(3));
    cell.addEventListener("click", () => choose([one, other]));
    return cell;
  })));
  at("pairs").replaceChildren(at("pairs").caption, make("thead", {}, top), make("tbody", {}, ...body));
}

function head(number) {
  const button = make("button", { type: "button", mark: colourOf(number) }, make("i"), nameOf(number));
  button.addEventListener("click", (event) => toggle(number, event.shiftKey));
  return make("th", { scope: "row" }, button);
}
