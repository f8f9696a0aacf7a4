// A process that puts a file of its own in place of each of many files that it has seen, at moments that another one has, too.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileAt, takePlace } from '../../src/host/folder.ts';

const [name = '', folder = '', count = ''] = process.argv.slice(2);
const BETWEEN_MS = 3;
const paths = Array.from({ length: Number(count) }, (_, index) => join(folder, `${index}.pdf`));
const seen = paths.map(fileAt);
process.stdout.write('ready\n');
// Comes when both are ready.
const begin = Number(readFileSync(0, 'utf8'));
const taken = paths.filter((path, index) => {
  const part = `${path}.${name}`;
  writeFileSync(part, name);
  const own = fileAt(part);
  while (Date.now() < begin + index * BETWEEN_MS);
  // What was written is still there a little later, as when labels are recorded as printed.
  const isTaken = takePlace(part, path, seen[index]);
  const until = performance.now() + 0.3;
  while (performance.now() < until);
  return isTaken && fileAt(path) === own;
});
process.stdout.write(`${JSON.stringify(taken)}\n`);
