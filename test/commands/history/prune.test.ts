// That what is deleted is in no file of the journal any more; promises/journal has the rest.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/host/sqlite.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { describeBoth, type SharedPlace, sharedPlace } from '../../rig/postgres.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);

describeBoth('history prune', journal => {
  test('deletes nothing if another desk labels the order while a person is asked', async () => {
    const rig = await createRig({ journal });
    expect((await rig.run('ship -f - --key K-1 -q', { stdin })).exitCode).toBe(0);
    const prune = (meanwhile: () => unknown) =>
      rig.run('history prune K-1', {
        terminal: true,
        async answers() {
          await meanwhile();
          return 'yes';
        },
      });
    const ran = await prune(async () => expect((await rig.run('label K-1')).exitCode).toBe(0));
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect((await rig.json('history show K-1')).request).not.toBeNull();
    expect((await prune(() => {})).exitCode).toBe(0);
    for (const { id } of await rig.json('history list --limit 100'))
      expect((await rig.json(`history show ${id}`)).request).toBeNull();
  });
});

test('leaves the files that were saved, also in the folder of waybill itself, and says where they may be', async () => {
  const rig = await createRig();
  await rig.run('ship -f - --key K-1 --label --print --papers', { stdin });
  await rig.run('label K-1 --download out');
  const own = join(rig.folder, 'state/labels');
  const saved = ['K-1-invoice.pdf', 'K-1-slip.pdf', 'K-1.pdf'];
  const ran = await rig.run('history prune K-1');
  expect([ran.exitCode, readdirSync(own).sort(), readdirSync(join(rig.folder, 'out'))]).toEqual([
    0,
    saved,
    ['K-1.pdf'],
  ]);
  expect(ran.stderr.replace(/\s+/g, ' ')).toContain(
    `papers (in ${own}, and where --download and --merge wrote)`,
  );
  expect((await rig.run('history prune --older-than 2020-01-01')).stderr).not.toContain(own);
});

/** Their rows fill several pages of the file. */
const ORDERS = 40;
const everybody = Array.from({ length: ORDERS }, (_, number) => number);

/** What the order of this number has of its receiver. */
const wordsOf = (number: number) => ({
  firstName: `Vorname${number}x`,
  lastName: `Nachname${number}x`,
  email: `mail${number}x@kunde.example`,
  street: `Straßenname${number}x`,
  phone: `5551${String(number).padStart(6, '0')}`,
});

function orderOf(number: number): object {
  const { street, phone, ...names } = wordsOf(number);
  const { receiver } = SHIPMENT as { receiver: { phone: object; address: object } };
  const where = {
    phone: { ...receiver.phone, number: phone },
    address: { ...receiver.address, line1: street },
  };
  return { ...SHIPMENT, receiver: { ...receiver, ...names, ...where } };
}

/** All that a copy of the files, or a dump of the database, has. */
async function bytesOf({ folder }: Rig, place: SharedPlace | undefined): Promise<string> {
  if (place) {
    const tables = await place.ask<{ name: string }>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
    );
    const rows = tables.map(({ name }) => place.ask(`SELECT t::text AS row FROM "${name}" AS t`));
    return JSON.stringify(await Promise.all(rows)).toLowerCase();
  }
  const files = ['', '-wal', '-shm', '-count'].map(end => join(folder, `state/journal.db${end}`));
  return files
    .map(file => (existsSync(file) ? readFileSync(file, 'latin1') : ''))
    .join('\n')
    .toLowerCase();
}

/** Which of their words are there. */
const wordsIn = (bytes: string, numbers: readonly number[]) =>
  numbers.flatMap(number =>
    Object.values(wordsOf(number)).filter(word =>
      [word, Buffer.from(word).toString('latin1')].some(written => bytes.includes(written.toLowerCase())),
    ),
  );

describeBoth('After history prune', kind => {
  test('no byte of a name, street, phone number or e-mail address is in the journal, and those of others stay', async () => {
    const place = kind === 'shared' ? await sharedPlace() : undefined;
    const env = place ? { WAYBILL_JOURNAL: place.address } : {};
    const rig = await createRig({ journalLost: true, env });
    const bytes = () => bytesOf(rig, place);
    const records = everybody.map(number => JSON.stringify({ ...orderOf(number), key: `ORDER-${number}` }));
    rig.file('orders.jsonl', records.join('\n'));
    const batch = 'batch ship orders.jsonl --results /dev/null';
    // One was refused before, some are labelled, and one was cancelled.
    const refused = { stdin: JSON.stringify({ ...orderOf(8), carrier: { id: 'NOPE' } }) };
    expect((await rig.run('ship -f - --key ORDER-8', refused)).exitCode).toBe(5);
    expect((await rig.run(batch)).exitCode).toBe(0);
    expect((await rig.run('label ORDER-0 ORDER-1 ORDER-3')).exitCode).toBe(0);
    await rig.run("history cancelled ORDER-9 --reason 'Nachname9x called'");
    expect(wordsIn(await bytes(), everybody)).toHaveLength(ORDERS * 5);

    const some = await rig.run('history prune ORDER-3 ORDER-9 ORDER-20 -q');
    expect([some.exitCode, some.stdout]).toEqual([0, '4\n']);
    expect(wordsIn(await bytes(), [3, 9, 20])).toEqual([]);
    expect(wordsIn(await bytes(), [4])).toHaveLength(5);

    const older = 'history prune --no-sandbox --older-than 2030-01-01';
    if (kind === 'local') {
      const reader = await openStore(join(rig.folder, 'state/journal.db'), { durability: 'normal' });
      reader.run('BEGIN');
      reader.all('SELECT number FROM bookings');
      const ran = await rig.run(`${older} --json`);
      expect([ran.exitCode, errorOf(ran).message]).toEqual([9, expect.stringContaining(`waybill ${older}`)]);
      reader.run('COMMIT');
      reader.close();
    }
    expect((await rig.run(older)).exitCode).toBe(0);
    expect(wordsIn(await bytes(), everybody)).toEqual([]);
    expect(await bytes()).toContain('order-39');
    // The one that was cancelled is a duplicate.
    const again = await rig.run(batch);
    expect([again.exitCode, posted(again)]).toEqual([9, []]);
  });
});
