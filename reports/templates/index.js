"use strict";
(() => {
  const GRACE_SECONDS = 3600;
  const notice = document.getElementById("overdue");
  if (!notice) return;
  const look = () => { notice.hidden = Date.now() / 1000 < Number(notice.dataset.due) + GRACE_SECONDS; };
  look();
  setInterval(look, 60000);
})();
