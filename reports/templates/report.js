// The filters, the pages of the table, the address that keeps them, and paper.
const PAGE = matchMedia("(max-width: 820px)").matches ? 25 : 100; // a card is as high as five rows
const PRINTED = 300;
const FIELDS = ["search", "rule", "topic", "host", "cluster", "endpoint", "fix", "change", "group"];
const sorting = { by: "", down: false };
let shown = [];
let page = 0;

const checked = (id) => new Set([...byId(id).querySelectorAll("input:checked")].map((box) => Number(box.value)));

function select() {
  const needles = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rule = byId("rule").value, cluster = byId("cluster").value, way = byId("fix").value, change = byId("change").value;
  const topic = byId("topic").value, host = byId("host").value, endpoint = byId("endpoint").value;
  const severities = checked("severity"), verdicts = checked("verdict");
  shown = [];
  for (let place = 0; place < total; place += 1) {
    if (!severities.has(at(place, "severity")) || !verdicts.has(at(place, "verdict"))) continue;
    if (rule !== "" && at(place, "rule") !== Number(rule)) continue;
    if (cluster !== "" && clusterKey(place) !== cluster) continue;
    if (topic !== "" && topicOf(place) !== topic) continue;
    if (host !== "" && hostKey(place) !== host) continue;
    if (endpoint !== "" && at(place, "endpoint") !== endpoint) continue;
    if (way !== "" && wayOf(place) !== way) continue;
    if (change !== "" && at(place, "change") !== change) continue;
    if (needles.length) {
      const hay = haystack(place);
      if (!needles.every((needle) => hay.includes(needle))) continue;
    }
    shown.push(place);
  }
  shown = sorted(shown, sorting.by, sorting.down);
  page = 0;
  draw();
  drawGroups();
  remember();
}

function draw(first = page * PAGE, number = PAGE) {
  const drawn = document.createDocumentFragment();
  for (const place of shown.slice(first, first + number)) {
    drawn.append(line(place));
    if (opened.has(place)) drawn.append(detail(place));
  }
  byId("rows").tBodies[0].replaceChildren(drawn);
  const last = Math.min(first + number, shown.length);
  const none = total ? `No finding matches; ${count(total)} in all` : "There is no failure, unknown or waived verdict to list";
  byId("count").textContent = shown.length === 0 ? none : `${count(first + 1)} to ${count(last)} of ${count(shown.length)} matching findings, ${count(total)} in all`;
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  byId("pages").textContent = `of ${count(pages)}`;
  byId("page").value = String(page + 1);
  byId("page").max = String(pages);
  byId("pager").hidden = pages === 1;
  for (const button of document.querySelectorAll(".page-step")) {
    const there = page + Number(button.dataset.step);
    button.disabled = there < 0 || there >= pages;
  }
}

function turnTo(wanted) {
  page = Math.min(Math.max(1, Math.ceil(shown.length / PAGE)) - 1, Math.max(0, wanted));
  draw();
}

function sortBy(by, down) {
  sorting.by = by;
  sorting.down = down;
  byId("sort").value = by;
  for (const head of document.querySelectorAll("#rows th[data-sort]")) {
    if (by && head.dataset.sort === by) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  select();
}

function filtersSet() {
  const state = new URLSearchParams();
  for (const id of FIELDS) {
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
  if (state.has("at")) {
    recallCell(...state.get("at").split(".").map(Number));
    return;
  }
  for (const id of FIELDS.slice(1)) {
    const wanted = [...byId(id).options].find((option) => option.textContent === state.get(id));
    byId(id).value = wanted ? wanted.value : "";
  }
  byId("search").value = state.get("search") || "";
  for (const id of ["severity", "verdict"]) {
    const on = state.has(id) ? state.get(id).split(",") : null;
    for (const box of byId(id).querySelectorAll("input")) box.checked = !on || on.includes(box.parentElement.textContent.trim());
  }
}

// A cell of the map: what is listed of its topic at its host or cluster.
function recallCell(row, column) {
  const map = byId("heat"), at = map && map.tBodies[0].rows[row], head = map && map.tHead.rows[0].cells[column + 1];
  if (!at || !head) return;
  byId("filters").reset();
  const { e: endpoint, c: cluster, h: host } = at.dataset;
  if (cluster) byId("cluster").value = `${endpoint}/${cluster}`;
  else if (host) byId("host").value = `${endpoint}/${host}`;
  else byId("endpoint").value = endpoint;
  if (!host && map.dataset.by === "host") byId("host").value = `${endpoint}/`;
  if (!host && !cluster && map.dataset.by === "cluster") byId("cluster").value = "-";
  byId("topic").value = head.textContent;
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

function fillChoices() {
  const rules = new Set(), topics = new Set(), hosts = new Map(), endpoints = new Set(), clusters = new Map(), ways = new Set(), changes = new Set();
  for (let place = 0; place < total; place += 1) {
    rules.add(at(place, "rule"));
    topics.add(topicOf(place));
    endpoints.add(at(place, "endpoint"));
    ways.add(wayOf(place));
    const host = at(place, "host"), ofHost = hostKey(place);
    if (!hosts.has(ofHost)) hosts.set(ofHost, (host || "no single host") + (severalVCenters || !host ? ` (${at(place, "endpoint")})` : ""));
    if (at(place, "change")) changes.add(at(place, "change"));
    const key = clusterKey(place), cluster = at(place, "cluster");
    if (!clusters.has(key)) clusters.set(key, !cluster ? "no cluster" : cluster + (severalVCenters ? ` (${at(place, "endpoint")})` : ""));
  }
  offer("rule", [...rules].sort((a, b) => a - b).map((place) => [String(place), words.rules[place][0]]));
  offer("topic", [...topics].sort().map((topic) => [topic, topic]));
  offer("endpoint", [...endpoints].sort().map((endpoint) => [endpoint, endpoint]));
  offer("host", [...hosts].sort((a, b) => (a[1] < b[1] ? -1 : 1)));
  offer("cluster", [...clusters].sort((a, b) => (a[1] < b[1] ? -1 : 1)));
  offer("fix", [...ways].filter(Boolean).sort().map((way) => [way, way]));
  offer("change", [...changes].sort().map((change) => [change, change]));
  byId("change").parentElement.hidden = changes.size === 0;
}

function sayWhatIsLeftOut() {
  const texts = [];
  if (words.left_out) texts.push(`this page carries the worst findings; ${count(words.left_out)} more are counted here and listed in the JSON report.`);
  if (words.without_evidence) texts.push(`${count(words.without_evidence)} findings are here without their evidence, which the JSON report has.`);
  byId("left-out").hidden = texts.length === 0;
  byId("left-out").querySelector("span").textContent = texts.join(" ");
}

function showRule(rule) {
  byId("filters").reset();
  byId("rule").value = rule;
  select();
  byId("findings").focus();
  byId("findings").scrollIntoView();
}

function listen() {
  let waiting = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(select, 150);
  });
  byId("filters").addEventListener("change", (event) => {
    if (event.target.id === "sort") sortBy(event.target.value, false);
    else if (event.target.id !== "search") select();
  });
  byId("filters").addEventListener("submit", (event) => { event.preventDefault(); select(); });
  byId("clear").addEventListener("click", () => {
    byId("filters").reset();
    sortBy("", false);
  });
  for (const button of document.querySelectorAll(".page-step")) {
    button.addEventListener("click", () => {
      turnTo(page + Number(button.dataset.step));
      byId("findings").scrollIntoView();
    });
  }
  byId("page").addEventListener("change", (event) => turnTo((Number(event.target.value) || 1) - 1));
  for (const head of document.querySelectorAll("#rows th[data-sort]")) {
    head.firstElementChild.addEventListener("click", () => sortBy(head.dataset.sort, sorting.by === head.dataset.sort && !sorting.down));
  }
  for (const link of document.querySelectorAll("[data-show-rule]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showRule(link.dataset.showRule);
    });
  }
  for (const link of document.querySelectorAll("a[href='#map']")) link.addEventListener("click", () => { for (const one of byId("map").querySelectorAll("details")) one.open = true; });
  for (const link of document.querySelectorAll("a[href^='#rule-']")) link.addEventListener("click", () => reveal(link.hash.slice(1)));
  for (const drawn of document.querySelectorAll("[data-by-itself]")) {
    drawn.firstElementChild.addEventListener("click", () => { delete drawn.dataset.byItself; });
  }
  for (const code of document.querySelectorAll("code[data-copy]")) code.after(" ", copyButton("Copy", code.textContent));
  const more = byId("more-notices");
  if (more) {
    const first = byId("notices").querySelector("li");
    more.hidden = more.dataset.text.startsWith("Show 1 notice ") && first.scrollWidth <= first.clientWidth; // it is whole
    more.addEventListener("click", () => {
      const isWhole = byId("notices").classList.toggle("whole");
      more.setAttribute("aria-expanded", String(isWhole));
      more.textContent = isWhole ? "Show less" : more.dataset.text;
    });
  }
  addEventListener("hashchange", () => {
    if (location.hash.includes("=")) {
      recall();
      select();
      byId("findings").scrollIntoView();
    }
  });
}

// On paper: the findings that match, grouped by rule unless they are sorted otherwise, and what is open.
function toPaper() {
  for (const drawn of document.querySelectorAll("[data-by-itself]")) drawn.open = false;
  for (const folded of document.querySelectorAll("[data-folds]")) folded.open = true;
  draw(0, PRINTED);
  const filters = [...filtersSet()].map(([name, value]) => `${name}: ${value}`).join("; ");
  byId("print-note").textContent = (filters ? `Filtered by ${filters}. ` : "") + (shown.length > PRINTED
    ? `The first ${PRINTED} of ${count(shown.length)} matching findings are printed; the JSON report lists all.` : "");
  if (sorting.by && sorting.by !== "rule") return;
  byId("rows").classList.add("grouped");
  let last = "", head = null;
  [...byId("rows").querySelectorAll("tr.finding")].forEach((row, number) => {
    const group = `${at(shown[number], "rule")} ${at(shown[number], "verdict")} ${at(shown[number], "severity")}`;
    if (group !== last) {
      head = groupHead(shown[number]);
      row.before(head);
    }
    head.dataset.findings = String(Number(head.dataset.findings || 0) + 1);
    last = group;
  });
  for (const group of byId("rows").querySelectorAll("tr.group")) group.querySelector(".sub").append(`, ${count(Number(group.dataset.findings))}`);
}

addEventListener("beforeprint", toPaper);
addEventListener("afterprint", () => {
  byId("print-note").textContent = "";
  byId("rows").classList.remove("grouped");
  for (const drawn of document.querySelectorAll("[data-by-itself]")) drawn.open = true;
  draw();
});
document.documentElement.classList.add("script");
// A finding has to be on the first screen; a taller one has room for the map.
if (innerHeight < 1100) for (const folded of document.querySelectorAll("[data-folds]")) folded.open = false;
fillChoices();
recall();
byId("filter-box").open = [...filtersSet().keys()].some((name) => name !== "search");
sayWhatIsLeftOut();
for (const part of document.querySelectorAll("#rows, #filter-box, .bar label, #clear")) part.hidden = total === 0;
listen();
select();
