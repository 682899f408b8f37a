// Findings in groups, with counts at every level and a bar of what they are; and buttons that copy.
const GROUPS_DRAWN = 100;
const GROUPINGS = {
  cause: { key: (place) => String(causeOf(place)), name: (place) => causeName(place), next: "rule", pick: () => ({}) },
  rule: { key: (place) => String(at(place, "rule")), name: (place) => ruleName(place), next: "host", pick: (place) => ({ rule: String(at(place, "rule")) }) },
  host: { key: hostKey, name: (place) => at(place, "host") || `${at(place, "endpoint")}, no single host`, next: "rule", pick: (place) => ({ host: hostKey(place) }) },
  cluster: { key: (place) => `${at(place, "endpoint")}/${at(place, "cluster")}`, name: (place) => at(place, "cluster") || `${at(place, "endpoint")}, no cluster`, next: "host", pick: (place) => ({ cluster: clusterKey(place), endpoint: at(place, "endpoint") }) },
  endpoint: { key: (place) => at(place, "endpoint"), name: (place) => at(place, "endpoint"), next: "rule", pick: (place) => ({ endpoint: at(place, "endpoint") }) },
};
const causeOf = (place) => words.causes[at(place, "rule")];
const causeName = (place) => (causeOf(place) < 0 ? "no failure: unknown or waived" : words.rules[causeOf(place)][2]);
const ruleName = (place) => { const [id, good, failing] = ruleOf(place); return `${at(place, "verdict") === FAIL ? failing : good} (${id})`; };

function drawGroups() {
  const by = byId("group").value, box = byId("groups");
  box.hidden = by === "";
  box.replaceChildren(...(by ? groupsOf(shown, by, {}) : []));
}

function groupsOf(places, by, picked) {
  const grouping = GROUPINGS[by], groups = new Map();
  for (const place of places) {
    const key = grouping.key(place);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(place);
  }
  const counted = [...groups.values()].map((own) => [own, countsOf(own)]).sort(([, a], [, b]) => worstFirst(a, b));
  const drawn = counted.slice(0, GROUPS_DRAWN).map(([own, counts]) => group(own, counts, by, picked));
  if (counted.length > GROUPS_DRAWN) drawn.push(element("p", `${count(counted.length - GROUPS_DRAWN)} more groups: filter to see them.`, "muted"));
  return drawn;
}

// Failures by severity, then unknown and waived.
function countsOf(places) {
  const counts = [0, 0, 0, 0, 0, 0, 0];
  for (const place of places) counts[at(place, "verdict") === FAIL ? at(place, "severity") : at(place, "verdict") === UNKNOWN ? 5 : 6] += 1;
  return counts;
}

function worstFirst(a, b) {
  const place = a.findIndex((number, index) => number !== b[index]);
  return place < 0 ? 0 : b[place] - a[place];
}

const LOOKS = [...words.severities, "unknown", "waived"];
const SIGNS = [...words.severities.map((severity) => severity[0].toUpperCase()), "?", "\u2013"];

function group(places, counts, by, picked) {
  const grouping = GROUPINGS[by], isLast = Object.keys(picked).length > 0;
  const made = element(isLast ? "div" : "details", undefined, "group"), head = element(isLast ? "p" : "summary");
  const name = element("bdi", grouping.name(places[0])), said = element("span", undefined, "tally");
  const next = { ...picked, ...grouping.pick(places[0]) };
  counts.forEach((number, index) => {
    if (number) said.append(element("span", `${SIGNS[index]} ${count(number)}`, `key ${LOOKS[index]}`), element("span", ` ${LOOKS[index]} `, "hidden"));
  });
  head.append(name, " ", said, bar(counts));
  if (Object.keys(next).length) {
    const button = element("button", "Show");
    button.type = "button";
    button.setAttribute("aria-label", `Show the findings of ${name.textContent}`);
    button.addEventListener("click", (event) => { event.preventDefault(); narrow(next); });
    head.append(button);
  }
  made.append(head);
  if (!isLast) {
    made.addEventListener("toggle", () => {
      if (made.open && made.children.length === 1) made.append(...groupsOf(places, grouping.next, { ...next, group: "" }));
    });
  }
  return made;
}

function bar(counts) {
  const space = "http://www.w3.org/2000/svg", drawn = document.createElementNS(space, "svg"), sum = counts.reduce((a, b) => a + b, 0);
  drawn.setAttribute("viewBox", "0 0 100 10");
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.setAttribute("class", "status");
  drawn.setAttribute("aria-hidden", "true"); // the counts beside it say the same
  let left = 0;
  counts.forEach((number, index) => {
    if (!number) return;
    const part = document.createElementNS(space, "rect"), width = 100 * number / sum;
    for (const [name, value] of Object.entries({ x: left, y: 0, width, height: 10, class: LOOKS[index] })) part.setAttribute(name, String(value));
    drawn.append(part);
    left += width;
  });
  return drawn;
}

function narrow(picked) {
  for (const [id, value] of Object.entries(picked)) byId(id).value = value;
  byId("group").value = "";
  select();
  byId("findings").focus();
  byId("findings").scrollIntoView();
}

// Copies, also where a browser gives a file from a disk no clipboard.
async function copy(text, button) {
  const was = button.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const held = element("textarea", text);
    document.body.append(held);
    held.select();
    done = document.execCommand("copy");
    held.remove();
  }
  button.textContent = done ? "Copied" : "Not copied: select it";
  setTimeout(() => { button.textContent = was; }, 2000);
}

function copyButton(label, text) {
  const button = element("button", label, "copy");
  button.type = "button";
  button.addEventListener("click", () => copy(typeof text === "function" ? text() : text, button));
  return button;
}

// What a finding says, for a ticket: the answers in their order, then what they rest on.
function ticketText(place) {
  const [wrong, cost, todo] = answersOf(place), [rule] = ruleOf(place), where = [at(place, "endpoint"), at(place, "cluster"), at(place, "host")];
  const values = evidenceOf(place).map(([name, value]) => `- ${name}: ${say(value)}`);
  return [`${words.severities[at(place, "severity")].toUpperCase()} ${words.verdicts[at(place, "verdict")]}: ${at(place, "name")} (${where.filter(Boolean).join(", ")})`, "",
    `What is wrong here: ${wrong}`, `What it costs: ${cost}`, `What to do: ${todo}`, "", `Rule ${rule}, finding ${at(place, "finding")} of run ${words.run}`,
    `auditor explain ${at(place, "finding").slice(0, 8)}`, "", "Evidence:", ...values].join("\n");
}
