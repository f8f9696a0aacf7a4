// Measures speed and memory, prints one table, and saves it with the description of the machine. See README.md.
//   node bench/run.mjs [--only startup|bulk|fleet|journal] [--quick | --large | --huge] [--results FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureBulk } from './bulk.mjs';
import { measureFleet } from './fleet.mjs';
import { measureJournal } from './journal.mjs';
import { describeMachine, describeVersions } from './machine.mjs';
import { setStage } from './stage.mjs';
import { measureStartup } from './startup.mjs';
import { tableOf } from './table.mjs';

const PARTS = { startup: measureStartup, bulk: measureBulk, fleet: measureFleet, journal: measureJournal };

const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      huge: { type: 'boolean', default: false },
      results: { type: 'string' },
    },
  });
  if (values.only !== undefined && !Object.hasOwn(PARTS, values.only))
    throw new Error(`--only takes ${oneOf.format(Object.keys(PARTS))}, not ${values.only}`);
  return values;
}

/** Results of a few runs, or of one part, must not replace the committed results. */
const resultsFile = ({ results, quick, only }) =>
  results ?? (quick || only ? undefined : new URL('results.json', import.meta.url));

async function run(args) {
  const options = optionsOf(args);
  const { only, quick, large, huge } = options;
  const stage = await setStage();
  const machine = describeMachine(stage);
  const versions = describeVersions(stage);
  const rows = [];
  const file = resultsFile(options);
  for (const [part, measure] of Object.entries(PARTS)) {
    if (only !== undefined && only !== part) continue;
    if (process.stderr.isTTY) process.stderr.write(`measuring ${part} …\n`);
    rows.push(...(await measure(stage, options)));
    // After each part: a run that is ended keeps what it measured.
    const results = { machine, versions, options: { only: only ?? null, quick, large, huge }, rows };
    if (file) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  }
  process.stdout.write(tableOf(rows));
  if (quick)
    process.stdout.write('\nToo few runs and records to judge by: this only shows that the bench works.\n');
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
}
