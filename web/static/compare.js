// Many runs by what they were given and what they came to: parallel coordinates, and a scatter of one setting against the outcome. The settings
// are the facts of group config that are numbers and not the same in all runs; the outcome is the last and the best value of the curve above.
import { said, scale } from "./scale.js";

const SVG = "http://www.w3.org/2000/svg";
const RUNS = 100;
const AXES = 8;

function node(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function settingsOf(base, name) {
  const answer = await fetch(`${base}/facts/${encodeURIComponent(name)}.json`);
  if (!answer.ok) return new Map();
  const { facts } = await answer.json();
  const list = facts.filter(({ group, fact }) => group === "config" && (fact.type === "int" || fact.type === "float") && Number.isFinite(Number(fact.value)));
  return new Map(list.map(({ path, fact }) => [path, Number(fact.value)]));
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

function parallel(rows, axes, outcome) {
  const [wide, high] = [900, 300];
  const svg = node("svg", { class: "compare", viewBox: `0 0 ${wide} ${high}`, role: "img" });
  svg.setAttribute("aria-label", `Parallel coordinates of ${rows.length} runs over ${axes.map((axis) => axis.name).join(", ")}`);
  const place = (i) => 60 + (i * (wide - 120)) / Math.max(1, axes.length - 1);
  for (const [i, axis] of axes.entries()) {
    svg.append(node("path", { class: "axis", d: `M${place(i)} 30V${high - 30}` }));
    svg.append(node("text", { x: place(i), y: 18, "text-anchor": "middle" }, axis.name.replace(/^config\./, "")));
    svg.append(node("text", { x: place(i), y: high - 10, "text-anchor": "middle" }, said(axis.low)));
    svg.append(node("text", { x: place(i) + 4, y: 44 }, said(axis.high)));
  }
  const order = [...rows].sort((a, b) => a.values.get(outcome) - b.values.get(outcome));
  for (const row of order.reverse()) {
    const points = axes.flatMap((axis, i) => (row.values.has(axis.name) ? [`${place(i)} ${scale(axis.low, axis.high, high - 30, 30, false).place(row.values.get(axis.name))}`] : []));
    if (points.length > 1) svg.append(node("path", { class: row === order.at(-1) ? "run l1" : "run l0 pale", d: `M${points.join("L")}` }, node("title", {}, row.name)));
  }
  return svg;
}

function scatter(rows, axis, outcome) {
  const [wide, high] = [900, 300];
  const svg = node("svg", { class: "compare", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${outcome.name} against ${axis.name}, ${rows.length} runs` });
  const x = scale(axis.low, axis.high, 80, wide - 20, false);
  const y = scale(outcome.low, outcome.high, high - 40, 20, false);
  svg.append(node("path", { class: "axis", d: `M80 20V${high - 40}H${wide - 20}` }));
  for (const v of [axis.low, axis.high]) svg.append(node("text", { x: x.place(v), y: high - 22, "text-anchor": "middle" }, said(v)));
  for (const v of [outcome.low, outcome.high]) svg.append(node("text", { x: 74, y: y.place(v) + 5, "text-anchor": "end" }, said(v)));
  svg.append(node("text", { x: wide / 2, y: high - 4, "text-anchor": "middle" }, axis.name));
  for (const row of rows)
    if (row.values.has(axis.name) && Number.isFinite(row.values.get(outcome.name)))
      svg.append(
        node("circle", { class: "f0", cx: x.place(row.values.get(axis.name)), cy: y.place(row.values.get(outcome.name)), r: 5 },
          node("title", {}, `${row.name}: ${axis.name} ${said(row.values.get(axis.name))}, ${outcome.name} ${said(row.values.get(outcome.name))}`)));
  return svg;
}

/** Adds the section once the curve has its values. Names that are not names of runs (a band, a group) have no facts, and are left out. */
export async function compareRuns(main, base, curve, names) {
  if (names.length > RUNS) return;
  while (!curve.lines.length) await new Promise((again) => setTimeout(again, 100));
  const given = await eachOf(names, (name) => settingsOf(base, name));
  const came = await eachOf([...names.keys()], (i) => outcomesOf(base, names[i], curve.columns[i]));
  const outcome = `last ${curve.column}`;
  const best = `best ${curve.column}`;
  const rows = names
    .map((name, i) => ({ name, values: new Map([...given[i], [best, came[i].best], [outcome, came[i].last]].filter(([, value]) => Number.isFinite(value))) }))
    .filter((row) => row.values.has(outcome));
  const all = [...new Set(rows.flatMap((row) => [...row.values.keys()]))];
  const axes = all.flatMap((name) => {
    const values = rows.map((row) => row.values.get(name)).filter(Number.isFinite);
    const low = Math.min(...values);
    const high = Math.max(...values);
    return low < high ? [{ name, low, high }] : [];
  });
  const last = axes.find((axis) => axis.name === outcome);
  const settings = axes.filter((axis) => axis.name.startsWith("config.")).slice(0, AXES);
  if (!last || !settings.length) return;
  const shown = [...settings, ...axes.filter((axis) => axis.name === best), last];
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
  let picture = scatter(rows, settings[0], last);
  choice.addEventListener("change", () => {
    const fresh = scatter(rows, settings[choice.selectedIndex], last);
    picture.replaceWith(fresh);
    picture = fresh;
  });
  const about = document.createElement("p");
  about.className = "dim";
  about.textContent = `${rows.length} runs; settings that are numbers and differ. The run with the least ${outcome} is drawn strong.`;
  const choose = document.createElement("p");
  choose.append(label, choice);
  const matrix = document.createElement("a");
  matrix.href = `${base}/matrix?${new URLSearchParams(names.map((name) => ["run", name]))}`;
  matrix.textContent = "The first step at which each two of them differ";
  const link = document.createElement("p");
  link.append(matrix);
  section.append(head, about, parallel(rows, shown, outcome), choose, picture, link);
  main.append(section);
}
