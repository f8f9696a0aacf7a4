// Changes one condition of the source at a time, and runs the tests that reach it: a condition that no test notices is not proved.
//
//     npm run conditions -- [FOLDER OF SRC...] [--part N/OF] [--seconds S] [--tests GLOB] [--report FILE] [--against FILE]
//
// Each operand of a test, and each comparison, is forced to be true, and to be false. `--part 3/20` takes a twentieth of these
// changes, and always the same ones. `--report` writes which were noticed. `--against` reads such a report and ends with 1 if a test
// noticed then what none notices now, as before and after tests are taken away. Asked are the tests that run the command in their
// own process; what needs real processes has mutants of its own in test/torture.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, parseAst } from 'vitest/node';

const SOURCE = resolve(import.meta.dirname, '../src');
/** They run the built command, or look at the source itself. */
const LEFT_OUT = [
  'test/built/**',
  'test/torture/!(model).test.ts',
  'test/{docs,house,repository}.test.ts',
  'test/manual/examples.test.ts',
  'test/booking/wire-table.test.ts',
];
/** So long tests may run for one change, in ms as the first run measured them. */
const MOST_MS = 60_000;
/** Test files that are run together: the first alone are the shortest, and notice most. */
const [FIRST_GROUP, NEXT_GROUP] = [2, 12];

const COMPARISONS = new Set(['===', '!==', '<', '<=', '>', '>=', 'in', 'instanceof']);
const FUNCTIONS = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const TESTED = /^(If|While|DoWhile)Statement$|^ConditionalExpression$/;
/** What is between a test and its operands. */
const AROUND_OPERANDS = /^(Logical|Unary|Parenthesized)Expression$/;

/** The conditions of a file: where each begins and ends, and a name that stays when other lines change. */
function conditionsIn(file, text) {
  const conditions = [];
  const times = new Map();
  const add = (node, scope) => {
    const name = `${file} ${scope}: ${text.slice(node.start, node.end).replace(/\s+/g, ' ')}`;
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    conditions.push({ name: nth === 1 ? name : `${name} (${nth})`, start: node.start, end: node.end });
  };
  const addOperands = (node, scope) => {
    if (node.type === 'LogicalExpression' && node.operator !== '??') {
      addOperands(node.left, scope);
      addOperands(node.right, scope);
    } else if (node.type === 'ParenthesizedExpression') addOperands(node.expression, scope);
    else if (node.type === 'UnaryExpression' && node.operator === '!') addOperands(node.argument, scope);
    else add(node, scope);
  };
  const visit = (node, scope, isTested) => {
    if (TESTED.test(node.type)) addOperands(node.test, scope);
    else if (node.type === 'BinaryExpression' && COMPARISONS.has(node.operator) && !isTested)
      add(node, scope);
    for (const [key, child] of Object.entries(node)) {
      if (key === 'parent') continue;
      const isOperand =
        (TESTED.test(node.type) && key === 'test') || (isTested && AROUND_OPERANDS.test(node.type));
      for (const part of Array.isArray(child) ? child : [child])
        if (typeof part?.type === 'string') visit(part, functionName(node, part) ?? scope, isOperand);
    }
  };
  visit(parseAst(text, { lang: 'ts' }), '', false);
  return conditions;
}

/** The name of a function, where a part of the tree begins one. */
function functionName(node, part) {
  if (FUNCTIONS.test(node.type) && node.id) return node.id.name;
  return FUNCTIONS.test(part.type) ? (node.id?.name ?? node.key?.name) : undefined;
}

/** The text with a call around each condition, which notes that it was reached, and may answer in its place. */
function watched(text, conditions) {
  const inserts = conditions.flatMap(({ number, start, end }) => [
    // At one place the longer condition begins first, and ends last.
    { at: start, text: `__condition(${number}, `, order: [1, -end] },
    { at: end, text: ')', order: [0, -start] },
  ]);
  inserts.sort((a, b) => a.at - b.at || a.order[0] - b.order[0] || a.order[1] - b.order[1]);
  let [written, at] = ['', 0];
  for (const insert of inserts) {
    written += text.slice(at, insert.at) + insert.text;
    at = insert.at;
  }
  return written + text.slice(at);
}

/** The same number for a name in each run. */
const hashOf = name => createHash('sha256').update(name).digest().readUInt32BE();

/** The watched text of each file, and the changes that are asked for. */
function changesOf(folders, part, parts) {
  const texts = new Map();
  const changes = [];
  let number = 0;
  for (const name of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/(?<!\.d)\.ts$/.test(name)) continue;
    const path = join(SOURCE, name);
    const text = readFileSync(path, 'utf8');
    const conditions = conditionsIn(relative(SOURCE, path), text);
    const isWanted =
      folders.length === 0 || folders.some(folder => name === folder || name.startsWith(`${folder}/`));
    for (const condition of conditions) {
      condition.number = number;
      number += 1;
      for (const forced of isWanted ? [true, false] : []) {
        const change = { name: `${condition.name} is ${forced}`, number: condition.number, forced };
        if (hashOf(change.name) % parts === part) changes.push(change);
      }
    }
    texts.set(path, watched(text, conditions));
  }
  return { texts, changes };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string', default: '0/1' },
    seconds: { type: 'string', default: '86400' },
    tests: { type: 'string', default: 'test/**/*.test.ts' },
    report: { type: 'string' },
    against: { type: 'string' },
  },
});
const [part, parts] = values.part.split('/').map(Number);
const { texts, changes } = changesOf(positionals, part, parts);

const folder = mkdtempSync(join(tmpdir(), 'waybill-conditions-'));
/** What the tests read: which condition is forced, and where they write which they reached. */
const order = join(folder, 'order.json');
const reports = join(folder, 'reached.jsonl');
const setOrder = active => writeFileSync(order, JSON.stringify({ active, reports }));
process.env.WAYBILL_CONDITIONS = order;
setOrder(null);
writeFileSync(reports, '');

const vitest = await createVitest(
  'test',
  {
    run: true,
    watch: false,
    include: [values.tests],
    exclude: LEFT_OUT,
    reporters: [{}],
    silent: true,
    setupFiles: ['test/each-file.ts', 'scripts/conditions-watch.mjs'],
  },
  { plugins: [{ name: 'conditions', enforce: 'pre', transform: (_, id) => texts.get(id) }] },
);
try {
  await vitest.standalone();
  const { durations, filesThatReach } = await unchangedRun();
  for (const project of vitest.projects) project.config.bail = 1;
  const end = Date.now() + 1000 * values.seconds;
  const [noticed, missed] = [[], []];
  for (const change of changes) {
    if (Date.now() > end) break;
    const files = (filesThatReach.get(change.number) ?? []).toSorted(
      (a, b) => durations.get(a) - durations.get(b),
    );
    ((await isNoticed(change, files, durations)) ? noticed : missed).push(change.name);
    if (values.report) writeFileSync(values.report, JSON.stringify({ noticed, missed }, null, 1));
    process.stderr.write(
      `\r${noticed.length + missed.length} of ${changes.length}, ${missed.length} not noticed `,
    );
  }
  process.stderr.write('\n');
  tell(missed);
} finally {
  await vitest.close();
  rmSync(folder, { recursive: true });
}

/** Runs all tests, and gives how long each file took and which files reach a condition. */
async function unchangedRun() {
  const { testModules } = await vitest.runTestSpecifications(await vitest.globTestSpecifications(), true);
  const sound = testModules.filter(module => module.ok());
  for (const module of testModules)
    if (!sound.includes(module))
      process.stderr.write(`fails already, and is left out: ${module.relativeModuleId}\n`);
  const durations = new Map(sound.map(module => [module.moduleId, module.diagnostic().duration]));
  const filesThatReach = new Map();
  for (const line of readFileSync(reports, 'utf8').split('\n').filter(Boolean)) {
    const { file, numbers } = JSON.parse(line);
    if (durations.has(file))
      for (const number of numbers) filesThatReach.set(number, [...(filesThatReach.get(number) ?? []), file]);
  }
  return { durations, filesThatReach };
}

/** Does a test fail, of those that reach the condition? */
async function isNoticed({ number, forced }, files, durations) {
  setOrder({ number, forced });
  let left = MOST_MS;
  for (let at = 0; at < files.length && left > 0; ) {
    const group = files.slice(at, at + (at === 0 ? FIRST_GROUP : NEXT_GROUP));
    at += group.length;
    for (const file of group) left -= durations.get(file);
    const specifications = vitest.projects.flatMap(project =>
      group.map(file => project.createSpecification(file)),
    );
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
    if (unhandledErrors.length > 0 || testModules.some(module => !module.ok())) return true;
  }
  return false;
}

function tell(missed) {
  if (values.against === undefined) {
    process.stdout.write(missed.map(name => `${name}\n`).join(''));
    return;
  }
  const before = new Set(JSON.parse(readFileSync(values.against, 'utf8')).noticed);
  const lost = missed.filter(name => before.has(name));
  process.stdout.write(
    `${lost.length} noticed before, and not now\n${lost.map(name => `${name}\n`).join('')}`,
  );
  process.exitCode = lost.length > 0 ? 1 : 0;
}
