"use strict";
// The findings that the page carries: auditor/report/embedding.py says in which form. Nothing here touches what is shown.
const byId = (id) => document.getElementById(id);
const words = JSON.parse(byId("vocabulary").textContent);
const blocks = [];
const homes = []; // of each finding: its block
const inside = []; // and its place in it
for (const script of document.querySelectorAll("script.findings")) {
  const block = JSON.parse(script.textContent);
  block.index = new Map(block.evidence);
  for (let row = 0; row < block.n; row += 1) {
    const place = typeof block.at === "number" ? block.at + row : block.at[row];
    homes[place] = block;
    inside[place] = row;
  }
  blocks.push(block);
  script.remove();
}
const total = homes.length;

function valueIn(block, column, row) {
  if (Array.isArray(column)) return column[row];
  if ("as" in column) return valueIn(block, block[column.as], row);
  return "v" in column ? column.v : column.d[column.i[row]];
}

// One value of a finding, by the name of its column.
const at = (place, name) => valueIn(homes[place], homes[place][name], inside[place]);
const evidenceOf = (place) => homes[place].evidence.map(([name, column]) => [name, valueIn(homes[place], column, inside[place])]);
const idOf = (place) => at(place, "id") + (at(place, "named") ? at(place, "name") : "");
const ruleOf = (place) => words.rules[at(place, "rule")];
const whereOf = (place) => at(place, "host") || at(place, "endpoint");
const count = (number) => number.toLocaleString("en");
const FAIL = words.verdicts.indexOf("fail"), UNKNOWN = words.verdicts.indexOf("unknown");
const SETTING = 0, CLASSES = 1, BEFORE = 2, AFTER = 3, OUTCOME = 4, WHY = 5, PENDING = 6, COLLATERAL = 7; // places in a fix

function say(value, none = "none") {
  if (value === null) return none;
  if (value === "") return '""';
  if (typeof value === "number" && !Number.isInteger(value) && Math.abs(value) >= 0.001) return String(Number(value.toFixed(3)));
  return String(value);
}

function fixText(place) {
  const fix = at(place, "fix");
  if (!fix) return at(place, "verdict") === FAIL ? "by hand" : "";
  return words.outcomes[fix[OUTCOME]] + (fix[PENDING] ? `, ${fix[PENDING]} pending` : "");
}

// The classes of what would be changed; "by hand" where a person has to; "" where nothing failed.
function wayOf(place) {
  if (at(place, "verdict") !== FAIL) return "";
  const fix = at(place, "fix");
  return fix && fix[SETTING] ? fix[CLASSES] : "by hand";
}

const haystacks = [];
function haystack(place) {
  if (haystacks[place] === undefined) {
    haystacks[place] = [at(place, "finding"), at(place, "name"), at(place, "host"), at(place, "cluster"), at(place, "endpoint"), ...ruleOf(place),
      idOf(place), say(at(place, "observed")), say(at(place, "desired")), at(place, "message"), at(place, "kind"), ...at(place, "missing")]
      .join("\n").toLowerCase();
  }
  return haystacks[place];
}

const severalVCenters = new Set(blocks.flatMap((block) => {
  const clusters = Array.from({ length: block.n }, (_, row) => [valueIn(block, block.cluster, row), valueIn(block, block.endpoint, row)]);
  return clusters.filter(([cluster]) => cluster).map(([, endpoint]) => endpoint);
})).size > 1;
const clusterKey = (place) => (at(place, "cluster") ? `${at(place, "endpoint")}/${at(place, "cluster")}` : "-");

const hostKey = (place) => `${at(place, "endpoint")}/${at(place, "host")}`;
const topicOf = (place) => ruleOf(place)[0].split("/", 1)[0];

const KEYS = {
  severity: (place) => at(place, "severity"), verdict: (place) => at(place, "verdict"), rule: (place) => ruleOf(place)[0],
  name: (place) => at(place, "name"), host: whereOf, cluster: (place) => `${at(place, "cluster")} ${at(place, "endpoint")}`, fix: wayOf,
};

// The places of `shown` by one key; equal ones stay as they are.
function sorted(shown, by, down) {
  if (!by) return shown;
  const keys = new Map(shown.map((place) => [place, KEYS[by](place)])), way = down ? -1 : 1;
  return shown.sort((one, other) => {
    const a = keys.get(one), b = keys.get(other);
    return (a < b ? -1 : a > b ? 1 : 0) * way || one - other;
  });
}
