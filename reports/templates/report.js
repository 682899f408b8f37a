"use strict";
(() => {
  const PAGE = 100;
  const PRINTED = 500;
  const byId = (id) => document.getElementById(id);
  const words = JSON.parse(byId("vocabulary").textContent);
  // A row is a list; these are the places in it (html_report.py writes it).
  const RULE = 0, VERDICT = 1, SEVERITY = 2, ENDPOINT = 3, CLUSTER = 4, HOST = 5, KIND = 6, NAME = 7, ID = 8, OBSERVED = 9, DESIRED = 10,
    SHAPE = 11, EVIDENCE = 12, MISSING = 13, FIX = 14, IMPACT = 15, WAIVER = 16, LAPSED = 17, SINCE = 18, READ = 19,
    FINDING = 20, MESSAGE = 21;
  const rows = [];
  for (const block of document.querySelectorAll("script.rows")) {
    for (const row of JSON.parse(block.textContent)) rows.push(row);
    block.remove();
  }
  const haystacks = new Array(rows.length);
  const open = new Set();
  const sorting = { by: "", down: false };
  let shown = [];
  let page = 0;

  const word = (place) => (place < 0 ? "" : words.words[place]);
  const severals = new Set(rows.filter((row) => row[CLUSTER] >= 0).map((row) => row[ENDPOINT])).size > 1;

  function say(value, none = "none") {
    if (value === null) return none;
    if (value === "") return '""';
    if (typeof value === "number" && !Number.isInteger(value) && Math.abs(value) >= 0.001) return String(Number(value.toFixed(3)));
    return String(value);
  }

  // In a row; its evidence has all of it.
  const brief = (text) => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

  // Everything a fleet has named goes in as text, never as markup; bdi keeps right-to-left names from turning what is beside them.
  function element(tag, text, kind) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  function haystack(place) {
    if (haystacks[place] === undefined) {
      const row = rows[place];
      const rule = words.rules[row[RULE]];
      haystacks[place] = [row[FINDING], row[NAME], word(row[HOST]), word(row[CLUSTER]), word(row[ENDPOINT]), rule[0], rule[1], row[ID],
        say(row[OBSERVED]), say(row[DESIRED]), row[MESSAGE] || "", word(row[KIND]), ...row[MISSING].map(word)].join("\n").toLowerCase();
    }
    return haystacks[place];
  }

  const checked = (id) => new Set([...byId(id).querySelectorAll("input:checked")].map((box) => Number(box.value)));

  function select() {
    const needles = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const rule = byId("rule").value, cluster = byId("cluster").value;
    const severities = checked("severity"), verdicts = checked("verdict");
    shown = [];
    rows.forEach((row, place) => {
      if (!severities.has(row[SEVERITY]) || !verdicts.has(row[VERDICT])) return;
      if (rule !== "" && row[RULE] !== Number(rule)) return;
      if (cluster !== "" && clusterKey(row) !== cluster) return;
      if (needles.length) {
        const hay = haystack(place);
        if (!needles.every((needle) => hay.includes(needle))) return;
      }
      shown.push(place);
    });
    order();
    page = 0;
    draw();
    remember();
  }

  const clusterKey = (row) => (row[CLUSTER] < 0 ? "-" : `${row[ENDPOINT]}/${row[CLUSTER]}`);
  const KEYS = {
    severity: (row) => row[SEVERITY], verdict: (row) => row[VERDICT], rule: (row) => words.rules[row[RULE]][0], name: (row) => row[NAME],
    host: (row) => word(row[HOST]) || word(row[ENDPOINT]), cluster: (row) => `${word(row[CLUSTER])} ${word(row[ENDPOINT])}`,
  };

  function order() {
    if (!sorting.by) return;
    const key = KEYS[sorting.by], way = sorting.down ? -1 : 1;
    const keys = new Map(shown.map((place) => [place, key(rows[place])]));
    shown.sort((one, other) => {
      const a = keys.get(one), b = keys.get(other);
      return (a < b ? -1 : a > b ? 1 : 0) * way || one - other;
    });
  }

  function draw(first = page * PAGE, number = PAGE) {
    const body = byId("rows").tBodies[0];
    const drawn = document.createDocumentFragment();
    for (const place of shown.slice(first, first + number)) {
      drawn.append(line(place));
      if (open.has(place)) drawn.append(detail(place));
    }
    body.replaceChildren(drawn);
    const last = Math.min(first + number, shown.length), total = rows.length.toLocaleString("en");
    byId("count").textContent = shown.length === 0
      ? (rows.length ? `No finding matches; ${total} in all` : "There is no failure, unknown or waived verdict to list")
      : `${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${shown.length.toLocaleString("en")} matching findings, ${total} in all`;
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    byId("pages").textContent = `of ${pages.toLocaleString("en")}`;
    byId("page").value = String(page + 1);
    byId("page").max = String(pages);
    for (const button of document.querySelectorAll(".page-step")) {
      const there = page + Number(button.dataset.step);
      button.disabled = there < 0 || there >= pages;
    }
  }

  function cell(row, text, sub, kind) {
    const made = element("td", undefined, kind);
    made.append(element("bdi", text));
    if (sub) {
      const under = element("span", undefined, "sub");
      under.append(element("bdi", sub));
      made.append(under);
    }
    row.append(made);
    return made;
  }

  function fixText(row) {
    const fix = row[FIX];
    if (!fix) return row[VERDICT] === 0 ? "by hand" : "";
    return words.outcomes[fix[4]] + (fix[6] < 0 ? "" : `, ${word(fix[6])} pending`);
  }

  // Beside the title of a rule without a message.
  function valuesText(row) {
    if (row[OBSERVED] === null && row[DESIRED] === null) return row[VERDICT] === 1 ? ": not read" : "";
    return `: ${brief(say(row[OBSERVED]))} → ${brief(say(row[DESIRED]))}`;
  }

  function line(place) {
    const row = rows[place], made = element("tr");
    const lead = element("td"), button = element("button", open.has(place) ? "−" : "+", "open");
    button.type = "button";
    button.setAttribute("aria-expanded", String(open.has(place)));
    button.setAttribute("aria-label", `Evidence for ${row[NAME]} ${word(row[HOST])}`);
    button.addEventListener("click", () => toggle(place, made, button));
    lead.append(button);
    made.append(lead);
    const severity = element("td"), verdict = element("td"), verdictText = words.verdicts[row[VERDICT]];
    severity.append(element("span", words.severities[row[SEVERITY]], `badge ${words.severities[row[SEVERITY]]}`));
    verdict.append(element("span", `${"✕?–"[row[VERDICT]]} ${verdictText}`, `verdict ${verdictText}`));
    made.append(severity, verdict);
    const rule = words.rules[row[RULE]];
    cell(made, row[MESSAGE] || rule[1], row[MESSAGE] ? rule[0] : `${rule[0]}${valuesText(row)}`);
    cell(made, row[NAME]);
    cell(made, word(row[HOST]) || word(row[ENDPOINT]), row[HOST] < 0 ? "endpoint" : "");
    cell(made, word(row[CLUSTER]), severals ? word(row[ENDPOINT]) : "");
    cell(made, fixText(row), row[FIX] && row[VERDICT] === 0 ? words.classes[row[FIX][1]] : "");
    return made;
  }

  function toggle(place, made, button) {
    const opening = !open.has(place);
    if (opening) {
      open.add(place);
      made.after(detail(place));
    } else {
      open.delete(place);
      made.nextElementSibling.remove();
    }
    button.textContent = opening ? "−" : "+";
    button.setAttribute("aria-expanded", String(opening));
  }

  function part(title, pairs, layout) {
    const made = element("div"), list = element("dl", undefined, layout);
    made.append(element("h4", title));
    for (const [name, value] of pairs) {
      const held = element("dd");
      held.append(element("bdi", value));
      list.append(element("dt", name), held);
    }
    made.append(list);
    return made;
  }

  function detail(place) {
    const row = rows[place], made = element("tr", undefined, "detail"), held = element("td"), parts = element("div", undefined, "parts");
    const missing = new Set(row[MISSING].map(word));
    held.colSpan = 8;
    const evidence = words.shapes[row[SHAPE]].map((name, at) => [name, say(row[EVIDENCE][at], missing.has(name) ? "not read" : "none")]);
    if (evidence.length) parts.append(part("Evidence", evidence));
    if (row[READ].length) parts.append(part("Read from", row[READ].map(([whom, columns]) => [word(whom), word(columns)]), "stacked"));
    const about = [...(row[MESSAGE] ? [["wrong", row[MESSAGE]]] : []), ["wanted", words.rules[row[RULE]][1]], ["observed", say(row[OBSERVED])], ["desired", say(row[DESIRED])], ["name", row[NAME]], ["id", row[ID]], ["kind", word(row[KIND])], ["endpoint", word(row[ENDPOINT])], ["finding", row[FINDING]]];
    if (row[SINCE]) about.push(["drifted", row[SINCE]]);
    if (missing.size) about.push(["not read", [...missing].join(", ")]);
    parts.append(part("Resource", about));
    if (row[FIX]) {
      const fix = row[FIX], pairs = [];
      if (fix[0] >= 0) pairs.push(["setting", word(fix[0])], ["before → after", `${say(fix[2], "absent")} → ${say(fix[3], "absent")}`]);
      pairs.push(["class", words.classes[fix[1]]], ["outcome", fixText(row)]);
      if (fix[5] >= 0) pairs.push(["why", word(fix[5])]);
      parts.append(part("Fix", pairs));
    }
    if (row[IMPACT]) parts.append(part("Impact", Object.entries(row[IMPACT]).map(([name, value]) => [name, say(value)])));
    if (row[WAIVER]) parts.append(part("Waiver", Object.entries(row[WAIVER]).map(([name, value]) => [name, say(value)])));
    if (row[LAPSED]) parts.append(part("Waiver that is not in force", Object.entries(row[LAPSED]).map(([name, value]) => [name, say(value)])));
    const link = element("a", "Why this matters, and how to fix it");
    link.href = `#rule-${row[RULE]}`;
    link.addEventListener("click", () => { byId(`rule-${row[RULE]}`).open = true; });
    held.append(parts, link);
    made.append(held);
    return made;
  }

  function filtersSet() {
    const state = new URLSearchParams();
    for (const id of ["search", "rule", "cluster"]) {
      const field = byId(id);
      if (field.value) state.set(id, id === "search" ? field.value : field.selectedOptions[0].textContent);
    }
    for (const id of ["severity", "verdict"]) {
      const boxes = [...byId(id).querySelectorAll("input")], on = boxes.filter((box) => box.checked);
      if (on.length < boxes.length) state.set(id, on.map((box) => box.parentElement.textContent.trim()).join(","));
    }
    return state;
  }

  // The filters live in the address, so that a view can be sent to somebody.
  function remember() {
    const text = filtersSet().toString();
    if (text || location.hash.includes("=")) {
      try { history.replaceState(null, "", `#${text}`); } catch { /* a sandboxed frame may not; the page works without */ }
    }
  }

  function recall() {
    if (!location.hash.includes("=")) return;
    const state = new URLSearchParams(location.hash.slice(1));
    byId("search").value = state.get("search") || "";
    for (const id of ["rule", "cluster"]) {
      const wanted = [...byId(id).options].find((option) => option.textContent === state.get(id));
      byId(id).value = wanted ? wanted.value : "";
    }
    for (const id of ["severity", "verdict"]) {
      const on = state.has(id) ? state.get(id).split(",") : null;
      for (const box of byId(id).querySelectorAll("input")) box.checked = !on || on.includes(box.parentElement.textContent.trim());
    }
  }

  function offer(id, options) {
    const added = document.createDocumentFragment();
    for (const [value, text] of options) {
      const option = element("option", text);
      option.value = value;
      added.append(option);
    }
    byId(id).append(added);
  }

  function turnTo(wanted) {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    page = Math.min(pages - 1, Math.max(0, wanted));
    draw();
  }

  function fillChoices() {
    const rules = new Set(), clusters = new Map();
    for (const row of rows) {
      rules.add(row[RULE]);
      const key = clusterKey(row);
      if (!clusters.has(key)) {
        clusters.set(key, row[CLUSTER] < 0 ? "no cluster" : word(row[CLUSTER]) + (severals ? ` (${word(row[ENDPOINT])})` : ""));
      }
    }
    offer("rule", [...rules].sort((a, b) => a - b).map((place) => [String(place), words.rules[place][0]]));
    offer("cluster", [...clusters].sort((a, b) => (a[1] < b[1] ? -1 : 1)));
  }

  let waiting = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(select, 150);
  });
  byId("filters").addEventListener("change", (event) => { if (event.target.id !== "search") select(); });
  byId("filters").addEventListener("submit", (event) => { event.preventDefault(); select(); });
  byId("reset").addEventListener("click", () => {
    byId("filters").reset();
    select();
  });
  for (const button of document.querySelectorAll(".page-step")) {
    button.addEventListener("click", () => turnTo(page + Number(button.dataset.step)));
  }
  byId("page").addEventListener("change", (event) => turnTo((Number(event.target.value) || 1) - 1));
  for (const head of document.querySelectorAll("#rows th[data-sort]")) {
    head.firstElementChild.addEventListener("click", () => {
      sorting.down = sorting.by === head.dataset.sort && !sorting.down;
      sorting.by = head.dataset.sort;
      for (const other of document.querySelectorAll("#rows th[data-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
      order();
      turnTo(0);
    });
  }
  for (const button of document.querySelectorAll("[data-show-rule]")) {
    button.addEventListener("click", () => {
      byId("filters").reset();
      byId("rule").value = button.dataset.showRule;
      select();
      byId("findings").focus();
      byId("findings").scrollIntoView();
    });
  }

  const opened = [];
  addEventListener("beforeprint", () => {
    draw(0, PRINTED);
    const filters = [...filtersSet()].map(([name, value]) => `${name}: ${value}`).join("; ");
    byId("print-note").textContent = (filters ? `Filtered by ${filters}. ` : "") + (shown.length > PRINTED
      ? `The first ${PRINTED} of ${shown.length.toLocaleString("en")} matching findings are printed; the JSON report lists all.` : "");
    for (const lesson of document.querySelectorAll("details[data-failing]:not([open])")) {
      lesson.open = true;
      opened.push(lesson);
    }
  });
  addEventListener("afterprint", () => {
    byId("print-note").textContent = "";
    while (opened.length) opened.pop().open = false;
    draw();
  });
  addEventListener("hashchange", () => {
    if (location.hash.includes("=")) {
      recall();
      select();
    }
  });

  document.documentElement.classList.add("script");
  fillChoices();
  recall();
  select();
})();
