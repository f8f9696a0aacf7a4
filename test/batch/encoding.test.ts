import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodingNamed } from '../../src/batch/encoding.ts';
import { reading } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { runs } from '../torture/size.ts';

const TEXT = 'key,receiver.firstName\nK,Ömer Şengül\n';
const bytesIn = (name: string, text = TEXT) => encodingNamed(name).encode?.(text) ?? new Uint8Array();

test.each(['windows-1254', 'iso-8859-9', 'utf-16le', 'utf-16be', 'macintosh', 'utf-8'])(
  'What is written in %s is read in it, and --failed is written in it',
  async name => {
    const text = name === 'macintosh' ? TEXT.replace('Şengül', 'Sengül') : TEXT;
    const flags = `--encoding ${name} --failed mend.csv`;
    const { at } = await reading(bytesIn(name, text), { flags });
    expect(at('receiver.firstName')).toEqual([[text.split(',')[2]?.trim()]]);
    const { rig } = await reading(bytesIn(name, text), { flags: `${flags} --set carrier.id=` });
    const mend = encodingNamed(name).decode(readFileSync(join(rig.folder, 'mend.csv')));
    expect(mend).toMatch(/^\ufeff?_error,_record,key,receiver\.firstName\n.*,rec_\w+,K,Ömer [ŞS]engül\n$/);
  },
);

test('Each byte of a single-byte encoding is written as it was read', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('windows-1254', 'windows-1250', 'iso-8859-2', 'koi8-r'),
      fc.uint8Array(),
      (name, bytes) => {
        const encoding = encodingNamed(name);
        let text: string;
        try {
          text = encoding.decode(bytes);
        } catch {
          return;
        }
        expect(encoding.encode?.(text)).toEqual(bytes);
      },
    ),
    runs(150),
  );
});

test('An encoding that is unknown is refused with a near name', async () => {
  const { run } = await createRig({ files: { 'orders.csv': 'key\n' } });
  for (const [name, words] of [
    ['windows-1524', /--encoding "windows-1524" is not .*did you mean windows-/],
    ['cp-1254', /did you mean windows-1254\?/],
    ['turkish', /--encoding "turkish" is not /],
  ] as const) {
    const ran = await run(`batch ship orders.csv --encoding ${name}`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(ran.stderr).toMatch(words);
  }
  expect((await run('batch ship orders.csv --encoding cp1254')).exitCode).toBe(0);
});

test('Bytes that are no UTF-8 name the option that reads them', async () => {
  expect((await reading(bytesIn('windows-1254'))).ran.stderr).toContain('--encoding windows-1254');
});
