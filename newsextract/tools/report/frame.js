// The page in its frame. It has no script of its own; this one reaches in to colour, to scroll and to listen.
const frame = at("frame");
let colours = null;
let combinations = [];

let opened = -1;

function openPage() {
  opened = chosen.page;
  colours = null;
  frame.srcdoc = current().html;
}

frame.addEventListener("load", () => {
  const inside = frame.contentDocument;
  if (!inside || !inside.body) return;
  colours = inside.createElement("style");
  inside.documentElement.append(colours);
  combinations = [...new Set([...inside.querySelectorAll("kept-text")].map((el) => el.getAttribute("by")))];
  inside.addEventListener("mouseover", (event) => tellKeepers(event.target.closest("kept-text")));
  inside.addEventListener("mouseleave", () => tellKeepers(null));
  inside.addEventListener("click", (event) => { event.preventDefault(); pick(event.target.closest("kept-text")); });
  inside.addEventListener("keydown", onKey);
  paint();
  // Where most begin to keep: above it there are often screens of menus.
  const start = inside.querySelector(`kept-text[at="${current().start}"]`);
  if (start) inside.defaultView.scrollTo(0, start.getBoundingClientRect().top - frame.clientHeight / 3);
});

/** One rule for each combination of keepers: there are few of them, however long the page. */
function paint() {
  if (!colours) return;
  const rules = combinations.map((by) => {
    const look = lookOf(by ? by.split(" ").map(Number) : []);
    if (look) return `kept-text[by="${by}"] { background: ${look} !important; color: #14161a !important; -webkit-text-fill-color: #14161a !important; text-shadow: none !important; }`;
    return chosen.fade ? `kept-text[by="${by}"] { opacity: .42 !important; }` : "";
  });
  colours.textContent = `kept-text { border-radius: 2px; -webkit-box-decoration-break: clone; box-decoration-break: clone; print-color-adjust: exact; }
${rules.join("\n")}
kept-text[here][at] { outline: 3px solid #d4006a !important; outline-offset: 2px; opacity: 1 !important; }`;
}

/** The background of a text with these keepers, null where nobody of those asked kept it. */
function lookOf(keepers) {
  const { voters } = current();
  if (!chosen.extractors.length) {
    const votes = keepers.filter((number) => voters.includes(number)).length;
    return votes ? heat(votes, voters.length) : null;
  }
  const shown = chosen.extractors.filter((number) => keepers.includes(number));
  if (!shown.length) return null;
  if (chosen.extractors.length === 1) return underlined(colourOf(shown[0]));
  return shown.length === chosen.extractors.length ? TOGETHER : striped(shown.map(colourOf));
}

const TOGETHER = "#e4e4df";
const underlined = (colour) => `linear-gradient(${colour} 0 0) 0 100% / 100% 2px no-repeat, ${tint(colour)}`;

function striped(some) {
  if (some.length === 1) return underlined(some[0]);
  const bands = some.map((colour, place) => `color-mix(in srgb, ${colour} 40%, #fff) ${8 * place}px ${8 * place + 8}px`);
  return `repeating-linear-gradient(115deg, ${bands.join(", ")})`;
}

function tellKeepers(text) {
  const { voters } = current();
  if (!text) { at("readout").textContent = "Point at a text to see who kept it; click it to find it in the list."; return; }
  const keepers = (text.getAttribute("by") || "").split(" ").filter(Boolean).map(Number);
  const voting = keepers.filter((number) => voters.includes(number));
  const against = voters.filter((number) => !keepers.includes(number));
  at("readout").textContent = `${voting.length} of ${voters.length} keep it: ${listed(voting)}` + (voting.length && against.length ? ` · not: ${listed(against)}` : "");
}

function pick(text) {
  const block = text ? Number(text.getAttribute("at")) : -1;
  const dispute = current().disputed.findIndex((one) => one.first <= block && block <= one.last);
  if (dispute >= 0) { chosen.which = "all"; chosen.tab = "differ"; goTo(dispute, false); }
}

/** Mark the texts of some blocks, and bring the first into view, opening what hides it. */
function show(first, last, isScrolling) {
  const inside = frame.contentDocument;
  if (!inside) return;
  for (const el of inside.querySelectorAll("kept-text[here]")) el.removeAttribute("here");
  const texts = [...inside.querySelectorAll("kept-text")].filter((el) => first <= Number(el.getAttribute("at")) && Number(el.getAttribute("at")) <= last);
  texts.forEach((el) => el.setAttribute("here", ""));
  if (!texts.length || !isScrolling) return;
  for (let el = texts[0]; el && !texts[0].getClientRects().length; el = el.parentElement) {
    if (el.localName === "details") el.open = true;
    if (inside.defaultView.getComputedStyle(el).display === "none") el.style.setProperty("display", "revert", "important");
  }
  texts[0].scrollIntoView({ block: "center", inline: "nearest" });
}

// A frame prints only what it shows, so for print it is as high as the page in it.
addEventListener("beforeprint", () => { frame.style.height = `${frame.contentDocument.documentElement.scrollHeight}px`; });
addEventListener("afterprint", () => { frame.style.height = ""; });
