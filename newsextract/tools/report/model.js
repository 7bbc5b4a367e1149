"use strict";
// What is known and what is chosen; everything else is drawn from these.
const { pages, summary } = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
/** Colours told apart with any colour vision as far as so many can be; each has its number beside it. */
const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#b8478a", "#96643a", "#5b3fb5", "#e6a700", "#882255", "#4c7a00", "#00707c", "#a3001b", "#2b2d5e"];
/** Degrees between the hues of further ones: the golden angle, which never comes back to a hue. */
const GOLDEN = 137.5;
const CONTROL = "#7b7f87";
/** From few votes to all: lighter to darker, and readable under black text. */
const HEAT = ["#fff3b0", "#dbeda8", "#aee0bc", "#8accdc", "#74b3ef"];
const chosen = { view: "summary", two: [summary.opening[0], summary.opening[1] ?? summary.opening[0]], page: 0, extractors: [], overlay: false, fade: true, tab: "differ", which: "all", dispute: -1, maker: 0 };

const current = () => pages[chosen.page];
const nameOf = (number) => current().extractors[number].name;
const listed = (numbers) => numbers.map(nameOf).join(", ") || "nobody";
const percent = (share) => (share === null ? "–" : `${Math.round(100 * share)} %`);
const hundredths = (share) => (share === null ? "–" : share.toFixed(2));

function colourOf(number) {
  const row = current().extractors[number];
  return row.control ? CONTROL : (PALETTE[number] ?? `hsl(${(number * GOLDEN) % 360} 55% 36%)`);
}

/** What is written on a colour: white, but for the light one. */
const inkOn = (colour) => (colour === "#e6a700" ? "#14161a" : "#fff");
const tint = (colour) => `color-mix(in srgb, ${colour} 26%, #fff)`;

/** The colour of so many votes out of all. */
function heat(votes, all) {
  const place = all > 1 ? ((votes - 1) / (all - 1)) * (HEAT.length - 1) : HEAT.length - 1;
  const low = Math.min(Math.floor(place), HEAT.length - 2);
  return `color-mix(in srgb, ${HEAT[low + 1]} ${Math.round(100 * (place - low))}%, ${HEAT[low]})`;
}

/** The disputes that each choice of the list holds. */
const KINDS = {
  all: ["All differences", () => true],
  almost: ["Kept by all but one", (dispute, all) => dispute.by.length === all - 1],
  alone: ["Kept by only one", (dispute) => dispute.by.length === 1],
  half: ["Evenly split", (dispute, all) => dispute.by.length > 1 && dispute.by.length < all - 1],
};
const disputesOf = (kind) => current().disputed.filter((dispute) => KINDS[kind][1](dispute, current().voters.length));

function make(tag, attributes = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "mark") {
      el.style.setProperty("--mark", value);
      el.style.setProperty("--on-mark", inkOn(value));
    }
    else if (value !== null && value !== false) el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children.filter((child) => child !== null && child !== undefined));
  return el;
}
