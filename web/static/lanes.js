// The lanes of a trace as a picture that can be zoomed. It draws what it has at once, and asks the server for the cells of what is on
// screen, as many as it has pixels, one question at a time; the address of the page holds the stretch.
import { listen } from "./hands.js";
import { ticks } from "./scale.js";

const COLOURS = ["--p0", "--p2", "--p3", "--p7", "--p8", "--p4"]; // of parts, in the order of the answer; as the server draws them
const BAR = 24;
const TEXT = 18; // above each bar
const AXIS = 26;
const CELLS = 2000;
const LEAST = 20; // ns: nothing is seen in less
const NAME_LEAST = 40; // pixels of an event whose name stands in it

/** "12.345 ms", with the digits that tell it from a neighbour `near` ns away. */
export function time(ns, near = ns) {
  const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, n]) => Math.abs(ns) >= n) ?? ["ns", 1];
  const digits = near > 0 ? Math.max(0, Math.min(9, Math.ceil(Math.log10(size / near)) + 1)) : 0;
  return `${(ns / size).toLocaleString("en-US", { maximumFractionDigits: Math.min(digits, Math.log10(size)) })} ${unit}`;
}

const called = (lane) => (lane.thread ? `host, ${lane.thread} thread${lane.tid === null ? "" : ` ${lane.tid}`}` : `device ${lane.device}${lane.stream === null ? "" : `, stream ${lane.stream}`}`);

export class Lanes {
  /** drawn: what the server drew, which is hidden once there are cells; address: of the cells. */
  constructor(drawn, address) {
    const fields = new URLSearchParams(location.search);
    const number = (name) => (fields.get(name) && Number.isFinite(+fields.get(name)) ? +fields.get(name) : null);
    Object.assign(this, { drawn, address, from: number("from"), to: number("to") });
    this.box = document.createElement("div");
    this.box.className = "plot";
    this.canvas = document.createElement("canvas");
    this.canvas.className = "curve";
    this.canvas.tabIndex = 0;
    this.tip = document.createElement("p");
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.note = document.createElement("p");
    this.note.className = "dim";
    this.list = document.createElement("div");
    this.whole = document.createElement("button");
    Object.assign(this.whole, { type: "button", id: "timeline-whole", textContent: "Whole trace" });
    this.whole.addEventListener("click", () => this.set(null, null));
    this.box.append(this.canvas, this.tip, this.whole, this.note, this.list);
    this.box.hidden = true;
    drawn.before(this.box);
    listen(this.canvas, {
      value: (at) => (this.answer ? this.value(at) : undefined),
      middle: () => (this.ends()[0] + this.ends()[1]) / 2,
      zoom: (about, factor) => this.zoom(about, factor),
      move: (part) => this.move(part),
      whole: () => this.set(null, null),
      choose: (a, b) => this.set(a, Math.max(b, a + LEAST)),
      drag: (drag) => {
        this.drag = drag;
        this.draw();
      },
      point: (x, y) => this.point(x, y),
      leave: () => (this.tip.hidden = true),
    });
    this.sized = new ResizeObserver(() => {
      this.draw();
      this.load();
    });
    this.sized.observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.load();
  }

  remove() {
    this.sized.disconnect();
    this.box.remove();
  }

  // -- what is on screen --

  ends() {
    const length = this.answer?.length_ns ?? 1;
    return [this.from ?? 0, this.to ?? length];
  }

  value(px) {
    const [low, high] = this.ends();
    return low + (px / this.canvas.clientWidth) * (high - low);
  }

  place(ns) {
    const [low, high] = this.ends();
    return ((ns - low) / (high - low)) * this.canvas.clientWidth;
  }

  /** Shows the stretch, which the address holds from then on; null: the whole. */
  set(from, to) {
    const length = this.answer.length_ns;
    [this.from, this.to] = [from, to].map((ns) => (ns === null ? null : Math.round(Math.max(0, Math.min(length, ns)))));
    if (this.from === 0 && this.to === length) this.from = this.to = null;
    this.draw();
    this.load();
    clearTimeout(this.writes);
    this.writes = setTimeout(() => this.write(), 150);
  }

  write() {
    const fields = new URLSearchParams(location.search);
    for (const [name, ns] of [["from", this.from], ["to", this.to]]) {
      if (ns === null) fields.delete(name);
      else fields.set(name, String(ns));
    }
    const query = fields.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : ""));
  }

  zoom(about, factor) {
    const [low, high] = this.ends();
    if ((high - low) * factor < LEAST) return;
    this.set(about - (about - low) * factor, about + (high - about) * factor);
  }

  move(part) {
    const [low, high] = this.ends();
    const by = Math.max(-low, Math.min(this.answer.length_ns - high, (high - low) * part));
    if (by) this.set(low + by, high + by);
  }

  // -- asking --

  async load() {
    const wide = this.canvas.clientWidth || this.drawn.clientWidth;
    const fields = { cells: String(Math.min(CELLS, Math.max(100, Math.round(wide * devicePixelRatio)))) };
    if (this.from !== null) fields.from = String(this.from);
    if (this.to !== null) fields.to = String(this.to);
    const wanted = `${this.address}&${new URLSearchParams(fields)}`;
    if (wanted === this.asked) return;
    if (this.busy) {
      this.late = true;
      return;
    }
    this.busy = true;
    this.asked = wanted;
    try {
      this.take(await (await fetch(wanted)).json());
    } catch {
      this.asked = null;
      this.note.textContent = "The server does not answer; the picture stays as it was.";
    }
    this.busy = false;
    this.draw();
    if (this.late) {
      this.late = false;
      this.load();
    }
  }

  take(answer) {
    if (answer.error) {
      this.note.textContent = answer.error.message;
      this.box.hidden = false;
      return;
    }
    if (!answer.cell_count) return;
    if (!this.answer && this.from === null && this.to === null && answer.from_ns + answer.cell_count * answer.cell_ns < answer.length_ns)
      [this.from, this.to] = [answer.from_ns, answer.from_ns + answer.cell_count * answer.cell_ns]; // around the time of the address
    this.answer = answer;
    this.drawn.hidden = true;
    this.box.hidden = false;
    this.note.textContent = `${time(answer.length_ns)} from the first event to the last. A cell is ${time(answer.cell_ns)}; the paler, the less of it is covered. ` +
      "Drag over a stretch, or press + and - and the arrow keys on the picture, to zoom and move; Home shows the whole.";
    this.longest();
    this.draw();
  }

  // -- drawing --

  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.paint();
    });
  }

  paint() {
    if (!this.answer) return;
    const { lanes } = this.answer;
    const high = lanes.length * (TEXT + BAR) + AXIS;
    this.canvas.style.height = `${high}px`;
    const wide = this.canvas.clientWidth;
    if (!wide) return;
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    const pen = this.canvas.getContext("2d");
    const dots = devicePixelRatio;
    if (this.canvas.width !== Math.round(wide * dots) || this.canvas.height !== Math.round(high * dots)) {
      this.canvas.width = Math.round(wide * dots);
      this.canvas.height = Math.round(high * dots);
    }
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    pen.clearRect(0, 0, wide, high);
    pen.textBaseline = "middle";
    for (const [i, lane] of lanes.entries()) this.lane(pen, lane, i * (TEXT + BAR), wide, colour);
    this.axis(pen, lanes.length * (TEXT + BAR), wide, colour);
    this.across(pen, high - AXIS, colour);
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", this.summary());
    this.canvas.setAttribute("aria-busy", String(Boolean(this.busy))); // the cells of this stretch are on their way
  }

  lane(pen, lane, top, wide, colour) {
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.fillStyle = colour("--dim");
    pen.fillText(`${called(lane)}: ${this.share(lane)}`, 0, top + TEXT / 2);
    pen.fillStyle = colour("--rule");
    pen.fillRect(0, top + TEXT, wide, BAR);
    const { cell_busy_ns: busy, cell_longest_ns: longest, cell_begin_ns: begin, cell_part: part, cell_name: name } = lane;
    const shade = (k) => Math.max(1, Math.ceil((4 * busy[k]) / this.answer.cell_ns)) / 4;
    for (let k = 0, end; k < busy.length; k = end) {
      for (end = k + 1; end < busy.length && longest[k] && longest[end] && begin[end] === begin[k] && name[end] === name[k] && shade(end) === shade(k); end++);
      if (!longest[k]) continue;
      const left = this.place(this.answer.from_ns + k * this.answer.cell_ns);
      const right = this.place(this.answer.from_ns + end * this.answer.cell_ns);
      pen.globalAlpha = shade(k);
      pen.fillStyle = colour(COLOURS[part[k]] ?? "--p5");
      pen.fillRect(left, top + TEXT, Math.max(right - left, 1), BAR);
      pen.globalAlpha = 1;
      if (right - left >= NAME_LEAST) this.named(pen, this.answer.names[name[k]], left, right, top + TEXT, colour);
    }
  }

  /** As much of a name as the event has room for, on a ground that it reads on. */
  named(pen, name, left, right, top, colour) {
    pen.font = "11px ui-monospace, monospace";
    const text = name.slice(0, Math.floor((Math.min(right, this.canvas.clientWidth) - Math.max(left, 0) - 10) / 6.7));
    if (text.length < 3) return;
    pen.fillStyle = colour("--card");
    pen.fillRect(Math.max(left, 0) + 2, top + 5, text.length * 6.7 + 4, BAR - 10);
    pen.fillStyle = colour("--ink");
    pen.fillText(text, Math.max(left, 0) + 4, top + BAR / 2);
  }

  axis(pen, top, wide, colour) {
    const [low, high] = this.ends();
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = colour("--dim");
    pen.strokeStyle = colour("--dim");
    const places = ticks(low, high, Math.max(2, Math.floor(wide / 160)), false);
    for (const ns of places) {
      const at = this.place(ns);
      pen.beginPath();
      pen.moveTo(at, top);
      pen.lineTo(at, top + 5);
      pen.stroke();
      pen.textAlign = at < 40 ? "left" : at > wide - 40 ? "right" : "center";
      pen.fillText(time(ns, places[1] - places[0]), at, top + AXIS / 2 + 3);
    }
  }

  /** What stands over all lanes: the stretch that is chosen, and the time that the address asks about. */
  across(pen, high, colour) {
    if (this.drag) {
      pen.fillStyle = colour("--accent");
      pen.globalAlpha = 0.25;
      pen.fillRect(Math.min(this.drag.from, this.drag.to), 0, Math.abs(this.drag.to - this.drag.from), high);
      pen.globalAlpha = 1;
    }
    if (this.answer.mark_ns === null) return;
    pen.fillStyle = colour("--high");
    pen.fillRect(this.place(this.answer.mark_ns) - 1, 0, 2, high);
  }

  // -- words --

  share(lane) {
    const { from_ns: from, cell_ns: cell, cell_count: n, length_ns: length } = this.answer;
    return `${time(lane.busy_ns)}, ${((100 * lane.busy_ns) / (Math.min(length, from + n * cell) - from)).toFixed(1)} %`;
  }

  summary() {
    const [low, high] = this.ends();
    const near = (high - low) / 100;
    return `Timeline from ${time(low, near)} to ${time(high, near)}. ${this.answer.lanes.map((lane) => `${called(lane)}: ${this.share(lane)}`).join("; ")}`;
  }

  /** The longest event of each lane in words, for who does not see the picture or has no pointer; a button leads to each. */
  longest() {
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const text of ["lane", "longest event here", "took", "began at"]) {
      const cell = document.createElement("th");
      cell.textContent = text;
      cell.scope = "col";
      if (text !== "took") cell.className = "text";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const lane of this.answer.lanes) {
      const most = lane.cell_longest_ns.reduce((best, ns, k) => (ns && (best < 0 || lane.cell_duration_ns[k] > lane.cell_duration_ns[best]) ? k : best), -1);
      if (most < 0) continue;
      const [begin, took] = [lane.cell_begin_ns[most], lane.cell_duration_ns[most]];
      const row = body.insertRow();
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: time(begin, took) });
      button.addEventListener("click", () => this.set(begin - took, begin + 2 * took));
      for (const text of [called(lane), this.answer.names[lane.cell_name[most]].slice(0, 120), time(took, took / 1000)]) row.insertCell().textContent = text;
      row.cells[0].className = row.cells[1].className = "text";
      const cell = row.insertCell();
      cell.className = "text";
      cell.append(button);
    }
    this.list.className = "scroll";
    this.list.tabIndex = 0;
    this.list.setAttribute("role", "group");
    this.list.setAttribute("aria-label", "the longest event of each lane");
    this.list.replaceChildren(table);
  }

  /** Says what is under the pointer. */
  point(px, py) {
    if (!this.answer) return;
    const { lanes, from_ns: from, cell_ns: cell, names, parts } = this.answer;
    const lane = lanes[Math.floor(py / (TEXT + BAR))];
    const k = Math.floor((this.value(px) - from) / cell);
    this.tip.hidden = !lane?.cell_longest_ns[k];
    if (this.tip.hidden) return;
    const took = lane.cell_duration_ns[k];
    const texts = [names[lane.cell_name[k]].slice(0, 200), `${parts[lane.cell_part[k]]}, ${time(took, took / 1000)}, at ${time(lane.cell_begin_ns[k], took)}`];
    if (lane.cell_longest_ns[k] < lane.cell_busy_ns[k]) texts.push("and others in this cell");
    this.tip.textContent = texts.join("\n");
    const room = this.box.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, px + 12))}px`;
    this.tip.style.top = `${py + 16}px`;
  }
}
