// One column of some runs as a picture that can be zoomed. It draws what it has at once, and asks the server for the cells of the view, at
// most as many as it has pixels, one question at a time.
import { cellAt, isGap, lineOf, smoothed } from "./cells.js";
import { listen } from "./hands.js";
import { said, scale, ticks } from "./scale.js";

const EDGE = { left: 72, right: 12, top: 10, bottom: 34 };
const COLOURS = 8;
const DASHES = [[], [9, 5], [1, 4], [12, 4, 1, 4]];
const HIGH = 280;
const CELLS = 2000;

export class Curve {
  /** place: an element; address: of the document, with its runs; names, colours (variables of the style sheet) and dashes (0 to 3): of its
   * lines; marks: [{ x, text }] at steps; legend: whether the names stand above. */
  constructor(place, view, { address, column, names, colours = [], dashes = [], marks = [], legend = false }) {
    Object.assign(this, { view, address, column, names, dashes, marks, lines: [], strong: null });
    this.colours = names.map((_, i) => colours[i] ?? `--l${i % COLOURS}`);
    this.figure = document.createElement("figure");
    this.figure.className = "plot";
    const caption = document.createElement("figcaption");
    caption.textContent = column;
    for (const [i, name] of legend ? names.entries() : []) {
      const key = document.createElement("b");
      key.textContent = ` ${name}`;
      key.style.color = `var(${this.colours[i]})`;
      caption.append(key);
    }
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.className = "curve";
    this.tip = document.createElement("p");
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.note = document.createElement("p");
    this.note.className = "dim";
    this.figure.append(caption, this.canvas, this.tip, this.note);
    place.append(this.figure);
    this.hears();
    this.show = () => {
      this.draw();
      this.load();
    };
    view.shows.add(this.show);
    new ResizeObserver(() => this.show()).observe(this.canvas);
    queueMicrotask(() => this.load()); // a page that is not seen yet asks, too
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  remove() {
    this.view.shows.delete(this.show);
    this.figure.remove();
  }

  // -- asking --

  /** The ends of the picture. A stretch is asked for with half of its length before it, which smoothing begins with. */
  ends() {
    const low = this.view.from ?? this.low;
    const high = this.view.to ?? this.high;
    return low < high ? [low, high] : [low - 0.5, low + 0.5];
  }

  async load(again = false) {
    const { x, smooth, from, to } = this.view;
    const wide = Math.min(CELLS, Math.max(100, Math.round(this.canvas.clientWidth * devicePixelRatio)));
    const fields = new URLSearchParams({ x, cells: String(wide) });
    if (from !== null) fields.set("from", String(smooth > 1 ? from - ((to ?? this.high ?? from) - from) / 2 : from));
    if (to !== null) fields.set("to", String(to));
    const wanted = `${this.address}&${fields}`;
    if (!again && wanted === this.asked) return;
    if (this.busy) {
      this.late = true;
      this.lateAgain ||= again;
      return;
    }
    this.busy = true;
    this.asked = wanted;
    try {
      const answer = await fetch(wanted);
      this.take(await answer.json(), x);
    } catch {
      this.asked = null;
      this.say("The server does not answer; the picture stays as it was.");
    }
    this.busy = false;
    if (this.late) {
      const force = this.lateAgain;
      this.late = this.lateAgain = false;
      this.load(force);
    }
  }

  take(answer, axis) {
    if (answer.error) {
      this.lines = [];
      this.say(answer.error.message);
      this.draw();
      return;
    }
    this.axis = axis;
    this.unit = answer.unit;
    this.low = Number(answer.low ?? 0);
    this.high = Number(answer.high ?? 0);
    this.lines = answer.lines.map(lineOf);
    this.columns = answer.lines.map((l) => l.column);
    while (this.names.length < this.lines.length) this.names.push(answer.lines[this.names.length].run.id.slice(0, 12));
    while (this.colours.length < this.lines.length) this.colours.push(`--l${this.colours.length % COLOURS}`);
    const told = this.lines.flatMap((line, i) => {
      const texts = [];
      if (line.whyNot) texts.push(`${this.names[i]}: ${line.whyNot}`);
      else if (line.odd) texts.push(`${this.names[i]}: ${said(line.odd)} of ${said(line.values)} values are not finite; red marks say where`);
      return texts;
    });
    if (!answer.cell_max_count) told.push("The server is older than this page, and gives no cells.");
    const rows = Math.max(0, ...this.lines.map((line) => line.rows));
    const depth = rows > 1 ? `Each point stands for ${said(rows)} values: their mean, between the least and the greatest.` : "Each value is drawn.";
    this.say([...told, this.lines.some((line) => line.first.length) ? depth : ""].filter(Boolean).join(" · "));
    this.draw();
  }

  say(text) {
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  // -- drawing --

  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.paint();
    });
  }

  paint() {
    const wide = this.canvas.clientWidth;
    if (!wide) return;
    const began = performance.now();
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    const pen = this.canvas.getContext("2d");
    const dots = devicePixelRatio;
    if (this.canvas.width !== Math.round(wide * dots) || this.canvas.height !== Math.round(HIGH * dots)) {
      this.canvas.width = Math.round(wide * dots);
      this.canvas.height = Math.round(HIGH * dots);
    }
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    pen.clearRect(0, 0, wide, HIGH);
    pen.font = "12px system-ui, sans-serif";
    if (!this.lines.some((line) => line.first.length)) return;
    const [low, high] = this.ends();
    this.x = scale(low, high, EDGE.left, wide - EDGE.right, false);
    const drawn = this.lines.map((line) => ({ line, means: smoothed(line, this.view.smooth) }));
    const [bottom, top] = this.range(drawn, low, high);
    this.y = scale(bottom, top, HIGH - EDGE.bottom, EDGE.top, this.view.log);
    this.axes(pen, wide, colour);
    pen.save();
    pen.beginPath();
    pen.rect(EDGE.left, EDGE.top, wide - EDGE.left - EDGE.right, HIGH - EDGE.top - EDGE.bottom);
    pen.clip();
    drawn.forEach(({ line, means }, i) => this.line(pen, line, means, colour(this.colours[i]), i));
    drawn.forEach(({ line }) => this.odd(pen, line, colour("--high")));
    if (this.axis === "step") this.marked(pen, colour("--medium"));
    if (this.drag) {
      pen.fillStyle = colour("--accent");
      pen.globalAlpha = 0.2;
      pen.fillRect(Math.min(this.drag.from, this.drag.to), EDGE.top, Math.abs(this.drag.to - this.drag.from), HIGH);
    }
    pen.restore();
    this.canvas.setAttribute("role", "img"); // from here on it has something to say
    this.canvas.setAttribute("aria-label", this.summary(drawn, low, high));
    this.canvas.setAttribute("aria-busy", String(Boolean(this.busy))); // the values of this stretch are on their way
    this.canvas.dataset.paint = (performance.now() - began).toFixed(1); // read by the measurement
    this.canvas.dataset.paints = String(+(this.canvas.dataset.paints ?? 0) + 1);
  }

  range(drawn, low, high) {
    let bottom = Infinity;
    let top = -Infinity;
    const take = (v) => {
      if (!Number.isFinite(v) || (this.view.log && v <= 0)) return;
      bottom = Math.min(bottom, v);
      top = Math.max(top, v);
    };
    for (const { line, means } of drawn)
      for (let i = 0; i < means.length; i++) {
        if (line.last[i] < low || line.first[i] > high) continue;
        if (this.view.smooth > 1) take(means[i]);
        else {
          take(line.min[i]);
          take(line.max[i]);
        }
      }
    if (bottom > top) return this.view.log ? [0.1, 1] : [0, 1];
    if (bottom === top) return this.view.log ? [bottom / 2, top * 2] : [bottom - (Math.abs(bottom) || 1) / 2, top + (Math.abs(top) || 1) / 2];
    const air = (top - bottom) / 25;
    return this.view.log ? [bottom / 1.1, top * 1.1] : [bottom - air, top + air];
  }

  axes(pen, wide, colour) {
    pen.strokeStyle = colour("--rule");
    pen.fillStyle = colour("--dim");
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const v of ticks(this.y.low, this.y.high, 5, this.view.log)) {
      const at = Math.round(this.y.place(v)) + 0.5;
      pen.beginPath();
      pen.moveTo(EDGE.left, at);
      pen.lineTo(wide - EDGE.right, at);
      pen.stroke();
      pen.fillText(said(v, this.unit), EDGE.left - 6, at);
    }
    pen.textBaseline = "top";
    pen.textAlign = "center";
    for (const v of ticks(this.x.low, this.x.high, Math.max(2, Math.floor(wide / 160)), false)) {
      const at = Math.round(this.x.place(v)) + 0.5;
      pen.beginPath();
      pen.moveTo(at, HIGH - EDGE.bottom);
      pen.lineTo(at, HIGH - EDGE.bottom + 4);
      pen.stroke();
      if (at > EDGE.left - 1 && at < wide - 20) pen.fillText(this.place(v), at, HIGH - EDGE.bottom + 6);
    }
    pen.textAlign = "right";
    pen.textBaseline = "bottom";
    pen.fillText(this.axis ?? this.view.x, wide - EDGE.right, HIGH - 1);
  }

  place(v) {
    return this.axis === "time" ? said(v, "s") : said(v);
  }

  line(pen, line, means, colour, i) {
    const n = line.first.length;
    const middle = (k) => this.x.place((line.first[k] + line.last[k]) / 2);
    const shown = (v) => Number.isFinite(v) && (!this.view.log || v > 0);
    const pale = this.strong !== null && this.strong !== i;
    pen.strokeStyle = pen.fillStyle = colour;
    if (line.rows > 1 && !(this.view.smooth > 1) && !pale) {
      pen.globalAlpha = 0.22;
      pen.beginPath();
      for (let k = 0; k < n; k++) {
        if (line.count[k] < 2 || !shown(line.max[k])) continue;
        const left = this.x.place(line.first[k]);
        const bottom = this.y.place(shown(line.min[k]) ? line.min[k] : this.y.low);
        pen.rect(left, this.y.place(line.max[k]), Math.max(1, this.x.place(line.last[k]) - left), Math.max(0.5, bottom - this.y.place(line.max[k])));
      }
      pen.fill();
    }
    pen.globalAlpha = pale ? 0.2 : 1;
    pen.lineWidth = this.strong === i ? 2.6 : 1.5;
    pen.lineJoin = "round";
    pen.setLineDash(DASHES[this.dashes[i] ?? 0]);
    pen.beginPath();
    let open = false;
    for (let k = 0; k < n; k++) {
      if (!shown(means[k])) {
        open = false;
        continue;
      }
      if (open) pen.lineTo(middle(k), this.y.place(means[k]));
      else pen.moveTo(middle(k), this.y.place(means[k]));
      open = k + 1 < n && !isGap(line, k);
    }
    pen.stroke();
    pen.setLineDash([]);
    if (n > 0 && n * 10 < this.canvas.clientWidth)
      for (let k = 0; k < n; k++)
        if (shown(means[k])) {
          pen.beginPath();
          pen.arc(middle(k), this.y.place(means[k]), 2.5, 0, 2 * Math.PI);
          pen.fill();
        }
    pen.globalAlpha = 1;
  }

  odd(pen, line, colour) {
    pen.fillStyle = colour;
    for (let k = 0; k < line.first.length; k++) {
      if (!line.oddHere[k]) continue;
      const left = this.x.place(line.first[k]);
      pen.fillRect(left, HIGH - EDGE.bottom - 6, Math.max(2, this.x.place(line.last[k]) - left), 6);
    }
  }

  marked(pen, colour) {
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 2;
    pen.textAlign = "left";
    pen.textBaseline = "top";
    for (const mark of this.marks) {
      const at = this.x.place(mark.x);
      pen.setLineDash([6, 4]);
      pen.beginPath();
      pen.moveTo(at, EDGE.top);
      pen.lineTo(at, HIGH - EDGE.bottom);
      pen.stroke();
      pen.setLineDash([]);
      pen.fillText(mark.text, at + 4, EDGE.top);
    }
  }

  /** What who does not see the picture hears. */
  summary(drawn, low, high) {
    const axis = this.axis ?? this.view.x;
    const texts = drawn.slice(0, 5).map(({ line, means }, i) => {
      const known = [...means.keys()].filter((k) => Number.isFinite(means[k]) && line.last[k] >= low && line.first[k] <= high);
      if (!known.length) return `${this.names[i]}: nothing to draw`;
      return `${this.names[i]}: from ${said(means[known[0]], this.unit)} to ${said(means[known.at(-1)], this.unit)}`;
    });
    return `${this.column} by ${axis}, from ${this.place(low)} to ${this.place(high)}. ${texts.join("; ")}`;
  }

  // -- hands --

  zoom(about, factor) {
    const [low, high] = this.ends();
    const from = about - (about - low) * factor;
    const to = about + (high - about) * factor;
    if (!(to - from > 0) || !Number.isFinite(this.low)) return;
    if (from <= this.low && to >= this.high) this.view.set({ from: null, to: null });
    else this.view.set({ from: Math.max(from, this.low), to: Math.min(to, this.high) });
  }

  move(part) {
    const [low, high] = this.ends();
    let by = (high - low) * part;
    by = Math.max(this.low - low, Math.min(this.high - high, by));
    if (by) this.view.set({ from: low + by, to: high + by });
  }

  hears() {
    listen(this.canvas, {
      value: (at) => this.x?.value(at),
      middle: () => {
        const [low, high] = this.ends();
        return (low + high) / 2;
      },
      zoom: (about, factor) => this.zoom(about, factor),
      move: (part) => this.move(part),
      whole: () => this.view.set({ from: null, to: null }),
      choose: (a, b) => this.view.set({ from: Math.max(a, this.low), to: Math.min(b, this.high) }),
      drag: (drag) => {
        this.drag = drag;
        this.draw();
      },
      point: (at) => this.point(at),
      leave: () => (this.tip.hidden = true),
    });
  }

  /** Says the values under the pointer. */
  point(px) {
    if (!this.x) return;
    const x = this.x.value(px);
    const texts = this.lines.flatMap((line, i) => {
      if (!line.first.length || (this.strong !== null && this.strong !== i)) return [];
      const k = cellAt(line, x);
      const value = Number.isFinite(line.mean[k]) ? said(line.mean[k], this.unit) : "not finite";
      const range = line.count[k] > 1 ? ` (${said(line.min[k], this.unit)} to ${said(line.max[k], this.unit)})` : "";
      return [`${this.names[i]} at ${this.place(line.first[k])}: ${value}${range}`];
    });
    this.tip.textContent = texts.slice(0, 6).join("\n");
    this.tip.hidden = !texts.length;
    const room = this.figure.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, px + 12))}px`;
    this.tip.style.top = "24px";
  }
}
