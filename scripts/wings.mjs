// npm run wings [-- --quick] [WING...]: takes each wing and its tests out of a copy of the sources, and runs there types, lint and the
// tests that are left; `--quick` runs two files of them. Prints a line for each wing, and ends with 0 if the core is whole without
// any of them.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import { build } from 'esbuild';

const LIST = 'src/wings.ts';
const IMPORT = /^import \{ (\w+) \} from '\.\/\w+\/wing\.ts';\n/gm;

/** What speaks of all wings at once: documents, and how the sources are laid out. */
const OF_THE_WHOLE = /^test\/(house\.test|docs(-links)?\.test|readme\.test|documents\/)/;

/** Tests that are quick, and reach much of the core: requests, and what is shown. */
const QUICK = ['test/order/request.test.ts', 'test/output/formats.test.ts'];

async function isWholeWithout(wing, copy) {
  const missing = await whatItAdds(wing);
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  for (const file of files.trim().split('\n')) if (existsSync(file)) cpSync(file, join(copy, file));
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const lines = linesOf(join(copy, 'src', wing));
  const tests = takeOut(wing, copy);
  const faults = [
    ...faultsOf('types', 'tsc', ['--noEmit'], copy),
    ...faultsOf('lint', 'biome', ['check', 'src', 'test'], copy),
  ];
  const lent = isQuick ? [] : unusedIn(copy);
  const ran = runTests(copy, missing);
  faults.push(...ran.failed);
  process.stdout.write(
    `${wing}: ${lines} lines and ${tests} files of tests less; ${ran.passed} tests pass, ${ran.needing} need it; the core is ${faults.length === 0 ? 'whole' : 'NOT WHOLE'}${lent.length > 0 ? `, and has names that nothing else uses: ${lent.join(', ')}` : ''}\n`,
  );
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return faults.length === 0;
}

/** The words that are typed for what a wing adds, and whether it asks a person. */
async function whatItAdds(wing) {
  const { outputFiles } = await build({
    entryPoints: [`src/${wing}/wing.ts`],
    write: false,
    format: 'esm',
  });
  const module = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  const { commands = {}, shops, forms, papersBehind } = module[wing];
  return {
    words: [...Object.keys(commands), ...(shops?.names ?? []), ...(papersBehind ? ['--papers'] : [])],
    asks: forms !== undefined,
  };
}

/** Takes out the folder of the wing, its name in the list, and the tests that reach into it. Gives the number of those files. */
function takeOut(wing, copy) {
  rmSync(join(copy, 'src', wing), { recursive: true });
  const list = join(copy, LIST);
  const text = readFileSync(list, 'utf8');
  const without = text
    .replace(`import { ${wing} } from './${wing}/wing.ts';\n`, '')
    .replace(/(const WINGS: readonly Wing\[\] = )\[(.*)\]/, (_, before, wings) => {
      const left = wings.split(', ').filter(name => name !== wing);
      return `${before}[${left.join(', ')}]`;
    });
  writeFileSync(list, without);
  const tests = testFiles(copy);
  const gone = new Set(
    tests.filter(
      path =>
        path.startsWith(`test/${wing}/`) ||
        path.startsWith(`test/promises/${wing}`) ||
        OF_THE_WHOLE.test(path),
    ),
  );
  // Until nothing is left that imports what is gone.
  for (let before = -1; before < gone.size; ) {
    before = gone.size;
    for (const path of tests)
      if (importsOf(copy, path).some(name => gone.has(name) || name.startsWith(`src/${wing}/`)))
        gone.add(path);
  }
  for (const path of gone) rmSync(join(copy, path), { force: true });
  return gone.size;
}

const testFiles = folder =>
  readdirSync(join(folder, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => `test/${name}`);

const importsOf = (folder, path) =>
  [...readFileSync(join(folder, path), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, name]) =>
    posix.join(dirname(path), name),
  );

const linesOf = folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .reduce((sum, name) => sum + readFileSync(join(folder, name), 'utf8').split('\n').length - 1, 0);

function faultsOf(what, program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(resolve('node_modules/.bin', program), args, {
    cwd,
    encoding: 'utf8',
  });
  return status === 0 ? [] : [`${what}: ${program}\n${stdout}${stderr}`];
}

/** What the core had for the wing alone. The sentences of a wing stay in the room of sentences. */
function unusedIn(cwd) {
  const { stdout } = spawnSync(
    resolve('node_modules/.bin/knip'),
    ['--include', 'files,exports,types', '--reporter', 'json', '--no-exit-code'],
    { cwd, encoding: 'utf8' },
  );
  return JSON.parse(stdout)
    .issues.filter(({ file }) => /^src\/(?!say\/)/.test(file))
    .flatMap(({ files = [], exports = [], types = [] }) =>
      [...files, ...exports, ...types].map(({ name }) => name),
    );
}

/** `missing`: what a test cannot use; one that does so counts as a test of the wing. */
function runTests(cwd, missing) {
  const report = join(cwd, 'report.json');
  const paths = isQuick ? QUICK : [];
  spawnSync(
    resolve('node_modules/.bin/vitest'),
    ['run', '--reporter=json', `--outputFile=${report}`, ...paths],
    {
      cwd,
      stdio: 'ignore',
      env: { ...process.env, WAYBILL_MISSING: JSON.stringify(missing) },
    },
  );
  const ran = { passed: 0, needing: 0, failed: [] };
  if (!existsSync(report)) return { ...ran, failed: ['the tests did not end'] };
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    if (file.assertionResults.length === 0 && file.status === 'failed')
      ran.failed.push(`${file.name}: ${file.message}`);
    for (const { status, fullName, failureMessages = [] } of file.assertionResults) {
      if (status === 'passed') ran.passed += 1;
      if (status !== 'failed') continue;
      const isOfWing = failureMessages.some(message => message.includes('a wing that is not here'));
      if (isOfWing) ran.needing += 1;
      else ran.failed.push(`${file.name}: ${fullName}\n${failureMessages.join('\n')}`);
    }
  }
  return ran;
}

const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const named = words.filter(word => !word.startsWith('--'));
const all = [...readFileSync(LIST, 'utf8').matchAll(IMPORT)].map(([, wing]) => wing);
let isWhole = true;
for (const wing of named.length > 0 ? named : all) {
  const copy = mkdtempSync(join(tmpdir(), `waybill-without-${wing}-`));
  try {
    isWhole = (await isWholeWithout(wing, copy)) && isWhole;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
process.exitCode = isWhole ? 0 : 1;
