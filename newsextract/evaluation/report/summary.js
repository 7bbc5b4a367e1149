// Tables that sort by the heading that is chosen.
function markSorted(row, heading, isAscending) {
  for (const th of row.cells) th.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
}

function byValue(left, right, isAscending) {
  if (left === right) return 0;
  // What is absent comes last whichever way the table is sorted.
  if (left === null || left === undefined) return 1;
  if (right === null || right === undefined) return -1;
  const order = typeof left === "string" ? left.localeCompare(right) : left - right;
  return isAscending ? order : -order;
}

/** Make the headings of a table that stands in the page sort its rows. */
function makeSortable(table) {
  const row = table.tHead.rows[0];
  for (const heading of $$("th[data-sort]", row)) {
    heading.querySelector("button").addEventListener("click", () => {
      const isText = heading.dataset.sort === "text";
      const isAscending = heading.getAttribute("aria-sort") ? heading.getAttribute("aria-sort") !== "ascending" : isText;
      markSorted(row, heading, isAscending);
      sortRows(table);
    });
  }
}

/** Put the rows of a table in the order of the heading that is marked, again after its cells have changed. */
function sortRows(table) {
  const heading = table.querySelector("th[aria-sort]");
  if (!heading) return;
  const place = heading.cellIndex;
  const isText = heading.dataset.sort === "text";
  const isAscending = heading.getAttribute("aria-sort") === "ascending";
  const value = (row) => {
    const text = row.cells[place].textContent;
    const number = Number.parseFloat(text);
    if (isText) return text;
    return Number.isNaN(number) ? null : number;
  };
  const rows = [...table.tBodies[0].rows];
  rows.sort((left, right) => byValue(value(left), value(right), isAscending));
  table.tBodies[0].append(...rows);
}

// The tables that stand in the page, refilled for the pages that are chosen.
function refreshSummary(pages) {
  const rows = $$("#summary tbody tr");
  const bars = new Map(rows.map((row) => [row, measureOf(facts.primary, row.dataset.extractor, pages)]));
  setAxis([...bars.values()].filter(Boolean));
  for (const row of rows) refreshRow(row, bars.get(row), pages);
  for (const cell of rows[0]?.cells ?? []) markBest(rows.map((row) => row.cells[cell.cellIndex]));
  sortRows(byId("summary"));
  byId("summary-scope").textContent = scope(pages.length);
}

function scope(count) {
  const parts = [chosen.corpus, chosen.language, chosen.q && `“${chosen.q}”`].filter(Boolean);
  return parts.length ? `${count.toLocaleString("en")} pages (${parts.join(", ")})` : "all pages";
}

function setAxis(bars) {
  const low = Math.max(Math.floor(Math.min(1, ...bars.map((bar) => bar.low)) * 10) / 10, 0);
  const high = Math.max(Math.ceil(Math.max(0, ...bars.map((bar) => bar.high)) * 10) / 10, low + 0.1);
  const body = byId("summary").tBodies[0];
  body.style.setProperty("--from", low);
  body.style.setProperty("--to", high);
  const ends = $$("#summary [data-axis] span");
  [low, high].forEach((end, place) => { ends[place].textContent = end.toFixed(2); });
}

function refreshRow(row, bar, pages) {
  const drawn = row.querySelector("[data-bar]");
  drawn.hidden = !bar;
  for (const side of ["mean", "low", "high"]) drawn.style.setProperty(`--${side}`, bar ? bar[side].toFixed(4) : 0);
  const costs = costsOf(row.dataset.extractor, pages);
  for (const cell of $$("[data-cell]", row)) {
    cell.textContent = cellText(cell.dataset.cell, row.dataset.extractor, bar, costs, pages);
    if (["errors", "too_slow"].includes(cell.dataset.cell)) cell.classList.toggle("trouble", Number(cell.textContent) > 0);
  }
}

function cellText(key, extractor, bar, costs, pages) {
  if (key === "±") return bar ? `±${((bar.high - bar.low) / 2).toFixed(3)}` : "";
  if (key === "ms" || key === "x_parse") return duration(costs[key]);
  if (key in costs) return costs[key] === null ? ABSENT : String(costs[key]);
  return fraction((key === facts.primary ? bar : measureOf(key, extractor, pages))?.mean);
}

function markBest(cells) {
  const isScore = cells[0].dataset.key !== undefined || facts.measures.some(([name]) => name === cells[0].dataset.cell);
  if (!isScore) return;
  const values = cells.map((cell) => Number.parseFloat(cell.textContent));
  const best = Math.max(...values.filter((value) => !Number.isNaN(value)));
  cells.forEach((cell, place) => cell.classList.toggle("best", values[place] === best));
}

function refreshHeat(pages) {
  for (const body of $$("[data-heat]")) {
    const kind = body.dataset.heat;
    const groups = Map.groupBy ? Map.groupBy(pages, (page) => nameOf(kind, page)) : groupBy(pages, kind);
    const rows = [...body.rows];
    for (const row of rows) {
      for (const cell of $$("[data-key]", row)) {
        const { key } = cell.dataset;
        const members = groups.get(key) ?? [];
        const found = members.length ? measureOf(chosen.measure, row.dataset.extractor, members, { [kind]: key }) : null;
        heat(cell, found?.mean);
      }
    }
    for (const cell of rows[0]?.cells ?? []) markBest(rows.map((row) => row.cells[cell.cellIndex]));
    sortRows(body.parentElement);
  }
}

function groupBy(pages, kind) {
  const groups = new Map();
  for (const page of pages) {
    const key = nameOf(kind, page);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(page);
  }
  return groups;
}

function heat(cell, mean) {
  cell.textContent = fraction(mean);
  cell.style.setProperty("--heat", mean === null || mean === undefined ? 0 : Math.min(Math.max(mean, 0), 1).toFixed(3));
}

/** Bring the chosen extractor forward in the tables. */
function focusExtractor() {
  for (const row of $$("tr[data-extractor]")) row.classList.toggle("on", row.dataset.extractor === chosen.extractor);
}
