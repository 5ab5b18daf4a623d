// Puts curves that can be zoomed into the pages that have something to draw: a plot, a run, a diff. Without this script the pages have
// their pictures, which stay as the server drew them.
import { compareRuns } from "./compare.js";
import { Curve } from "./curve.js";
import { View } from "./view.js";

const MOST_AT_FIRST = 4;
const LEGEND_ROWS = 16;
const [, , project, route] = location.pathname.split("/");
const base = `/p/${project}`;
const view = new View();
const curves = [];

const plotOf = (column, runs) => `${base}/plot/${encodeURIComponent(column)}.json?${new URLSearchParams(runs.map((run) => ["run", run]))}`;

function add(place, options) {
  const curve = new Curve(place, view, options);
  curves.push(curve);
  return curve;
}

function section(title) {
  const made = document.createElement("section");
  made.id = "curves-here";
  const head = document.createElement("h2");
  head.textContent = title;
  made.append(head, view.controls());
  return made;
}

/** Of many columns those that most people look at first. */
function usual(columns) {
  const ranks = [/^scalars\..*loss$/, /loss/, /grad_norm/, /^scalars\.lr$|learning_rate/, /acc/];
  const list = [];
  for (const wanted of ranks) list.push(...columns.filter((name) => wanted.test(name) && !list.includes(name)));
  list.push(...columns.filter((name) => !list.includes(name) && name.startsWith("scalars.")));
  return (list.length ? list : columns).slice(0, MOST_AT_FIRST);
}

/** Boxes that choose columns; the address holds which. */
function choices(columns, draw) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = `Columns (${columns.length})`;
  const list = document.createElement("p");
  list.className = "boxes";
  for (const [i, name] of columns.entries()) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", value: name, checked: view.columns.includes(name), id: `column-${i}` });
    label.htmlFor = box.id;
    box.addEventListener("change", () => {
      view.set({ columns: box.checked ? [...view.columns, name] : view.columns.filter((other) => other !== name) });
      draw();
    });
    label.append(box, ` ${name}`);
    list.append(label, " ");
  }
  details.append(summary, list);
  return details;
}

function drawColumns(place, { runs, names = runs, colours, marks }) {
  for (const curve of [...curves])
    if (!view.columns.includes(curve.column)) {
      curve.remove();
      curves.splice(curves.indexOf(curve), 1);
    }
  for (const column of view.columns)
    if (!curves.some((curve) => curve.column === column))
      add(place, { address: plotOf(column, runs), column, names, colours, marks: marks?.(column), legend: names.length > 1 });
}

/** Puts the section behind the n-th of the page, also after the page has renewed itself. */
function keepBehind(made, n) {
  const put = () => {
    const sections = document.querySelectorAll("main > section:not(#curves-here)");
    if (sections.length) sections[Math.min(n, sections.length) - 1].after(made);
    for (const curve of curves) curve.load(true);
  };
  put();
  document.addEventListener("renewed", put);
}

async function answerOf(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

const isNumber = (series) => series.type === "f64" && series.name !== "timestamp";

async function onRun() {
  const name = decodeURIComponent(location.pathname.slice(`${base}/r/`.length));
  const content = await answerOf(`${base}/show/${location.pathname.slice(`${base}/r/`.length)}.json`);
  const columns = content.series.filter((series) => series.table === "steps" && isNumber(series)).map((series) => series.name);
  if (!columns.length) return;
  const made = section("CURVES");
  const place = document.createElement("div");
  if (!view.columns.length) view.columns = usual(columns);
  const draw = () => drawColumns(place, { runs: [name] });
  made.append(choices(columns, draw), place);
  keepBehind(made, 2);
  draw();
}

function pairOf() {
  const fields = new URLSearchParams(location.search);
  const rest = decodeURIComponent(location.pathname.slice(`${base}/diff/`.length));
  const cut = rest.indexOf("..");
  return cut > 0 ? [rest.slice(0, cut), rest.slice(cut + 2)] : [fields.get("a"), fields.get("b")];
}

/** The place where two runs part stands in every curve, and a button leads to it. */
async function onDiff() {
  const [a, b] = pairOf();
  const fields = new URLSearchParams({ a, b });
  const [diff, content] = await Promise.all([answerOf(`${base}/diff.json?${fields}`), answerOf(`${base}/show/${encodeURIComponent(a)}.json`)]);
  const numbers = new Set(content.series.filter(isNumber).map((series) => series.name));
  const parting = diff.series.filter((series) => series.state === "parts" && series.first_step !== null && numbers.has(series.name));
  const others = [...numbers].filter((name) => !parting.some((series) => series.name === name));
  const columns = [...parting.map((series) => series.name), ...others];
  if (!columns.length) return;
  const steps = new Map(parting.map((series) => [series.name, series.first_step]));
  const step = diff.diagnosis?.step ?? (parting.length ? Math.min(...steps.values()) : null);
  const made = section("CURVES OF BOTH");
  const place = document.createElement("div");
  if (!view.columns.length) view.columns = usual(parting.length ? parting.map((series) => series.name) : columns);
  const marks = (column) => {
    const at = steps.get(column);
    const list = at === undefined ? [] : [{ x: at, text: `parts at ${at.toLocaleString("en-US")}` }];
    if (step !== null && step !== at) list.push({ x: step, text: at === undefined ? `the runs part at ${step.toLocaleString("en-US")}` : "" });
    return list;
  };
  const draw = () => drawColumns(place, { runs: [a, b], names: [`a ${a}`, `b ${b}`], colours: ["--ca", "--cb"], marks });
  if (step !== null) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", id: "part", textContent: `Zoom to step ${step.toLocaleString("en-US")}, where they part` });
    button.addEventListener("click", () => view.set({ x: "step", from: step - 50, to: step + 50 }));
    made.querySelector("form").append(button);
  }
  made.append(choices(columns, draw), place);
  keepBehind(made, 1);
  draw();
}

/** A legend of many runs scrolls by itself, so that what stands below it is not far away. */
function shorten(legend) {
  const box = document.createElement("div");
  box.className = "scroll tall";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "legend");
  legend.replaceWith(box);
  box.append(legend);
}

function onPlot() {
  const figure = document.querySelector("figure.plot");
  const fields = new URLSearchParams(location.search);
  if (!figure || fields.has("bands") || fields.has("logx")) return; // those are drawn by the server alone
  const rows = [...document.querySelectorAll(".legend tr")];
  const names = []; // the table stands in the order of the ends of lines, the document in that of the address
  const colours = [];
  const dashes = [];
  for (const row of rows) {
    names[+row.dataset.line] = row.querySelector("th").textContent;
    colours[+row.dataset.line] = `--l${+row.dataset.k % 8}`;
    dashes[+row.dataset.line] = +row.dataset.k % 4;
  }
  const column = decodeURIComponent(location.pathname.slice(`${base}/plot/`.length));
  const runs = fields.getAll("run");
  const place = document.createElement("div");
  const rank = fields.get("rank");
  figure.before(view.controls(), place);
  figure.hidden = true;
  const curve = add(place, { address: plotOf(column, runs) + (rank ? `&rank=${encodeURIComponent(rank)}` : ""), column, names: [...names].map((name) => name ?? "?"), colours, dashes });
  for (const row of rows) {
    const strong = (which) => () => {
      curve.strong = which;
      curve.draw();
    };
    for (const word of ["mouseenter", "focus"]) row.addEventListener(word, strong(+row.dataset.line));
    for (const word of ["mouseleave", "blur"]) row.addEventListener(word, strong(null));
  }
  if (rows.length > LEGEND_ROWS) shorten(document.querySelector("table.legend"));
  if (names.length > 2) compareRuns(document.querySelector("main"), base, curve, curve.names);
}

/** Pages that are not renewed as a whole hear of changes of their project. */
function follow() {
  const topic = document.querySelector("nav[data-follow]")?.dataset.follow;
  if (!topic) return;
  new EventSource(topic).addEventListener("message", () => {
    for (const curve of curves) curve.load(true);
  });
}

const pages = { r: onRun, diff: onDiff, plot: onPlot };
if (Object.hasOwn(pages, route ?? "") && document.querySelector("main")) {
  Promise.resolve(pages[route]())
    .then(() => curves.length && follow())
    .catch(() => {}); // the page says itself why there is no answer
}
