// Who searches wants a recipe first, then the tutorial and explanations; the changelog and the API name nearly every word.
var Scorer = {
  score: function (result) {
    var page = result[0], points = result[4];
    var worth = [[/^how-to\/(?!index)/, 12], [/^tutorial\//, 6], [/^explanation\/architecture/, -3], [/^explanation\//, 4],
                 [/^(glossary|settings|fields)$/, 4], [/^reference\/(commands|python-api)/, -6], [/^(changes|contributing)$/, -6]];
    for (var i = 0; i < worth.length; i++) { if (worth[i][0].test(page)) { return points + worth[i][1]; } }
    return points;
  },
  // Sphinx's own.
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
// A page that was opened from a disk may fetch none: what the search shows of them comes from a script.
if (location.protocol === "file:") {
  var pages = document.createElement("script");
  var areThere = new Promise(function (done) { pages.onload = done; });
  pages.src = "_static/pages.js";
  document.head.append(pages);
  window.fetch = function (address) {
    var name = new URL(address, location).href.slice(new URL(".", location).href.length).replace(/\.html$/, "");
    return areThere.then(function () { return {text: function () { return PAGES[name]; }}; });
  };
}
