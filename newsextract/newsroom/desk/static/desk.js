// Keys: / goes to the search, j and k to the next and the previous article. All else works without.
"use strict";

addEventListener("keydown", (event) => {
  const at = document.activeElement;
  if (event.ctrlKey || event.metaKey || event.altKey || at.matches("input, textarea, select")) return;
  if (event.key === "/") {
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.select();
    }
  }
  const step = { j: 1, k: -1 }[event.key];
  if (step) {
    const links = [...document.querySelectorAll(".card h2 a, .copy h3 a")];
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
