// Numbers as people read them, and places for them on an axis.

/** A number with as many digits as tell it from its neighbours: 0.0012, 12,500, 1.2e+9. */
export function said(value, unit) {
  if (!Number.isFinite(value)) return String(value);
  if (unit === "bytes") return `${+(value / 2 ** 30).toPrecision(4)} GiB`;
  if (unit === "s") return Math.abs(value) >= 1 || value === 0 ? `${+value.toPrecision(4)} s` : `${+(value * 1000).toPrecision(4)} ms`;
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en-US");
  return String(+value.toPrecision(5));
}

/** Round numbers from low to high, about as many as wanted. */
export function ticks(low, high, wanted, log) {
  if (log && low > 0) {
    const list = [];
    const factor = Math.max(1, Math.round(Math.log10(high / low) / wanted));
    for (let e = Math.ceil(Math.log10(low)); 10 ** e <= high; e += factor) list.push(10 ** e);
    if (list.length >= 2) return list;
  }
  const rough = (high - low) / wanted;
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  const list = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) list.push(+(i * step).toPrecision(12));
  return list.length < 2 && wanted < 9 ? ticks(low, high, 2 * wanted, log) : list; // one alone does not say how long the axis is
}

/** Maps low..high to begin..end. */
export function scale(low, high, begin, end, log) {
  const way = log ? Math.log : (v) => v;
  const from = way(low);
  const wide = way(high) - from || 1;
  return {
    low,
    high,
    place: (v) => begin + ((way(v) - from) / wide) * (end - begin),
    value: (at) => {
      const v = from + ((at - begin) / (end - begin)) * wide;
      return log ? Math.exp(v) : v;
    },
  };
}
