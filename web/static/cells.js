// The answer of /p/PROJECT/plot/COLUMN.json?cells=N as typed arrays, and what is worked out of it.

const numbers = (list) => Float64Array.from(list, Number); // "NaN" and "Infinity" come as texts

/** One line of the answer. */
export function lineOf(line) {
  return {
    whyNot: line.why_not,
    rows: line.cell_row_count,
    values: line.value_count,
    odd: line.odd_count,
    first: numbers(line.cell_first),
    last: numbers(line.cell_last),
    min: numbers(line.cell_min),
    mean: numbers(line.cell_mean),
    max: numbers(line.cell_max),
    count: numbers(line.cell_count),
    oddHere: numbers(line.cell_odd_count),
  };
}

/** An exponentially weighted mean of a span of values, corrected for the bias of its beginning, over the means of cells; a cell counts as
 * often as it has values. Where each value is a cell it is what `tscope plot --smooth` draws. */
export function smoothed(line, span) {
  if (!(span > 1)) return line.mean;
  const keep = 1 - 2 / (span + 1);
  const out = new Float64Array(line.mean.length).fill(NaN);
  let sum = 0;
  let weight = 0;
  for (let i = 0; i < out.length; i++) {
    if (!Number.isFinite(line.mean[i])) continue;
    const kept = keep ** line.count[i];
    sum = sum * kept + line.mean[i] * (1 - kept);
    weight = weight * kept + (1 - kept);
    out[i] = sum / weight;
  }
  return out;
}

/** Whether steps are missing behind cell i: the next lies more than ten times as far away as the cells around lie from theirs. */
export function isGap(line, i) {
  const here = line.first[i + 1] - line.last[i];
  const before = i > 0 ? line.first[i] - line.first[i - 1] : 0;
  const after = i + 2 < line.first.length ? line.first[i + 2] - line.first[i + 1] : 0;
  return Math.max(before, after) > 0 && here > 10 * Math.max(before, after);
}

/** The last cell that begins at or before x; 0 if none does. */
export function cellAt(line, x) {
  let low = 0;
  let high = line.first.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (line.first[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}
