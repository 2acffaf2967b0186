// How the search ranks what it finds: Sphinx's own numbers, and the id of a claim as the title of its entry.
var Scorer = {
  score: (result) => {
    const [, , anchor, , score, , kind] = result;
    if (kind === "index" && anchor.includes("/")) result[1] = decodeURIComponent(anchor.slice(1));
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
