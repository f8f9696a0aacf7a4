// What is deleted of old orders or of one customer, that it is in no file of the journal any more, and that keys stay.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/host/sqlite.ts';
import { createRig, type Rig, type RigOptions, type RunOptions } from '../../rig/command.ts';
import { bookingAt, claimed, fill, inJournal, ship, UNKNOWN } from '../../rig/journal.ts';
import { describeBoth, type SharedPlace, sharedPlace } from '../../rig/postgres.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key K-1 -q';

async function booked(options: RigOptions = {}) {
  const rig = await createRig(options);
  const run = (argv: string, options: RunOptions = {}) => rig.run(argv, { stdin, ...options });
  expect((await run(SHIP)).exitCode).toBe(0);
  return { rig, run };
}

describe('history prune --older-than', () => {
  const PRUNE = 'history prune -q --older-than';

  test('on a terminal says before which moment it deletes, and deletes nothing without a yes', async () => {
    const { rig } = await booked();
    const prune = (answer: boolean) => rig.run(`${PRUNE} 2030-01-01`, { terminal: true, answer });
    const request = async () => (await rig.json('history show K-1')).request;
    const refused = await prune(false);
    expect([refused.exitCode, refused.stdout]).toEqual([130, '']);
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain('nothing was deleted');
    expect(refused.asked).toEqual([expect.stringMatching(/ before \d+ \w{3} (?:\d{4} )?[\d:]+\? /)]);
    expect(await request()).toMatchObject({ type: SHIPMENT.type });
    expect((await prune(true)).exitCode).toBe(0);
    expect(await request()).toBeNull();
  });

  test('of a script, or with --yes, asks nothing and keeps the key; a length without a unit is in seconds', async () => {
    const { run } = await booked();
    expect(await run(`${PRUNE} 90`)).toMatchObject({ exitCode: 0, stdout: '0\n' });
    const ran = await run(`${PRUNE} 2030-01-01 --yes`, { terminal: true });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(await run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
  });

  test.each(['history prune', 'history prune K-1 --older-than 1d'])(
    '`%s` is exit 2: it is orders or a time',
    async argv => {
      const { run, rig } = await booked();
      expect((await run(argv)).exitCode).toBe(2);
      expect((await rig.json('history show K-1')).request).not.toBeNull();
    },
  );

  test('leaves out what is unknown', async () => {
    const { rig, run } = await booked({ journalLost: true });
    await fill(rig, 'state', [bookingAt(rig, 7, { ...UNKNOWN, request: SHIPMENT })]);
    expect((await run(`${PRUNE} 2030-01-01`)).stdout).toBe('1\n');
    expect((await rig.json('history show K-7')).request).not.toBeNull();
  });
});

describeBoth('history prune REF', journal => {
  test('drops all that is known of that order, each attempt and its labels, and of no other one; its key stays', async () => {
    const { rig, run } = await booked({ journal, journalLost: true });
    // The service refuses the first attempt with that key, and takes the second one.
    const refused = { ...SHIPMENT, carrier: { id: 'NOPE' } };
    const first = await run('ship -f - --key K-2 --allow-duplicate', { stdin: JSON.stringify(refused) });
    expect(first.exitCode).toBe(5);
    expect((await run('ship -f - --key K-2 --allow-duplicate -q')).exitCode).toBe(0);
    expect((await run('label --key K-2')).exitCode).toBe(0);
    expect((await run('label --key K-1')).exitCode).toBe(0);
    const before = await rig.json('history list --key K-2 --state created');
    const tracking = before[0].trackingNumbers[0];
    const pruned = await run(`history prune ${tracking} --json`);
    expect(pruned.exitCode).toBe(0);
    // What it cost stays, as the costs of a month do.
    const [{ price, currency }] = await rig.json('history list --key K-2 --state created');
    expect({ price: Number(price), currency }).toEqual({
      price: before[0].price,
      currency: before[0].currency,
    });
    const page = (await run('history show K-2')).stdout;
    expect(page).toMatch(/Pruned +its receiver, its goods, its answer and its label were deleted/);
    expect(page).not.toContain('--download');
    const all = await rig.json('history list --json --limit 100');
    expect(all.map(({ key }: { key: string }) => key).sort()).toEqual(expect.arrayContaining(['K-1', 'K-2']));
    for (const { id, key } of all)
      expect([key, (await rig.json(`history show ${id}`)).request === null]).toEqual([key, key === 'K-2']);
    const [row] = await rig.json('history list --key K-2 --state created');
    expect(row).toMatchObject({
      receiver: { name: null, city: null, country: null },
      trackingNumbers: [tracking],
      labelFile: null,
    });
    expect((await rig.json('history list --search beispiel')).length).toBe(1);
    const again = await run('ship -f - --key K-2 --allow-duplicate -q');
    expect([again.exitCode, again.requests]).toEqual([0, []]);
    const other = await run('ship -f - --key K-2 --set receiver.firstName=Other', { stdin });
    expect([other.exitCode, other.requests]).toEqual([2, []]);
  });

  test('deletes nothing if another desk labels the order while a person is asked', async () => {
    const { rig, run } = await booked({ journal });
    const prune = (meanwhile: () => unknown) =>
      run('history prune K-1', {
        terminal: true,
        async answers() {
          await meanwhile();
          return 'yes';
        },
      });
    const ran = await prune(async () => expect((await rig.run('label K-1')).exitCode).toBe(0));
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr.replace(/\s+/g, ' ')).toContain('Nothing was deleted; run it again');
    expect((await rig.json('history show K-1')).request).not.toBeNull();
    expect((await prune(() => {})).exitCode).toBe(0);
    for (const { id } of await rig.json('history list --limit 100'))
      expect((await rig.json(`history show ${id}`)).request).toBeNull();
  });
});

describeBoth('A tracking number', journal => {
  test('names the order still after it was pruned: it is invoiced, and can be cancelled', async () => {
    const { rig, run } = await booked({ journal });
    expect((await run('label --key K-1')).exitCode).toBe(0);
    const [{ price, trackingNumbers }] = await rig.json('history list --key K-1');
    expect((await run('history prune K-1 -q')).stdout).toBe('2\n');
    const invoice = `Tracking number,Amount,Currency\n${trackingNumbers[0]},${price},EUR\n`;
    const compared = await run('history reconcile - --json', { stdin: invoice });
    expect([compared.exitCode, JSON.parse(compared.stdout)]).toEqual([
      0,
      [expect.objectContaining({ kind: 'agrees', key: 'K-1', booked: price })],
    ]);
    const ran = await run(`history cancelled ${trackingNumbers[0]} --reason phone --json`);
    expect([ran.exitCode, JSON.parse(ran.stdout)]).toMatchObject([0, { key: 'K-1', state: 'cancelled' }]);
  });
});

describe('history prune REF', () => {
  test('asks at a terminal, and names the order and its receiver', async () => {
    const { rig } = await booked();
    const refused = await rig.run('history prune K-1', { terminal: true, answer: false });
    expect([refused.exitCode, refused.asked]).toEqual([
      130,
      [
        expect.stringMatching(
          /Delete requests, answers and labels of 1 booking.*\? They cannot be brought back: "K-1" to "Anna Beispiel" \("Berlin", DE\)/,
        ),
      ],
    ]);
    expect((await rig.json('history show K-1')).request).not.toBeNull();
    expect((await rig.run('history prune K-1', { terminal: true, answer: true })).exitCode).toBe(0);
    expect((await rig.json('history show K-1')).request).toBeNull();
  });

  test('of an order that was named in two places is exit 2 with both, and of none exit 4', async () => {
    const rig = await createRig({ journalLost: true });
    const [one, other] = ['https://one.example', 'https://other.example'].map((address, index) =>
      bookingAt(rig, index + 1, { address, key: 'SAME' }),
    );
    await fill(
      rig,
      'state',
      [one, other].flatMap(booking => booking ?? []),
    );
    const ran = await rig.run('history prune SAME --json');
    expect(ran.exitCode).toBe(2);
    for (const id of [one?.id, other?.id]) expect(errorOf(ran).message).toContain(id);
    expect((await rig.run('history prune NONE')).exitCode).toBe(4);
    expect((await rig.json(`history show ${one?.id}`)).request).not.toBeNull();
  });

  test('of an unknown order leaves it unknown, and it can be resolved', async () => {
    const rig = await createRig({ journalLost: true });
    await fill(rig, 'state', [
      bookingAt(rig, 7, { ...UNKNOWN, request: SHIPMENT, why: 'at Anna Beispiel’s' }),
    ]);
    expect((await rig.run('history prune K-7 -q')).stdout).toBe('1\n');
    expect(await rig.json('history show K-7')).toMatchObject({ state: 'unknown', request: null });
    const again = await rig.run('ship -f - --key K-7', { stdin });
    expect([again.exitCode, posted(again)]).toEqual([2, []]);
    expect((await rig.run('history resolve K-7 --created S-7 --unchecked --reason Anna')).exitCode).toBe(0);
    // What was said since is deleted as well.
    expect((await rig.run('history prune K-7 -q')).stdout).toBe('1\n');
    expect(JSON.stringify(await rig.json('history show K-7'))).not.toContain('Anna');
  });

  test('of an order that is being sent is exit 2, and deletes nothing', async () => {
    const rig = await createRig({ journalLost: true });
    const scope = { address: rig.address, account: '' };
    await fill(rig, 'state', [bookingAt(rig, 1)]);
    await inJournal(rig, 'state', journal =>
      claimed(journal, ship({ scope, key: 'K-9', request: SHIPMENT })),
    );
    const ran = await rig.run('history prune K-9 K-1 --json');
    expect([ran.exitCode, errorOf(ran).retry]).toEqual([2, 'later']);
    expect((await rig.json('history show K-1')).request).not.toBeNull();
  });
});

describe('Files with addresses', () => {
  const named = (name: string) =>
    JSON.stringify({ ...SHIPMENT, receiver: { ...(SHIPMENT.receiver as object), firstName: name } });

  /** Two keys that give one file name, and of each a label and papers in the folder of waybill itself. */
  async function labelled(options: RigOptions = {}) {
    const rig = await createRig(options);
    const own = (name = '') => join(rig.folder, 'state/labels', name);
    for (const [key, name] of [
      ['#1', 'Anna'],
      ['?1', 'Bert'],
    ] as const) {
      const argv = ['ship', '-f', '-', '--key', key, '--label', '--print', '--papers'];
      expect((await rig.run(argv, { stdin: named(name) })).exitCode).toBe(0);
    }
    const files = () => readdirSync(own()).sort();
    const all = ['_1-2.pdf', '_1-invoice-2.pdf', '_1-invoice.pdf', '_1-slip-2.pdf', '_1-slip.pdf', '_1.pdf'];
    expect(files()).toEqual(all);
    return { rig, own, files, of: (second: boolean) => all.filter(one => one.includes('-2.') === second) };
  }

  test('that waybill saved in its own folder are deleted, and of no other order; those elsewhere are named', async () => {
    const { rig, files, of } = await labelled();
    const argv = ['label', '#1', '?1', '--download', 'out', '--print', '--reprint', '--papers', 'slip'];
    expect((await rig.run(argv)).exitCode).toBe(0);
    await rig.run(['label', '#1', '?1', '--merge', 'all.pdf', '-q']);
    const ran = await rig.run(['history', 'prune', '#1', '--json']);
    expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([
      0,
      { pruned: 2, files: { deleted: 3, left: 3 } },
    ]);
    expect(files()).toEqual(of(true));
    const [, paths] = /has the address: ([^"]*)"/.exec(ran.stderr) ?? [];
    expect(paths?.split(', ').sort()).toEqual(
      ['all.pdf', 'out/_1-slip.pdf', 'out/_1.pdf'].map(one => join(rig.folder, one)),
    );
    // The label of the other order is there as before.
    const again = await rig.run(['label', '?1', '-q']);
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
    expect(files()).toEqual(of(true));
  });

  test('are known by their names, however long the key is', async () => {
    const rig = await createRig();
    const key = 'K'.repeat(120);
    await rig.run(`ship -f - --key ${key}`, { stdin: named('Anna') });
    const made = (await rig.run(`papers ${key} --print -q`)).stdout.trim().split('\n');
    expect(made).toEqual([expect.stringMatching(/K-invoice\.pdf$/), expect.stringMatching(/K-slip\.pdf$/)]);
    await rig.run(`history prune ${key}`);
    expect(made.filter(path => existsSync(path))).toEqual([]);
  });

  test('go with --older-than as well, and what is gone already is not named', async () => {
    const { rig, files, own } = await labelled();
    rmSync(own('_1.pdf'));
    const ran = await rig.run('history prune --older-than 2030-01-01');
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/ of 4 bookings were deleted, with 5 files of/);
    expect(files()).toEqual([]);
  });

  test('that somebody changed, or that are links, are left and named', async () => {
    const { rig, own } = await labelled();
    const kept = join(rig.folder, 'kept.pdf');
    copyFileSync(own('_1.pdf'), kept);
    rmSync(own('_1.pdf'));
    symlinkSync(kept, own('_1.pdf'));
    appendFileSync(own('_1-2.pdf'), '% a note');
    const ran = await rig.run(['history', 'prune', '#1', '?1', '--json']);
    expect(JSON.parse(ran.stdout).files).toEqual({ deleted: 4, left: 2 });
    for (const path of [own('_1.pdf'), own('_1-2.pdf')]) {
      expect(ran.stderr).toContain(path);
      expect(existsSync(path)).toBe(true);
    }
    expect(readFileSync(kept).subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('stay where the folder is a link', async () => {
    const { rig, own } = await labelled();
    const moved = join(rig.folder, 'moved');
    renameSync(own(), moved);
    symlinkSync(moved, own());
    const ran = await rig.run(['history', 'prune', '#1', '--json']);
    expect(JSON.parse(ran.stdout).files).toEqual({ deleted: 0, left: 3 });
    expect(readdirSync(moved)).toHaveLength(6);
  });
});

describeBoth('After history prune', kind => {
  const ORDERS = 200;
  const person = (number: number) => ({
    firstName: `Vorname${number}x`,
    lastName: `Nachname${number}x`,
    street: `Straßenname${number}x 1`,
    phone: `5551${String(number).padStart(6, '0')}`,
    email: `mail${number}x@kunde.example`,
  });
  const orderOf = (number: number) => {
    const { firstName, lastName, street, phone, email } = person(number);
    const receiver = SHIPMENT.receiver as { phone: object; address: object };
    return {
      ...SHIPMENT,
      key: `ORDER-${number}`,
      receiver: {
        ...receiver,
        ...{ firstName, lastName, email },
        phone: { ...receiver.phone, number: phone },
        address: { ...receiver.address, line1: street },
      },
    };
  };

  /** A journal with orders, of which some were labelled, resolved, or refused before. */
  async function filled() {
    const place = kind === 'shared' ? await sharedPlace() : undefined;
    const env = place ? { WAYBILL_JOURNAL: place.address } : {};
    const rig = await createRig({ journalLost: true, env });
    const orders = Array.from({ length: ORDERS }, (_, number) => JSON.stringify(orderOf(number)));
    rig.file('orders.jsonl', `${orders.join('\n')}\n`);
    expect((await rig.run('batch ship orders.jsonl --results /dev/null')).exitCode).toBe(0);
    for (let number = 0; number < 5; number += 1)
      expect((await rig.run(`label --key ORDER-${number}`)).exitCode).toBe(0);
    expect((await rig.run(`history cancelled ORDER-9 --reason 'Nachname9x called'`)).exitCode).toBe(0);
    return { rig, bytes: () => bytesOf(rig, place) };
  }

  /** All that a copy of the files, or a dump of the database, has. */
  async function bytesOf(rig: Rig, place: SharedPlace | undefined): Promise<string> {
    if (place) {
      const tables = await place.ask<{ name: string }>(
        'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
      );
      const rows = [];
      for (const { name } of tables)
        rows.push(...(await place.ask(`SELECT t::text AS row FROM "${name}" AS t`)));
      return JSON.stringify(rows).toLowerCase();
    }
    const files = ['', '-wal', '-shm', '-count'].map(end => join(rig.folder, `state/journal.db${end}`));
    return files
      .map(file => (existsSync(file) ? readFileSync(file, 'latin1') : ''))
      .join('\n')
      .toLowerCase();
  }

  const found = (all: string, numbers: readonly number[]) =>
    numbers.flatMap(number =>
      Object.values(person(number)).filter(text =>
        [text, Buffer.from(text).toString('latin1')].some(one => all.includes(one.toLowerCase())),
      ),
    );
  const everybody = Array.from({ length: ORDERS }, (_, number) => number);

  test('no byte of a name, street, phone number or e-mail address is in the journal', async () => {
    const { rig, bytes } = await filled();
    expect(found(await bytes(), everybody)).toHaveLength(ORDERS * 5);
    const pruned = await rig.run('history prune --older-than 2030-01-01 -q');
    expect([pruned.exitCode, pruned.stdout, pruned.stderr]).toEqual([0, '205\n', '']);
    expect(found(await bytes(), everybody)).toEqual([]);
    expect(await bytes()).toContain('order-199');
    const again = await rig.run('batch ship orders.jsonl --results /dev/null');
    // One of them was cancelled.
    expect([again.exitCode, posted(again)]).toEqual([9, []]);
  });

  test('of some customers, those of the others are there', async () => {
    const { rig, bytes } = await filled();
    const refs = [3, 9, 50].map(number => `ORDER-${number}`).join(' ');
    expect(await rig.run(`history prune ${refs} -q`)).toMatchObject({ exitCode: 0, stdout: '4\n' });
    const all = await bytes();
    expect(found(all, [3, 9, 50])).toEqual([]);
    expect(found(all, [4]).length).toBeGreaterThan(3);
  });

  if (kind === 'local')
    test('while somebody reads, what is left is said with exit 9 and the command to run again', async () => {
      const { rig, bytes } = await filled();
      const reader = await openStore(join(rig.folder, 'state/journal.db'), { durability: 'normal' });
      reader.run('BEGIN');
      reader.all('SELECT number FROM bookings');
      const ran = await rig.run('history prune --older-than 2030-01-01 --no-sandbox --json');
      expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([
        9,
        { pruned: 205, files: { deleted: 0, left: 0 } },
      ]);
      expect(errorOf(ran)).toMatchObject({
        ...{ code: 'partial', retry: 'same' },
        message: expect.stringContaining('`waybill history prune --no-sandbox --older-than 2030-01-01`'),
      });
      reader.run('COMMIT');
      expect(await rig.run('history prune --older-than 2030-01-01 -q')).toMatchObject({
        exitCode: 0,
        stdout: '0\n',
      });
      expect(found(await bytes(), everybody)).toEqual([]);
      reader.close();
    });
});
