"use strict";
(() => {
  const GRACE_SECONDS = 3600;
  const notice = document.getElementById("overdue");
  if (!notice) return;
  const look = () => { notice.hidden = Date.now() / 1000 < Number(notice.dataset.due) + GRACE_SECONDS; };
  look();
  setInterval(look, 60000);
})();
(() => {
  // The runs that have failures of a rule or cluster, and how many.
  const search = document.getElementById("search"), rows = [...document.getElementById("runs").tBodies[0].rows];
  const searched = JSON.parse(document.getElementById("searched").textContent), status = document.getElementById("found");
  document.documentElement.classList.add("script");
  search.addEventListener("input", () => {
    const needle = search.value.trim().toLowerCase();
    let runs = 0;
    rows.forEach((row, place) => {
      for (const old of row.querySelectorAll(".hit")) old.remove();
      const hits = needle ? Object.entries(searched[place]).filter(([name]) => name.toLowerCase().includes(needle)) : [];
      row.hidden = needle !== "" && hits.length === 0;
      runs += row.hidden ? 0 : 1;
      if (!hits.length) return;
      const said = document.createElement("span");
      said.className = "matched hit";
      said.textContent = hits.slice(0, 5).map(([name, fails]) => `${name}: ${fails}`).join(", ") + (hits.length > 5 ? `, ${hits.length - 5} more` : "");
      row.cells[0].append(said);
    });
    status.textContent = needle ? `${runs} of ${rows.length} runs have failures of it` : "";
  });
})();
