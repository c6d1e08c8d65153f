(function () {
  "use strict";
  var card = document.currentScript && document.currentScript.parentElement;
  if (!card || card.dataset.ready) return;
  card.dataset.ready = "1";
  // JupyterLab takes arrow keys and Enter from whatever has the focus in an output, unless that says not to.
  var area = card.closest(".jp-OutputArea") || card;
  area.addEventListener("focusin", function (event) { event.target.dataset.lmSuppressShortcuts = "true"; });
  var all = function (what, from) { return Array.from((from || card).querySelectorAll(what)); };
  var make = function (name, text, style) {
    var made = document.createElement(name);
    made.textContent = text || "";
    made.style.cssText = style || "";
    return made;
  };
  var plain = "font:inherit;color:inherit;background:none;border:0;padding:0;margin:0;cursor:pointer;";
  var unit = { ms: 1, s: 1000, min: 60000 };
  var value = function (row, at) {
    var text = row.cells[at].textContent.trim();
    var found = /^(\u2013|<?\u2212?[\d.\s]*\d)\s*(ms|s|min)?\b/.exec(text);
    if (!found) return text === "not measured" ? -1 : text.toLowerCase();
    var number = found[1] === "\u2013" ? 0 : parseFloat(found[1].replace(/[<\s]/g, "").replace("\u2212", "-"));
    return number * (unit[found[2]] || 1);
  };
  all("table[data-table]").forEach(function (table) {
    var body = table.tBodies[0], rows = Array.from(body.rows), numeric;
    all("th", table).forEach(function (head, at) {
      var button = make("button", head.textContent, plain + "font-weight:600;");
      head.textContent = "";
      head.appendChild(button);
      button.onclick = function () {
        var down = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
        all("th", table).forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down < 0 ? "descending" : "ascending");
        numeric = rows.every(function (row) { return typeof value(row, at) === "number"; });
        rows.slice().sort(function (a, b) {
          var x = value(a, at), y = value(b, at);
          return numeric ? (x - y) * down : String(x).localeCompare(String(y), "en", { numeric: true }) * -down;
        }).forEach(function (row) { body.appendChild(row); });
      };
    });
    if (rows.length < 6) return;
    var field = make("input", "", "font:inherit;font-size:12px;width:200px;max-width:60%;margin:0 0 4px 7px;");
    field.type = "search";
    field.placeholder = "filter " + table.dataset.table;
    field.setAttribute("aria-label", field.placeholder);
    field.oninput = function () {
      var words = field.value.toLowerCase().split(/\s+/);
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.style.display = words.every(function (word) { return text.includes(word); }) ? "" : "none";
      });
    };
    table.before(field);
  });
  var linked = all("[data-b]"), chosen = null;
  var mark = function (node) {
    chosen = chosen === node ? null : node;
    var names = chosen ? chosen.dataset.b.split(" ") : [];
    linked.forEach(function (other) {
      var hit = other.dataset.b.split(" ").some(function (name) { return names.includes(name); });
      other.style.outline = hit ? "2px solid rgb(240,200,40)" : "";
      if (other.style.position === "absolute") other.style.opacity = chosen && !hit ? ".3" : "";
      other.setAttribute("aria-pressed", String(hit));
    });
  };
  linked.forEach(function (node) {
    node.style.cursor = "pointer";
    if (node.tagName !== "TR") node.setAttribute("role", "button");
    if (node.style.position === "absolute") node.setAttribute("aria-label", node.title);
    else if (node.tagName !== "TR") node.title = "mark this wherever it shows";
    node.tabIndex = 0;
    node.onclick = function (event) {
      if (!String(getSelection()) && !event.target.closest("summary,button,pre,a")) mark(node);
    };
    node.onkeydown = function (event) {
      if (event.target === node && event.key === "Enter") mark(node);
      if (event.key === "Escape" && chosen) mark(chosen);
    };
  });
})();
