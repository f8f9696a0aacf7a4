// Compares the measurements with each other and with the goals.
import { median } from './measure.mjs';

const HOLDS = { '<': (a, b) => a < b, '≤': (a, b) => a <= b, '≥': (a, b) => a >= b };

/**
 * One row for each name of `samples`, a map to the measurements of all rounds. `goals` has for a name the list of
 * `[other name, sign, bound]` that its ratio to the other must meet. Without goals it is compared with the first name.
 * `absent` says why a name has no samples.
 */
export function rowsOf({ part, unit, absent = 'not installed' }, samples, goals = {}) {
  const [first] = samples.keys();
  return [...samples].map(([name, values]) => ({
    part,
    unit,
    name,
    ...(values.length === 0 ? { absent } : summary(values)),
    comparisons: (goals[name] ?? [[first]])
      .filter(([to]) => to !== name)
      .map(([to, sign, bound]) => ({
        to,
        ...(values.length === 0 || samples.get(to).length === 0
          ? { ratio: null, ...(sign && { goal: `${sign} ${bound}`, verdict: `nothing claimed, ${absent}` }) }
          : judged(median(values.map((value, round) => value / samples.get(to)[round])), sign, bound)),
      })),
  }));
}

/** One figure of each sample. Missing figures are left out. */
export const seriesOf = (samples, read) =>
  new Map([...samples].map(([name, list]) => [name, list.map(read).filter(value => value !== null)]));

const summary = values => ({
  runs: values.length,
  median: rounded(median(values), 1),
  min: rounded(Math.min(...values), 1),
  max: rounded(Math.max(...values), 1),
});

// The goal is checked with the rounded value that is shown.
function judged(exact, sign, bound) {
  const ratio = rounded(exact, 3);
  return {
    ratio,
    ...(sign && { goal: `${sign} ${bound}`, verdict: HOLDS[sign](ratio, bound) ? 'met' : 'not met' }),
  };
}

const rounded = (number, digits) => Number(number.toFixed(digits));
