// What a keyboard and a screen reader need: what scrolls can be reached, parts of a page have names, the search has a heading.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const scrolling = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".table-wrapper, .formula, .where, .graph, .output, pre")) scrolling.observe(box);
  for (const [part, name] of [[".sidebar-drawer", "Pages"], [".toc-drawer", "On this page"]]) {
    document.querySelector(part)?.setAttribute("aria-label", name);
  }
  const results = document.getElementById("search-results");
  if (results !== null && document.querySelector("h1") === null) {
    const heading = document.createElement("h1");
    heading.textContent = "Search";
    results.before(heading);
  }
});
