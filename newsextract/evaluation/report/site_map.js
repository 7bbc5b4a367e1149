"use strict";
const sites = JSON.parse(document.getElementById("sites").textContent);
const at = (id) => document.getElementById(id);
const SIZE = { width: 640, height: 460, margin: 26 };
const OUTLIER = "var(--muted)";
// Hues a golden angle apart stay distinct however many groups there are.
const colour = (group) => `hsl(${(215 + group * 137.5) % 360} 62% 52%)`;
const percent = (share) => `${(100 * share).toFixed(1)} %`;

function draw(tag, attributes) {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  return el;
}

function scale(pages) {
  const span = (key) => [Math.min(...pages.map((p) => p[key])), Math.max(...pages.map((p) => p[key]))];
  const [[left, right], [low, high]] = [span("x"), span("y")];
  // One scale for both axes: distances on the map are those between the structures.
  const unit = Math.min((SIZE.width - 2 * SIZE.margin) / (right - left || 1), (SIZE.height - 2 * SIZE.margin) / (high - low || 1));
  return (page) => ({
    x: SIZE.width / 2 + unit * (page.x - (left + right) / 2),
    y: SIZE.height / 2 - unit * (page.y - (low + high) / 2),
  });
}

const nameOf = (page) => page.title || page.url || page.id;
const isOutlier = (page) => page.pair === null;

function showMap(site, chosen) {
  const place = scale(site.pages);
  const marks = [];
  const current = site.pages[chosen];
  if (current && !isOutlier(current)) {
    const [from, to] = [place(current), place(site.pages[current.pair])];
    marks.push(draw("line", { class: "link", x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
  }
  site.pages.forEach((page, number) => {
    const { x, y } = place(page);
    const mark = isOutlier(page)
      ? draw("rect", { x: x - 5, y: y - 5, width: 10, height: 10, fill: OUTLIER })
      : draw("circle", { cx: x, cy: y, r: page.pivot ? 8 : 5.5, fill: colour(page.group) });
    mark.setAttribute("class", page.pivot && !isOutlier(page) ? "spot pivot" : "spot");
    mark.dataset.page = number;
    const title = draw("title", {});
    title.textContent = nameOf(page);
    mark.append(title);
    if (number === chosen) mark.setAttribute("aria-current", "true");
    mark.addEventListener("mouseenter", () => { at("hover").textContent = describe(page); });
    mark.addEventListener("click", () => show(at("site").selectedIndex, number));
    marks.push(mark);
  });
  at("map").replaceChildren(...marks);
}

function describe(page) {
  const group = isOutlier(page) ? "of no group" : `group ${page.group + 1}`;
  const known = page.cosine === null ? "" : `, cosine to the gold ${page.cosine.toFixed(2)}`;
  return `${nameOf(page)} · ${group}, ${page.words} words kept${known}`;
}

function showFigures(site) {
  const parts = [`${site.pages.length} pages`, `${site.groups.length} groups`, `${site.outliers} outliers`,
    `silhouette ${site.silhouette.toFixed(2)}`, `grouped in ${site.grouping_seconds.toFixed(1)} s`];
  if (site.measures) {
    parts.push(`exactitude ${percent(site.measures.exactitude)}`, `mean cos ${site.measures.cosine.toFixed(3)}`,
      `T = T* ${percent(site.measures.equal)}`, `T ⊂ T* ${percent(site.measures.inside)}`, `T* ⊂ T ${percent(site.measures.around)}`);
  }
  at("figures").textContent = parts.join(" · ");
  at("legend").replaceChildren(...site.groups.map((count, group) => {
    const item = document.createElement("li");
    const dot = document.createElement("span");
    const alone = site.pages.some((page) => page.group === group && isOutlier(page));
    dot.style.background = alone ? OUTLIER : colour(group);
    item.append(dot, `group ${group + 1}: ${count}${alone ? " (outlier)" : ""}`);
    return item;
  }));
}

function showMatrix(site) {
  const canvas = at("matrix");
  const count = site.matrix.length;
  const cell = Math.max(4, Math.floor(480 / count));
  canvas.width = canvas.height = cell * count;
  const paint = canvas.getContext("2d");
  site.matrix.forEach(([number, distances], row) => distances.forEach((distance, column) => {
    const page = site.pages[number];
    const grey = 255 - Math.round(2.55 * distance);
    paint.fillStyle = row !== column ? `rgb(${grey} ${grey} ${grey})` : isOutlier(page) ? "grey" : colour(page.group);
    paint.fillRect(column * cell, row * cell, cell, cell);
  }));
}

function showPage(site, number) {
  const page = site.pages[number];
  const blocks = site.shown[number];
  const pair = isOutlier(page) ? "It has no pair." : `Compared with: ${nameOf(site.pages[page.pair])}`;
  at("about").textContent = `${describe(page)}. ${pair}`;
  at("blocks").replaceChildren(...(blocks || [["template", "The text of this page is not in this report."]]).map(([state, text]) => {
    const block = document.createElement("p");
    block.className = state;
    block.textContent = text;
    return block;
  }));
}

function fill(select, names) {
  select.replaceChildren(...names.map(([value, name]) => new Option(name, value)));
}

function show(siteNumber, pageNumber) {
  const site = sites[siteNumber];
  if (!site) return;
  const shown = Object.keys(site.shown).map(Number);
  const number = pageNumber ?? shown[0];
  at("site").selectedIndex = siteNumber;
  fill(at("page"), site.pages.map((page, n) => [n, nameOf(page)]).filter(([n]) => n in site.shown || n === number));
  at("page").value = String(number);
  showMap(site, number);
  showFigures(site);
  showMatrix(site);
  showPage(site, number);
}

fill(at("site"), sites.map((site, number) => [number, `${site.site} (${site.pages.length})`]));
at("site").addEventListener("change", () => show(at("site").selectedIndex));
at("page").addEventListener("change", () => show(at("site").selectedIndex, Number(at("page").value)));
show(0);
