// The opening view: what all pages say together, and two extractors side by side on one of them.
const MOST_SHOWN = 2; // passages that both keep, before they are folded up

function drawStanding() {
  const auto = summary.extractors.findIndex((row) => row.name === "auto");
  const heads = ["extractor", "votes on", "agrees with the majority", ...(auto < 0 ? [] : ["with auto"]), "ms a page", ""];
  const rows = summary.extractors.map((row, number) => {
    const pair = summary.pairs.find((one) => [one.one, one.other].includes(number) && [one.one, one.other].includes(auto));
    const withAuto = number === auto ? "·" : hundredths(pair ? pair.f1 : null);
    const failed = row.failures ? `failed on ${counted(row.failures, "page")}` : "";
    const cells = [row.votes ? counted(row.votes, "page") : "none", hundredths(row.majority), ...(auto < 0 ? [] : [withAuto]), row.ms === null ? "–" : row.ms.toFixed(row.ms < 10 ? 1 : 0)];
    const name = make("th", { scope: "row", mark: colourOf(number) }, make("i"), row.name);
    return make("tr", { class: row.votes ? "" : "silent" }, name, ...cells.map((text) => make("td", {}, text)), make("td", { class: "why" }, [failed, ...row.reasons.map(onPages)].filter(Boolean).join("; ")));
  });
  at("standing").replaceChildren(at("standing").caption, make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows));
}

const onPages = ([reason, count]) => (count < pages.length ? `${reason}, on ${counted(count, "page")}` : reason);
const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

function drawTold() {
  const { extractors, pairs, unanimity, differing } = summary;
  const voting = extractors.filter((row) => row.votes).length;
  const names = (pair) => `${extractors[pair.one].name} and ${extractors[pair.other].name} (${hundredths(pair.f1)})`;
  const told = [`${voting} of ${counted(extractors.length, "extractor")} ${voting === 1 ? "has" : "have"} a vote${pages.length > 1 ? `, on ${pages.length} pages` : ""}.`];
  if (unanimity !== null && voting > 1) told.push(`They are unanimous on ${percent(unanimity)} of what any of them kept.`);
  if (pairs.length > 1) told.push(`Closest are ${names(pairs[0])}; farthest apart are ${names(pairs[pairs.length - 1])}.`);
  if (pages.length > 1 && differing.length && voting > 1) told.push(`They differ most on “${pages[differing[0].page].title}” (unanimous on ${percent(differing[0].unanimity)}).`);
  at("told").textContent = told.join(" ");
  at("rule").textContent = summary.rule;
}

function drawDiffering() {
  at("differing").hidden = pages.length < 2;
  const items = summary.differing.map((one) => {
    const button = make("button", { type: "button", "aria-pressed": String(one.page === chosen.page) }, make("b", {}, percent(one.unanimity)), " ", make("bdi", {}, pages[one.page].title), make("small", {}, `${one.words.toLocaleString("en")} words in dispute`));
    button.addEventListener("click", () => switchPage(one.page));
    return make("li", {}, button);
  });
  at("differing").querySelector("ol").replaceChildren(...items);
}

function drawBeside() {
  const { extractors, title } = current();
  at("beside-title").textContent = title;
  for (const [place, id] of ["left", "right"].entries()) {
    const select = at(id);
    select.replaceChildren(...extractors.map((row, number) => new Option(row.name, number)));
    select.value = chosen.two[place];
  }
  const [left, right] = chosen.two;
  const rows = stretchesOf(left, right).map((stretch) => besideRow(stretch));
  const heads = [left, right].map((number, place) => make("div", { class: "side head", mark: colourOf(number) }, make("strong", {}, nameOf(number)), ` ${besideFacts(number, chosen.two[1 - place])}`));
  at("beside").replaceChildren(...heads, ...(rows.length ? rows.flat() : [make("p", { class: "note both" }, "Neither kept anything of this page.")]));
}

function besideFacts(number, other) {
  const row = current().extractors[number];
  if (row.error) return row.error;
  const alone = current().blocks.filter(([, by]) => by.includes(number) && !by.includes(other));
  const words = alone.reduce((sum, block) => sum + block[2], 0);
  const vote = row.no_vote ? ` · no vote: ${row.no_vote}` : "";
  return `keeps ${row.words.toLocaleString("en")} words, ${words.toLocaleString("en")} of them alone${vote}`;
}

/** Neighbouring blocks that the same of the two keep; those of neither are left out. */
function stretchesOf(left, right) {
  const found = [];
  for (const [text, by, words] of current().blocks) {
    const who = (by.includes(left) ? "l" : "") + (by.includes(right) ? "r" : "");
    if (!who) continue;
    const last = found[found.length - 1];
    if (last && last.who === who) { last.texts.push(text); last.words += words; } else found.push({ who, texts: [text], words });
  }
  return found;
}

function besideRow({ who, texts, words }) {
  const passages = texts.map((text) => make("p", { dir: "auto" }, text));
  if (who.length === 1) {
    const side = make("div", { class: "side alone", mark: colourOf(chosen.two[who === "l" ? 0 : 1]) }, ...passages);
    const gap = make("div", { class: "side gap" }, "");
    return who === "l" ? [side, gap] : [gap, side];
  }
  if (passages.length <= MOST_SHOWN) return [make("div", { class: "both" }, ...passages)];
  const told = `${passages.length} passages that both keep, ${words.toLocaleString("en")} words: `;
  return [make("details", { class: "both" }, make("summary", {}, told, make("bdi", {}, `${texts[0].slice(0, 90)} …`)), ...passages)];
}

function drawSummary() {
  for (const draw of [drawStanding, drawTold, drawDiffering, drawBeside]) draw();
}

for (const [place, id] of ["left", "right"].entries()) {
  at(id).addEventListener("change", () => { chosen.two[place] = Number(at(id).value); drawBeside(); });
}
