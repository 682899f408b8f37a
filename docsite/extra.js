// The theme lets wide tables scroll in a frame of its own. A frame that no keyboard reaches hides what stands at its right (axe: serious).
window.addEventListener("load", () => requestAnimationFrame(() => {
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap")) {
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", "table");
  }
}));
