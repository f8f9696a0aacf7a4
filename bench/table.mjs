// Shows the results as one table with a heading for each part.

const HEADER = ['', 'runs', 'median', 'min', 'max', 'ratio', 'goal'];
const NUMBERS = [1, 2, 3, 4];

/** As text, a line each. */
export function tableOf(rows) {
  const lines = [HEADER];
  for (const [at, row] of rows.entries()) {
    if (row.part !== rows[at - 1]?.part) lines.push([], [`${row.part}, ${row.unit}`]);
    lines.push(...linesOf(row));
  }
  // A heading may be longer than the names below it.
  const widths = HEADER.map((_, at) =>
    Math.max(...lines.filter(line => line.length > 1).map(line => line[at].length)),
  );
  const pad = (cell, at) => (NUMBERS.includes(at) ? cell.padStart(widths[at]) : cell.padEnd(widths[at]));
  return lines.map(line => `${line.map(pad).join('  ').trimEnd()}\n`).join('');
}

function linesOf({ name, absent, runs, median, min, max, comparisons }) {
  const [first = ['', ''], ...more] = absent ? [[absent, '']] : comparisons.map(comparisonOf);
  const figures = absent ? Array(4).fill('-') : [String(runs), ...[median, min, max].map(shown)];
  return [
    [`  ${name}`, ...figures, ...first],
    ...more.map(comparison => ['', ...Array(4).fill(''), ...comparison]),
  ];
}

const comparisonOf = ({ to, ratio, goal, verdict }) => [
  `${ratio?.toFixed(3) ?? '-'} × ${to}`,
  goal ? `${goal}: ${verdict}` : '',
];

const shown = number => number.toLocaleString('en', { minimumFractionDigits: 1 });
