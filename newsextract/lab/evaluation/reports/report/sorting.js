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
