// Changes one condition of the source at a time, and runs the tests that reach it: a condition that no test notices is not proved.
//
//     npm run conditions -- [FOLDER OF SRC...] [--part N/OF] [--workers N] [--tests GLOB] [--report FILE] [--against FILE]
//
// Each operand of a test, and each comparison, is forced to be true, and to be false. `--part 3/20` takes a twentieth of these
// changes, and always the same ones. `--report` writes which were noticed. `--against` reads such a report and ends with 1 if a test
// noticed then what none notices now, as before and after tests are taken away. Asked are the tests that run the command in their
// own process; what needs real processes has mutants of its own in test/torture.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, parseAst } from 'vitest/node';

const SOURCE = resolve(import.meta.dirname, '../src');
/** Files and folders of tests that run the built command, or look at the source itself. */
const LEFT_OUT = [
  'test/built',
  'test/docs.test.ts',
  'test/documents/examples.test.ts',
  'test/forms/terminal.test.ts',
  'test/house.test.ts',
  'test/repository.test.ts',
  'test/torture',
];
/** Files of these folders that run the command in their own process. */
const KEPT = ['test/torture/model.test.ts', 'test/torture/morning.test.ts'];
/** For one change at most so many tests are run, drawn evenly from those that reach its condition. */
const MOST_TESTS = 150;

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
        const change = { name: `${condition.name} is ${forced}`, number: condition.number, value: forced };
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
    workers: { type: 'string', default: '2' },
    tests: { type: 'string', default: 'test/**/*.test.ts' },
    report: { type: 'string' },
    against: { type: 'string' },
  },
});
const gone = [...LEFT_OUT, ...KEPT].filter(name => !existsSync(name));
if (gone.length > 0) throw new Error(`scripts/conditions.mjs names tests that are gone: ${gone.join(', ')}`);
const isLeftOut = file =>
  LEFT_OUT.some(name => file === name || file.startsWith(`${name}/`)) && !KEPT.includes(file);
const [part, parts] = values.part.split('/').map(Number);
const { texts, changes } = changesOf(positionals, part, parts);

const folder = mkdtempSync(join(tmpdir(), 'waybill-conditions-'));
/** What scripts/conditions-runner.mjs reads: the changes for each test, and where it writes what it saw. */
const order = join(folder, 'order.json');
const reports = join(folder, 'reports.jsonl');
process.env.WAYBILL_CONDITIONS = order;

const vitest = await createVitest(
  'test',
  {
    run: true,
    watch: false,
    include: [values.tests],
    exclude: readdirSync('test', { recursive: true, encoding: 'utf8' })
      .map(name => join('test', name))
      .filter(isLeftOut),
    reporters: [{}],
    silent: true,
    runner: 'scripts/conditions-runner.mjs',
    maxWorkers: Number(values.workers),
  },
  { plugins: [{ name: 'conditions', enforce: 'pre', transform: (_, id) => texts.get(id) }] },
);
try {
  await vitest.standalone();
  const files = await vitest.globTestSpecifications();
  const testsThatReach = await unchangedRun(files);
  const isPromise = ({ moduleId }) => moduleId.includes('/test/promises/');
  /** The test that noticed a change, by the name of the change. */
  const noticed = {};
  for (const suite of [files.filter(isPromise), files.filter(file => !isPromise(file))]) {
    const left = changes.filter(({ name }) => !(name in noticed));
    for (const { change, test } of await changedRun(suite, left, testsThatReach)) noticed[change] ??= test;
    process.stderr.write(`${Object.keys(noticed).length} of ${changes.length} changes were noticed\n`);
  }
  const missed = changes.map(({ name }) => name).filter(name => !(name in noticed));
  if (values.report) writeFileSync(values.report, JSON.stringify({ noticed, missed }, null, 1));
  tell(missed);
} finally {
  await vitest.close();
  rmSync(folder, { recursive: true });
}

/** Runs the tests of these files, and gives what their runner wrote. */
async function runWith(plan, files) {
  writeFileSync(order, JSON.stringify({ plan, reports }));
  writeFileSync(reports, '');
  const { testModules } = await vitest.runTestSpecifications(files, true);
  const lines = readFileSync(reports, 'utf8').split('\n').filter(Boolean);
  return { testModules, lines: lines.map(line => JSON.parse(line)) };
}

/** Runs all tests as they are, and gives by the number of a condition which tests reach it. */
async function unchangedRun(files) {
  const { testModules, lines } = await runWith(null, files);
  for (const module of testModules)
    for (const test of module.children.allTests('failed'))
      process.stderr.write(`fails already, and is left out: ${module.relativeModuleId} > ${test.fullName}\n`);
  const testsThatReach = new Map();
  for (const { id, numbers } of lines)
    for (const number of numbers) testsThatReach.set(number, [...(testsThatReach.get(number) ?? []), id]);
  return testsThatReach;
}

/** Runs the tests of these files with the changes that they reach, and gives which test noticed which change. */
async function changedRun(files, changes, testsThatReach) {
  const fileOf = id => vitest.state.idMap.get(id).file.filepath;
  const paths = new Set(files.map(({ moduleId }) => moduleId));
  const plan = {};
  for (const change of changes) {
    const tests = (testsThatReach.get(change.number) ?? []).filter(id => paths.has(fileOf(id)));
    const step = Math.max(1, tests.length / MOST_TESTS);
    for (let at = 0; at < tests.length; at += step) {
      const id = tests[Math.floor(at)];
      plan[id] = [...(plan[id] ?? []), change];
    }
  }
  const planned = new Set(Object.keys(plan).map(fileOf));
  const wanted = files.filter(({ moduleId }) => planned.has(moduleId));
  const { lines } = await runWith(plan, wanted);
  return lines;
}

function tell(missed) {
  if (values.against === undefined) {
    process.stdout.write(missed.map(name => `${name}\n`).join(''));
    return;
  }
  const before = JSON.parse(readFileSync(values.against, 'utf8')).noticed;
  const lost = missed.filter(name => name in before);
  process.stdout.write(
    `${lost.length} noticed before, and not now\n${lost.map(name => `${name}\n    by ${before[name]}\n`).join('')}`,
  );
  process.exitCode = lost.length > 0 ? 1 : 0;
}
