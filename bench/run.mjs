// Measures speed and memory, and prints one table. See README.md.
//   node bench/run.mjs [--only startup|bulk] [--quick | --large | --huge]
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBulk } from './bulk.mjs';
import { measureJournal } from './journal.mjs';
import { median, showHeader } from './measure.mjs';
import { setStage } from './stage.mjs';
import { measureStartup } from './startup.mjs';

const PARTS = { startup: [measureStartup], bulk: [measureBulk, measureJournal] };

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      huge: { type: 'boolean', default: false },
    },
  });
  if (values.only !== undefined && !Object.hasOwn(PARTS, values.only))
    throw new Error(`--only takes startup or bulk, not ${values.only}`);
  return values;
}

/** The median time in ms of a sync of a few bytes. A booking waits for two. */
function syncTime(path) {
  const file = openSync(path, 'w');
  const times = Array.from({ length: 25 }, () => {
    const begun = performance.now();
    writeSync(file, 'synced');
    fsyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  return median(times);
}

try {
  const options = optionsOf(process.argv.slice(2));
  const stage = await setStage();
  const sync = syncTime(join(stage.folder, 'synced')).toFixed(2);
  const [processor] = cpus();
  process.stdout.write(
    `${processor?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.versions.node}, ${sync} ms for a sync\n`,
  );
  showHeader();
  for (const part of options.only ? [options.only] : Object.keys(PARTS))
    for (const measure of PARTS[part]) await measure(stage, options);
  if (options.quick)
    process.stdout.write('\nToo few runs and records to judge by: this only shows that the bench works.\n');
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
}
