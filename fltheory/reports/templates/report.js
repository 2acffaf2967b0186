"use strict";
(() => {
  const form = document.getElementById("filters");
  const count = document.getElementById("count");
  const articles = [...document.querySelectorAll("article")];
  const texts = new Map(articles.map((a) => [a, `${a.textContent} ${a.dataset.words}`.toLowerCase()]));
  const fits = (article, wanted) =>
    ["paper", "verdict", "kind"].every((name) => !wanted[name] || article.dataset[name] === wanted[name]) &&
    (!wanted.evidence || article.dataset.evidence.split(", ").includes(wanted.evidence)) &&
    wanted.text.toLowerCase().split(/\s+/).every((word) => texts.get(article).includes(word));
  let linked = null; // the article that a link led to: shown under any filter
  const apply = () => {
    const wanted = Object.fromEntries(new FormData(form));
    let shown = 0;
    for (const article of articles) {
      const fitting = fits(article, wanted);
      article.hidden = !fitting && article !== linked;
      shown += fitting ? 1 : 0;
    }
    for (const box of [...document.querySelectorAll(".readings, .item, .paper")]) {
      box.hidden = box.querySelector("article:not([hidden])") === null;
    }
    const beside = linked && !fits(linked, wanted) ? ", and the one that you followed a link to" : "";
    count.textContent = `${shown} of ${articles.length} claims${beside}`;
  };
  const reveal = (hash) => {
    const target = document.getElementById(decodeURIComponent(hash.slice(1)));
    if (target === null) return;
    linked = target.closest("article");
    if (linked === null && target.closest("[hidden]") !== null) form.reset(); // a whole paper
    for (let box = target.closest("details"); box !== null; box = box.parentElement.closest("details")) box.open = true;
    apply();
    target.scrollIntoView();
  };
  form.hidden = false;
  for (const link of document.querySelectorAll(".skip")) link.hidden = false;
  addEventListener("hashchange", () => reveal(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link !== null && link.getAttribute("href") === location.hash) reveal(location.hash); // followed again
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    linked = null;
    apply();
  });
  form.addEventListener("reset", () => setTimeout(apply));
  for (const line of document.querySelectorAll(".counterexample")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(line.textContent);
      button.textContent = "Copied";
    });
    line.after(button);
  }
  // What scrolls can be reached by keyboard.
  const reach = (box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  };
  const scrolling = new ResizeObserver((entries) => entries.forEach(({ target }) => reach(target)));
  const boxes = [...document.querySelectorAll(".formula, .where, .graph")];
  for (const box of boxes) scrolling.observe(box);
  const farther = (idle) => { // what is not laid out yet is not observed: it is looked at when there is time
    while (boxes.length > 0 && idle.timeRemaining() > 1) reach(boxes.shift());
    if (boxes.length > 0) requestIdleCallback(farther);
  };
  if ("requestIdleCallback" in window) requestIdleCallback(farther);
  apply();
  if (location.hash) reveal(location.hash);
})();
