// Faults of a batch file.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type End, type Fault, row, runFaults, type Scene } from './fault.ts';

const HEAD = 'key,originCountry,destinationCountry,package';
const ROW = 'A-1,TR,DE,1kg@10x10x10';
const csv = (...lines: string[]) => lines.map(line => `${line}\r\n`).join('');

const PROPOSAL = '"originCountry":"TR","destinationCountry":"DE","package":"1kg@1x1x1"';

/** Refused, without a results file. */
const refused = (
  when: string,
  content: string | Uint8Array,
  sees: End[1][],
  scene: Scene = {},
  name = 'orders.csv',
): Fault =>
  row(
    `${name.split('.').at(-1)?.toUpperCase()} ${when}`,
    `batch quote ${name}`,
    [2, ...sees, 'othing was sent'],
    {
      files: { [name]: content },
      after: (_, rig) => expect(existsSync(join(rig.folder, 'orders.results.jsonl'))).toBe(false),
      ...scene,
    },
  );

runFaults('the file of a batch', [
  refused('with a quote that is never closed', csv(HEAD, ROW, 'A-2,"TR,DE,1kg@1x1x1'), [
    'orders.csv, line',
    'it is not CSV: a quote is never closed; n',
  ]),
  refused('with a quote in the middle of a cell', csv(HEAD, 'A-1,T"R,DE,1kg@1x1x1'), [
    'orders.csv, line 2',
    'it is not CSV: a quote is within a cell that does not begin with a quote; ',
  ]),
  refused('with text behind a closing quote', csv(HEAD, 'A-1,"TR"x,DE,1kg@1x1x1'), [
    'orders.csv, line 2',
    'it is not CSV: text follows the closing quote of a cell; ',
  ]),
  refused('with a NUL in a cell', csv(HEAD, 'A-1,T\0R,DE,1kg@1x1x1'), [
    'line 2',
    'originCountry',
    'country code such as DE, not "T\\u0000R"',
  ]),
  refused('in Latin-1', Buffer.from(csv(HEAD, 'Ä-1,TR,DE,1kg@1x1x1'), 'latin1'), [
    'not UTF-8 text',
    'CSV UTF-8',
  ]),
  refused('in UTF-16', Buffer.from(`\ufeff${csv(HEAD, ROW)}`, 'utf16le'), ['not UTF-8 text', 'CSV UTF-8']),
  refused('with a row that is too short', csv(HEAD, ROW, 'A-2,TR,DE'), [
    'line 3',
    'has 3 cells, but the header has 4',
  ]),
  refused('with a row that is too long', csv(HEAD, ROW, 'A-2,TR,DE,1@1x1x1,x'), [
    'line 3',
    'has 5 cells, but the header has 4',
  ]),
  refused('with a header twice', csv(`${HEAD},key`, `${ROW},A-2`), [
    'key  is in the header twice; remove or rename one of the columns',
  ]),
  refused(
    'with one field in two spellings',
    csv(`${HEAD},packages[0].weight,packages[00].weight`, `${ROW},1,2`),
    ['means the same field as'],
  ),
  refused('with a header that means nothing', csv(`${HEAD},destinationCuntry`, `${ROW},x`), [
    'destinationCuntry  is not a field',
    'did you mean destinationCountry?',
  ]),
  refused('with __proto__ as a header', csv(`${HEAD},a.__proto__.x`, `${ROW},x`), [
    'a.__proto__.x  is not a field',
  ]),
  refused('with constructor.prototype as a header', csv(`${HEAD},constructor.prototype.x`, `${ROW},x`), [
    'is not a field',
  ]),
  refused('with an index of nine digits', csv(`${HEAD},packages[999999999].weight`, `${ROW},1`), [
    'packages[999999999].weight  is not a field',
  ]),
  refused('with a cell without a header', csv(`${HEAD},`, `${ROW},x`), ['line 2', 'without a header']),
  refused('that is empty', '', ['the file is empty; it needs a header']),
  refused('of one line of 2 MB', `${HEAD}\n${'x'.repeat(2_000_000)}\n`, ['larger than 1 MiB']),
  refused('with a repeated key', csv(HEAD, ROW, ROW), ['line 3: key  is on line 2 already']),
  refused('with a package that is none', csv(HEAD, 'A-1,TR,DE,heavy'), [
    'line 2',
    'is not of the form [PIECESx]WEIGHT',
  ]),
  refused('with decimal commas', csv(HEAD, 'A-1,TR,DE,"1,5kg@1x1x1"'), [
    'line 2',
    'decimals have a dot, not a comma',
  ]),
  refused('with an escape sequence in a cell', csv(HEAD, 'A-1,\x1b[31mTR,DE,1@1x1x1'), [
    'line 2',
    '\\u001b[31mTR',
  ]),
  refused(
    'with a repeated name in a record',
    '{"key":"A","originCountry":"TR","originCountry":"DE"}\n',
    ['line 1', 'originCountry', 'is given twice in one object'],
    {},
    'orders.jsonl',
  ),
  refused('with a line that is not JSON', '{"key":"A"\n', ['line 1', 'is not JSON'], {}, 'orders.jsonl'),
  refused(
    'with constructor',
    '{"key":"A","constructor":{"prototype":{"a":1}}}\n',
    ['constructor  is not a field'],
    {},
    'orders.jsonl',
  ),
  row(
    'JSONL with __proto__, which is ignored like every field that begins with _',
    'batch quote orders.jsonl',
    [0],
    {
      files: { 'orders.jsonl': `{"__proto__":{"polluted":1},${PROPOSAL}}\n` },
    },
  ),
  refused(
    'of 100,000 brackets',
    `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`,
    ['line 1', 'more than 100 levels deep'],
    {},
    'orders.jsonl',
  ),
  refused(
    'that ends in the middle of a record',
    '[{"key":"A"},',
    ['it ends in the middle of the array'],
    {},
    'orders.json',
  ),
  refused('that is one object', '{"key":"A"}', ['expected a JSON array here'], {}, 'orders.json'),
  row('a batch whose file does not exist', 'batch quote nowhere.csv', [
    10,
    'nowhere.csv cannot be read',
    'nothing was sent',
  ]),
  row(
    'a batch whose file is a folder',
    'batch quote orders.csv',
    [10, 'orders.csv cannot be read', 'nothing was sent'],
    { files: { 'orders.csv': null } },
  ),
  row(
    'a batch of a file without a known extension',
    'batch quote orders',
    [2, 'add --format csv, json, jsonl'],
    { files: { orders: csv(HEAD, ROW) } },
  ),
  row('CSV that begins with a byte order mark', 'batch quote orders.csv -q', [0], {
    files: { 'orders.csv': `\ufeff${csv(HEAD, ROW)}` },
  }),
]);
