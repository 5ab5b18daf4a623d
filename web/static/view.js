// What a page of curves shows, which its address holds: the stretch of the axis, the axis, smoothing and scale. All curves of a page share it.

const AXES = ["step", "time", "tokens", "samples", "epoch"];

export class View {
  constructor() {
    const fields = new URLSearchParams(location.search);
    const number = (name) => (fields.get(name) && Number.isFinite(+fields.get(name)) ? +fields.get(name) : null);
    this.x = AXES.includes(fields.get("x")) ? fields.get("x") : "step";
    this.smooth = Math.max(0, number("smooth") ?? 0);
    this.log = fields.get("log") === "1";
    this.from = number("from");
    this.to = number("to");
    this.columns = (fields.get("columns") ?? "").split(",").filter(Boolean);
    this.shows = new Set();
  }

  /** Takes what changed, writes the address, and has every curve draw. Another axis begins with its whole length. */
  set(change) {
    if (change.x && change.x !== this.x) change = { from: null, to: null, ...change };
    Object.assign(this, change);
    for (const show of this.shows) show();
    clearTimeout(this.writes);
    this.writes = setTimeout(() => this.write(), 150);
  }

  write() {
    const fields = new URLSearchParams(location.search);
    const put = (name, value) => (value === null || value === "" ? fields.delete(name) : fields.set(name, value));
    put("x", this.x === "step" ? "" : this.x);
    put("smooth", this.smooth > 1 ? String(this.smooth) : "");
    put("log", this.log ? "1" : "");
    put("from", this.from === null ? "" : String(this.from));
    put("to", this.to === null ? "" : String(this.to));
    put("columns", this.columns.join(","));
    const query = fields.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : ""));
  }

  /** The controls, which every page of curves has once. */
  controls() {
    const form = document.createElement("form");
    form.className = "filter";
    form.addEventListener("submit", (event) => event.preventDefault());
    const axis = document.createElement("select");
    axis.id = "curve-x";
    for (const word of AXES) axis.append(new Option(word, word, word === this.x, word === this.x));
    axis.addEventListener("change", () => this.set({ x: axis.value }));
    const smooth = document.createElement("input");
    Object.assign(smooth, { id: "curve-smooth", type: "number", min: 0, max: 1e9, step: 1, value: this.smooth, size: 6 });
    smooth.addEventListener("input", () => this.set({ smooth: Math.max(0, +smooth.value || 0) }));
    const log = document.createElement("input");
    Object.assign(log, { id: "curve-log", type: "checkbox", checked: this.log });
    log.addEventListener("change", () => this.set({ log: log.checked }));
    const whole = document.createElement("button");
    Object.assign(whole, { type: "button", textContent: "Whole run" });
    whole.addEventListener("click", () => this.set({ from: null, to: null }));
    const named = (text, field) => {
      const label = document.createElement("label");
      label.htmlFor = field.id;
      label.textContent = text;
      return label;
    };
    const pair = (text, field) => {
      const both = document.createElement("span");
      both.className = "pair";
      both.append(named(text, field), " ", field);
      return both;
    };
    form.append(pair("By", axis), pair("Smooth over", smooth), pair("Log scale", log), whole);
    return form;
  }
}
