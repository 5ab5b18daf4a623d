// Boxes that choose the columns of a list of runs: what the first of its runs recorded, and what every run has. Without this script the
// names of columns are typed.
const RUNS = 5; // whose series and facts are offered
const OF_ALL = ["name", "id", "state", "steps", "ranks", "started", "pushed", "who", "sweep", "group", "job", "parent"];

const field = () => document.getElementById("columns");

/** The columns that the list shows now, in their order. */
function shown() {
  const typed = field().value.split(",").map((name) => name.trim());
  if (typed.some(Boolean)) return typed.filter(Boolean);
  return [...document.querySelectorAll("main thead th:not(:last-child) a")].map((head) => head.textContent.replace(/ [▲▼]$/, ""));
}

async function answerOf(address) {
  const answer = await fetch(address);
  return answer.ok ? answer.json() : null;
}

/** What the first runs of the list recorded: {series: [...], config: [...], facts: [...]}, each name once. */
async function recorded(base) {
  const runs = [...document.querySelectorAll("main tbody input[name=run]")].slice(0, RUNS).map((box) => encodeURIComponent(box.value));
  const [series, config, facts] = [new Set(), new Set(), new Set()];
  const both = (name) => Promise.all([answerOf(`${base}/show/${name}.json`), answerOf(`${base}/facts/${name}.json`)]);
  for (const [content, known] of await Promise.all(runs.map(both))) {
    for (const one of content?.series ?? [])
      if (one.type === "f64" && one.metric) {
        series.add(`${one.name}.last`);
        if (Number.isFinite(one.metric.best)) series.add(`${one.name}.best`);
      }
    for (const { path, group } of known?.facts ?? []) (group === "config" ? config : facts).add(path);
  }
  return { series: [...series], config: [...config], facts: [...facts] };
}

function boxes(title, names, chosen, place) {
  const set = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = title;
  set.append(legend);
  set.className = "boxes";
  for (const name of names) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", value: name, checked: chosen.includes(name), id: `choose-${name}` });
    box.addEventListener("change", () => {
      const now = shown().filter((other) => other !== name);
      field().value = (box.checked ? [...now, name] : now).join(",");
    });
    label.append(box, ` ${name}`);
    set.append(label, " ");
  }
  if (names.length) place.append(set);
}

async function fill(place) {
  const base = location.pathname.replace(/\/runs$/, "");
  const chosen = shown();
  const offered = await recorded(base);
  const known = new Set([...OF_ALL, ...offered.series, ...offered.config, ...offered.facts]);
  boxes("Of every run", [...OF_ALL, ...chosen.filter((name) => !known.has(name))], chosen, place);
  boxes("What series came to", offered.series, chosen, place);
  boxes("Settings", offered.config, chosen, place);
  boxes("Other facts", offered.facts, chosen, place);
  const button = document.createElement("button");
  button.textContent = "Show these columns";
  place.append(button);
}

/** The chooser stands in the form of the filter, also after the page has renewed itself. */
export function chooseColumns() {
  if (!location.pathname.endsWith("/runs") || !field()) return;
  const made = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "Choose columns";
  made.append(summary);
  let asks = false; // it may be closed and opened again before there is an answer
  made.addEventListener("toggle", () => {
    if (!made.open || asks || made.childElementCount > 1) return;
    asks = true;
    fill(made)
      .catch(() => {
        made.open = false; // the server does not answer, which live.js says
      })
      .finally(() => {
        asks = false;
      });
  });
  const put = () => field()?.form.append(made);
  put();
  document.addEventListener("renewed", put);
}
