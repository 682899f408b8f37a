// How a finding is shown. Everything a fleet has named goes in as text, never as markup; bdi keeps right-to-left names from turning
// what is beside them.
const COLUMNS = 7;
const opened = new Set(); // findings whose evidence is shown
const brief = (text) => (text.length > 120 ? `${text.slice(0, 119)}…` : text); // in a row; its evidence has all of it

function element(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function cell(row, kind, text, sub) {
  const made = element("td", undefined, kind);
  if (text) made.append(element("bdi", text));
  if (sub) {
    const under = element("span", undefined, "sub");
    under.append(element("bdi", sub));
    made.append(under);
  }
  row.append(made);
  return made;
}

// What was observed or is desired. What is missing where nothing could be judged is not known; elsewhere there is none.
const told = (place, name) => say(at(place, name), at(place, "verdict") === UNKNOWN ? "not known" : "none");

// Beside the title of a rule without a message.
function valuesText(place) {
  if (at(place, "observed") === null && at(place, "desired") === null) return at(place, "verdict") === UNKNOWN ? ": not read" : "";
  return `: ${brief(told(place, "observed"))} → ${brief(told(place, "desired"))}`;
}

function line(place) {
  const made = element("tr", undefined, "finding"), isOpen = opened.has(place);
  const button = element("button", isOpen ? "Hide" : "Show", "open");
  button.type = "button";
  button.setAttribute("aria-expanded", String(isOpen));
  button.setAttribute("aria-label", evidenceLabel(place, isOpen));
  button.addEventListener("click", () => toggle(place, made, button));
  const severity = words.severities[at(place, "severity")], verdict = words.verdicts[at(place, "verdict")];
  cell(made, "c-severity").append(element("span", severity, `badge ${severity}`), " ",
    element("span", `${"✕?–"[at(place, "verdict")]} ${verdict}`, `verdict ${verdict}`), ...(at(place, "change") ? [element("span", at(place, "change"), "sub")] : []));
  const message = at(place, "message"), [rule, title] = ruleOf(place);
  cell(made, "c-rule", message || title, message ? rule : `${rule}${valuesText(place)}`);
  cell(made, "c-name", at(place, "name"));
  cell(made, "c-host", whereOf(place), at(place, "host") ? "" : "endpoint");
  cell(made, "c-cluster", at(place, "cluster"), severalVCenters && at(place, "cluster") ? at(place, "endpoint") : "");
  const way = wayOf(place), fix = fixText(place);
  cell(made, "c-fix", fix, way === fix ? "" : way);
  cell(made, "c-open").append(button);
  return made;
}

const evidenceLabel = (place, isOpen) => `${isOpen ? "Hide" : "Show"} evidence for ${at(place, "name")} ${at(place, "host")}`;

function toggle(place, made, button) {
  const opening = !opened.has(place);
  if (opening) {
    opened.add(place);
    made.after(detail(place));
  } else {
    opened.delete(place);
    made.nextElementSibling.remove();
  }
  button.textContent = opening ? "Hide" : "Show";
  button.setAttribute("aria-label", evidenceLabel(place, opening));
  button.setAttribute("aria-expanded", String(opening));
}

function part(parts, title, pairs, layout) {
  if (!pairs.length) return;
  const made = element("div"), list = element("dl", undefined, layout);
  made.append(element("h3", title));
  for (const [name, value] of pairs) {
    const pair = element("div"), held = element("dd");
    held.append(element("bdi", say(value)));
    pair.append(element("dt", name), held);
    list.append(pair);
  }
  made.append(list);
  parts.append(made);
}

// The three answers: what is wrong here, what it costs, what to do.
function answersOf(place) {
  const verdict = words.verdicts[at(place, "verdict")], missing = at(place, "missing"), impact = new Map(at(place, "impact")), fix = at(place, "fix");
  const wrong = verdict === "unknown" ? `Not known: ${missing.join(", ") || "a value"} was not read.` : at(place, "message") || `${ruleOf(place)[2]}${valuesText(place)}`;
  const cost = impact.get("in short") || (impact.has("not computed") ? `Not computed: ${impact.get("not computed")}.` : "Not computed.");
  let todo = "By hand: its rule says how.";
  if (verdict === "unknown") todo = "Close the gap and audit again: what is unknown has not passed.";
  else if (verdict === "waived") todo = "Nothing while the waiver is in force.";
  else if (fix && fix[SETTING]) todo = `Set ${fix[SETTING]}: ${fix[BEFORE]} → ${fix[AFTER]} (${fix[CLASSES]}, ${fixText(place)}). ${fix[WHY]}`;
  else if (fix && fix[WHY]) todo = `By hand. ${fix[WHY]}`;
  return [wrong, cost, todo.trim()];
}

function answers(place) {
  const list = element("dl", undefined, "answers");
  answersOf(place).forEach((text, index) => {
    const held = element("dd");
    held.append(element("bdi", text));
    list.append(element("dt", ["What is wrong here", "What it costs", "What to do"][index]), held);
  });
  return list;
}

function aboutResource(place) {
  const missing = at(place, "missing");
  const about = [["wanted", ruleOf(place)[1]], ["observed", told(place, "observed")],
    ["desired", told(place, "desired")], ["name", at(place, "name")], ["id", idOf(place)], ["kind", at(place, "kind")],
    ["endpoint", at(place, "endpoint")], ["finding", at(place, "finding")]];
  if (at(place, "change")) about.push(["since the run before", at(place, "change")]);
  if (at(place, "since")) about.push(["drifted", at(place, "since")]);
  if (missing.length) about.push(["not read", missing.join(", ")]);
  return about;
}

function aboutFix(place) {
  const fix = at(place, "fix");
  if (!fix) return [];
  const pairs = fix[SETTING] ? [["setting", fix[SETTING]], ["before → after", `${fix[BEFORE]} → ${fix[AFTER]}`]] : [];
  pairs.push(["class", fix[CLASSES]], ["outcome", fixText(place)]);
  if (fix[COLLATERAL]) pairs.push(["reaches besides", fix[COLLATERAL]]);
  return fix[WHY] ? [...pairs, ["why", fix[WHY]]] : pairs;
}

function goTo(id, text) {
  const link = element("a", text);
  link.href = `#${id}`;
  link.addEventListener("click", () => { reveal(id); });
  return link;
}

// Opens what an element is in, so that a link to it leads to something.
function reveal(id) {
  for (let held = byId(id); held; held = held.parentElement) if (held.tagName === "DETAILS") held.open = true;
}

function detail(place) {
  const made = element("tr", undefined, "detail"), held = element("td"), parts = element("div", undefined, "parts");
  const missing = new Set(at(place, "missing"));
  held.colSpan = COLUMNS;
  part(parts, "Evidence", evidenceOf(place).map(([name, value]) => [name, value === null && missing.has(name) ? "not read" : value]));
  part(parts, "Read from", at(place, "read"), "stacked");
  part(parts, "Resource", aboutResource(place));
  part(parts, "Fix", aboutFix(place));
  part(parts, "Impact", at(place, "impact"));
  part(parts, "Waiver", at(place, "waiver"));
  part(parts, "Waiver that is not in force", at(place, "lapsed"));
  const links = element("p", undefined, "links"), path = words.paths[at(place, "finding")];
  if (!at(place, "whole")) links.append("This page is full: the JSON report has the evidence of this finding. ");
  links.append(goTo(`rule-${at(place, "rule")}`, "Why this matters, and how to fix it"));
  if (path !== undefined) links.append(" · ", goTo(`path-${path}-drawn`, "Its I/O path, drawn"));
  const explain = `auditor explain ${at(place, "finding").slice(0, 8)}`;
  links.append(" · ", element("code", explain), " ", copyButton("Copy command", explain), copyButton("Copy id", at(place, "finding")),
    copyButton("Copy ticket text", () => ticketText(place)));
  held.append(answers(place), links, parts);
  made.append(held);
  return made;
}

// On paper a rule is named once, above its findings of one verdict. Paper has neither buttons nor severities beside findings.
function groupHead(place) {
  const made = element("tr", undefined, "group"), held = element("th"), [rule, good, failing] = ruleOf(place);
  const severity = words.severities[at(place, "severity")], verdict = words.verdicts[at(place, "verdict")];
  held.colSpan = COLUMNS - 2;
  held.scope = "rowgroup";
  held.append(element("span", severity, `badge ${severity}`), " ", element("span", verdict, `verdict ${verdict}`), ` ${verdict === "fail" ? failing : good} `,
    element("span", rule, "sub"));
  made.append(held);
  return made;
}
