"use strict";
(() => {
  const form = document.getElementById("filters");
  const count = document.getElementById("count");
  const articles = [...document.querySelectorAll("article")];
  const texts = new Map(articles.map((a) => [a, a.textContent.toLowerCase()]));
  const fits = (article, wanted) =>
    ["paper", "verdict", "kind"].every((name) => !wanted[name] || article.dataset[name] === wanted[name]) &&
    (!wanted.evidence || article.dataset.evidence.split(", ").includes(wanted.evidence)) &&
    wanted.text.toLowerCase().split(/\s+/).every((word) => texts.get(article).includes(word));
  const apply = () => {
    const wanted = Object.fromEntries(new FormData(form));
    let shown = 0;
    for (const article of articles) {
      article.hidden = !fits(article, wanted);
      shown += article.hidden ? 0 : 1;
    }
    for (const box of [...document.querySelectorAll(".readings, .item, .paper")]) {
      box.hidden = box.querySelector("article:not([hidden])") === null;
    }
    count.textContent = `${shown} of ${articles.length} claims`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
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
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
  apply();
})();
