// Keys: / goes to the search, j and k down and up a list. All else works without, and the footer says which keys there are.
"use strict";

const links = [...document.querySelectorAll(".card h2 a, .copy h3 a, .scroll tbody tr, .pages a[rel=next]")]
  .map((each) => (each.matches("a") ? each : each.querySelector("a")))
  .filter(Boolean);
const [keys, listKeys] = document.querySelectorAll("footer span");
keys.hidden = false;
listKeys.hidden = !links.length;

addEventListener("keydown", (event) => {
  const at = document.activeElement;
  if (event.ctrlKey || event.metaKey || event.altKey || at.matches("input, textarea, select")) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("input[type=search]").select();
  }
  const step = { j: 1, k: -1 }[event.key];
  if (step) {
    const here = links.indexOf(at);
    const next = links[here < 0 && step < 0 ? 0 : here + step];
    if (next) {
      next.focus();
      next.scrollIntoView({ block: "center" });
    }
  }
});

// On a narrow screen, what narrows the list down stands above it: closed, so that the articles come first.
if (matchMedia("(max-width: 46rem)").matches) {
  for (const facet of document.querySelectorAll("details.facet")) facet.open = Boolean(facet.querySelector(".chosen, input[type=date]:not([value=''])"));
}
