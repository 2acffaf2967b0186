// Tables and formulas that are wider than the page scroll; what scrolls can be reached by keyboard.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const scrolling = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".table-wrapper, .formula, .where, .graph")) scrolling.observe(box);
});
