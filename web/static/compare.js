// Many runs by what they were given and what they came to: parallel coordinates, and a scatter of one setting against the outcome. The
// settings are the facts of group config that are not the same in all runs; the outcome is the last and the best value of the curve
// above.
import { said, scale } from "./scale.js";

const SVG = "http://www.w3.org/2000/svg";
const RUNS = 100;
const AXES = 8;
const WORDS = 12; // of a setting that is a text
const SHORT = 16;
const LEAST = 96; // pixels from one axis to the next

function node(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A number, or a text: what was chosen of several, such as an optimizer. */
function valueOf({ type, value }) {
  if (type === "int" || type === "float") return Number.isFinite(Number(value)) ? Number(value) : undefined;
  return type === "bool" || type === "text" ? String(value) : undefined;
}

async function settingsOf(base, name) {
  const answer = await fetch(`${base}/facts/${encodeURIComponent(name)}.json`);
  if (!answer.ok) return new Map();
  const { facts } = await answer.json();
  return new Map(facts.filter(({ group }) => group === "config").map(({ path, fact }) => [path, valueOf(fact)]));
}

/** Eight at once: a browser opens no more connections to one server anyway. */
async function eachOf(list, ask) {
  const answers = new Array(list.length);
  let next = 0;
  const work = async () => {
    while (next < list.length) {
      const i = next++;
      answers[i] = await ask(list[i]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return answers;
}

/** What the column came to, by the metrics of the run. */
async function outcomesOf(base, name, column) {
  const answer = await fetch(`${base}/show/${encodeURIComponent(name)}.json`);
  if (!answer.ok) return {};
  return (await answer.json()).series.find((series) => series.name === column)?.metric ?? {};
}

/** What a setting or an outcome is drawn on: from low to high, or, where it has texts, one place for each of its words. Undefined: all
 * runs have the same, or each has a text of its own, such as a name. */
function axisOf(name, values) {
  const known = values.filter((value) => value !== undefined);
  const words = [...new Set(known)].sort();
  if (known.every((value) => typeof value === "number")) {
    const low = Math.min(...known);
    const high = Math.max(...known);
    if (!(low < high)) return undefined;
    return { name, low, high, number: (value) => value, marks: [low, high].map((value) => [value, said(value)]) };
  }
  if (words.length < 2 || words.length > WORDS || (words.length > 2 && words.length === known.length)) return undefined;
  const number = (value) => words.indexOf(value);
  return { name, low: 0, high: words.length - 1, number, marks: words.map((word, i) => [i, short(String(word))]) };
}

const short = (text) => (text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text);
const shownAs = (value) => (typeof value === "number" ? said(value) : value);

function parallel(rows, axes, outcome, wide) {
  const high = 300;
  const edge = 70;
  const svg = node("svg", { class: "compare", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img" });
  svg.setAttribute("aria-label", `Parallel coordinates of ${rows.length} runs over ${axes.map((axis) => axis.name).join(", ")}`);
  const place = (i) => edge + (i * (wide - 2 * edge)) / Math.max(1, axes.length - 1);
  const scales = axes.map((axis) => scale(axis.low, axis.high, high - 34, 56, false));
  const order = rows.filter((row) => row.values.has(outcome)).sort((a, b) => b.values.get(outcome) - a.values.get(outcome));
  for (const row of order) {
    const known = [...axes.keys()].filter((i) => row.values.has(axes[i].name));
    const points = known.map((i) => `${place(i)} ${scales[i].place(axes[i].number(row.values.get(axes[i].name)))}`);
    const line = { class: row === order.at(-1) ? "run l1" : "run l0 pale", d: `M${points.join("L")}` };
    if (points.length > 1) svg.append(node("path", line, node("title", {}, row.name)));
  }
  for (const [i, axis] of axes.entries()) {
    svg.append(node("path", { class: "axis", d: `M${place(i)} 56V${high - 34}` }));
    const title = short(axis.name.replace(/^config\./, ""));
    svg.append(node("text", { x: place(i), y: i % 2 ? 30 : 14, "text-anchor": "middle" }, title, node("title", {}, axis.name)));
    const ends = axis.marks.length === 2;
    for (const [value, text] of axis.marks) {
      const beside = { x: place(i) + 5, y: scales[i].place(value) + 4 };
      const at = ends ? { x: place(i), y: value === axis.low ? high - 16 : 48, "text-anchor": "middle" } : beside;
      svg.append(node("text", at, text));
    }
  }
  return svg;
}

function scatter(rows, axis, outcome, wide) {
  const high = 300;
  const left = 80;
  const svg = node("svg", { class: "compare", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img" });
  svg.setAttribute("aria-label", `${outcome.name} against ${axis.name}, ${rows.length} runs`);
  const x = scale(axis.low, axis.high, left + 16, wide - 40, false);
  const y = scale(outcome.low, outcome.high, high - 60, 20, false);
  svg.append(node("path", { class: "axis", d: `M${left} 10V${high - 44}H${wide - 10}` }));
  for (const [value, text] of axis.marks) svg.append(node("text", { x: x.place(value), y: high - 26, "text-anchor": "middle" }, text));
  for (const [value, text] of outcome.marks)
    svg.append(node("text", { x: left - 6, y: y.place(value) + 5, "text-anchor": "end" }, text));
  svg.append(node("text", { x: (left + wide) / 2, y: high - 6, "text-anchor": "middle" }, axis.name));
  for (const row of rows)
    if (row.values.has(axis.name) && row.values.has(outcome.name)) {
      const [given, came] = [row.values.get(axis.name), row.values.get(outcome.name)];
      svg.append(
        node("circle", { class: "f0", cx: x.place(axis.number(given)), cy: y.place(came), r: 5 },
          node("title", {}, `${row.name}: ${axis.name} ${shownAs(given)}, ${outcome.name} ${said(came)}`)));
    }
  return svg;
}

/** A picture as wide as its place, or as wide as it has to be at least, so that one scrolls; drawn again where the place changes. */
function placeOf(label, least, draw) {
  const place = document.createElement("div");
  place.className = "scroll";
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", label);
  let wide = 0;
  place.redraw = () => {
    wide = Math.max(place.clientWidth, least);
    place.replaceChildren(draw(wide));
  };
  new ResizeObserver(() => {
    if (Math.max(place.clientWidth, least) !== wide) place.redraw();
  }).observe(place);
  return place;
}

/** Adds the section once the curve has its values. Names that no run has (a band, a group) have no facts, and are left out. */
export async function compareRuns(main, base, curve, names) {
  if (names.length > RUNS) return;
  while (!curve.lines.length) await new Promise((again) => setTimeout(again, 100));
  const given = await eachOf(names, (name) => settingsOf(base, name));
  const came = await eachOf([...names.keys()], (i) => outcomesOf(base, names[i], curve.columns[i]));
  const outcome = `last ${curve.column}`;
  const best = `best ${curve.column}`;
  const rows = names
    .map((name, i) => ({ name, known: [...given[i], [best, came[i].best], [outcome, came[i].last]] }))
    .map(({ name, known }) => ({ name, values: new Map(known.filter(([, value]) => value !== undefined && value !== null)) }))
    .filter((row) => Number.isFinite(row.values.get(outcome)));
  const all = [...new Set(rows.flatMap((row) => [...row.values.keys()]))];
  const axes = all.map((name) => axisOf(name, rows.map((row) => row.values.get(name)))).filter(Boolean);
  const last = axes.find((axis) => axis.name === outcome);
  const settings = axes.filter((axis) => axis.name.startsWith("config."));
  if (!last || !settings.length) return;
  const shown = [...settings.slice(0, AXES), ...axes.filter((axis) => axis.name === best), last];
  const section = document.createElement("section");
  section.id = "compare";
  const head = document.createElement("h2");
  head.textContent = "SETTINGS AND OUTCOME";
  const choice = document.createElement("select");
  choice.id = "compare-x";
  for (const axis of settings) choice.append(new Option(axis.name));
  const label = document.createElement("label");
  label.htmlFor = choice.id;
  label.textContent = `${outcome} against `;
  const lines = placeOf("parallel coordinates", shown.length * LEAST, (wide) => parallel(rows, shown, outcome, wide));
  const dots = placeOf("scatter", 300, (wide) => scatter(rows, settings[choice.selectedIndex], last, wide));
  choice.addEventListener("change", dots.redraw);
  const about = document.createElement("p");
  about.className = "dim";
  const left = settings.length > AXES ? ` The first ${AXES} of ${settings.length} are drawn here, and all can be chosen below.` : "";
  const strong = `The run with the least ${outcome} is drawn strong.`;
  about.textContent = `${rows.length} runs, and the settings that differ between them.${left} ${strong}`;
  const choose = document.createElement("p");
  choose.append(label, choice);
  const matrix = document.createElement("a");
  matrix.href = `${base}/matrix?${new URLSearchParams(names.map((name) => ["run", name]))}`;
  matrix.textContent = "The first step at which each two of them differ";
  const link = document.createElement("p");
  link.append(matrix);
  section.append(head, about, lines, choose, dots, link);
  main.append(section);
}
