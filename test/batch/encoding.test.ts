import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodingNamed } from '../../src/batch/encoding.ts';
import { RUNS, readAll, refusal } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';

const TEXT = 'key,receiver.firstName\nK,Ömer Şengül\n';

test.each(['windows-1254', 'iso-8859-9', 'utf-16le', 'utf-16be', 'macintosh', 'utf-8'])(
  'What is written in %s is read in it',
  async name => {
    const encoding = encodingNamed(name);
    const text = name === 'macintosh' ? TEXT.replace('Şengül', 'Sengül') : TEXT;
    const bytes = encoding.encode?.(text) ?? new Uint8Array();
    const { records } = await readAll(bytes, { encoding, sizes: [1, 2, 3] });
    expect(records[0]?.value).toEqual({ receiver: { firstName: text.split(',')[2]?.trim() } });
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
    RUNS,
  );
});

test('An encoding that is unknown is refused with a near name', () => {
  expect(() => encodingNamed('windows-1524')).toThrow(
    /--encoding "windows-1524" is not .*did you mean windows-/,
  );
  expect(() => encodingNamed('cp1254')).not.toThrow();
  expect(() => encodingNamed('cp-1254')).toThrow('did you mean windows-1254?');
});

test('Bytes that are no UTF-8 name the option that reads them', async () => {
  const { message } = await refusal(encodingNamed('windows-1254').encode?.(TEXT) ?? new Uint8Array());
  expect(message).toContain('--encoding windows-1254');
});

test('A batch reads --encoding, and --failed is written in it', async () => {
  const rig = await createRig();
  const encoding = encodingNamed('windows-1254');
  writeFileSync(join(rig.folder, 'orders.csv'), encoding.encode?.(TEXT) ?? '');
  const ran = await rig.run(
    'batch ship orders.csv --encoding windows-1254 --skip-invalid --failed mend.csv --set type=package',
  );
  expect(ran.exitCode).toBe(9);
  const mend = encoding.decode(readFileSync(join(rig.folder, 'mend.csv')));
  expect(mend).toMatch(/^_error,_record,key,receiver\.firstName\n.*,rec_\w+,K,Ömer Şengül\n$/s);
  const wrong = await rig.run('batch ship orders.csv --encoding turkish');
  expect(wrong).toMatchObject({ exitCode: 2, requests: [] });
});
