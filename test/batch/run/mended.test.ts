// Records that were mended in another file are done in the file of the night, too.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  created,
  jsonLines,
  linesIn,
  order,
  type Reply,
  scriptedService,
  summaryOf,
} from '../../rig/batch.ts';
import { createRig, type Ran } from '../../rig/command.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { errorOf, posted, SHIPMENT, switchable } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl --json';
const NIGHT = 'batch ship orders.jsonl --json --skip-invalid --failed mend.jsonl';

const { receiver } = SHIPMENT as { receiver: Record<string, unknown> & { address: Record<string, unknown> } };
const to = (change: Record<string, unknown>, address: Record<string, unknown> = {}) => ({
  receiver: { ...receiver, ...change, address: { ...receiver.address, ...address } },
});

const states = (ran: Ran) => [ran.exitCode, summaryOf(ran).states];

/** A night with the record B as it is, and then a mended B that is booked from another file. */
async function morning(night: Record<string, unknown>, mended: Record<string, unknown>) {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines([order('A'), night]) } });
  expect((await rig.run(NIGHT)).exitCode).toBe(9);
  rig.file('mended.jsonl', jsonLines([mended]));
  expect((await rig.run('batch ship mended.jsonl')).exitCode).toBe(0);
  return rig;
}

describe('A record that is not valid, and was booked from a mended file', () => {
  test.each([
    ['for the same receiver', order('B', { category: 'sale' }), order('B')],
    [
      'whatever the case and the marks of its name',
      order('B', { category: 'sale', ...to({ firstName: 'JOSÉ  ', lastName: 'İnan' }) }),
      order('B', to({ firstName: 'Jose', lastName: 'inan' })),
    ],
    [
      'whatever it says of its country, if that is what was mended',
      order('B', to({}, { country: { code: 'Deutschlnd' } })),
      order('B'),
    ],
  ])('is done: %s', async (_, night, mended) => {
    const rig = await morning(night, mended);
    const ran = await rig.run(SHIP);
    expect([...states(ran), ran.requests]).toEqual([0, { created: 2 }, []]);
    expect(summaryOf(ran)).toMatchObject({ already: 2, mended: 1, failed: null });
    expect(linesIn(rig).map(({ key, sent, mended: isMended }) => [key, sent, isMended])).toEqual([
      ['A', false, false],
      ['B', false, true],
    ]);
    expect(linesIn(rig)[1]).toMatchObject({ exitCode: 0, carrier: 'EXP', shipmentId: expect.any(String) });
  });

  test.each([
    ['name', to({ lastName: 'Somebody' })],
    ['country', to({}, { country: { code: 'AT' } })],
  ])('stays as it is if its receiver has another %s, and the message says so', async (_, change) => {
    const rig = await morning(order('B', { category: 'sale', ...change }), order('B'));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(errorOf(ran).issues.map(({ path, message }) => `${path} ${message}`)).toEqual([
      expect.stringMatching(/^line 2: category /),
      expect.stringMatching(/^line 2: key was booked since for another receiver, as \S+$/),
    ]);
  });

  test('stays as it is if it does not say for whom it is', async () => {
    const rig = await morning(order('B', { receiver: undefined }), order('B'));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(errorOf(ran).issues.at(-1)?.message).toMatch(
      /^was booked since, as bk_\w+, and its receiver cannot be compared: the record has none\. /,
    );
  });

  test('stays as it is if the journal does not know for whom its key was booked', async () => {
    const rig = await createRig({ files: { 'orders.jsonl': jsonLines([order('A')]) } });
    expect((await rig.run(SHIP)).exitCode).toBe(0);
    rig.clock.now += 400 * 24 * 60 * 60 * 1000;
    expect((await rig.run('history prune --older-than 30d --yes')).exitCode).toBe(0);
    rig.file('orders.jsonl', jsonLines([order('A', { category: 'sale', ...to({ lastName: 'Somebody' }) })]));
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    const [id] = /bk_\w+/.exec(errorOf(ran).issues.at(-1)?.message ?? '') ?? [];
    expect(errorOf(ran).issues.at(-1)?.message).toBe(
      `was booked since, as ${id}, and its receiver cannot be compared: the journal does not know it (the booking is imported or pruned). \`waybill history show ${id}\` shows what it knows; if that is this order, take the record out of the file`,
    );
    expect(states(await rig.run(`${SHIP} --skip-invalid`))).toEqual([9, { invalid: 1 }]);
  });

  test('stays as it is if its key was booked on another machine, and its results were imported', async () => {
    const rig = await createRig({
      files: { 'orders.jsonl': jsonLines([order('A', { category: 'sale' })]) },
    });
    const line = { operation: 'ship', place: rig.address, key: 'A', line: 1, state: 'created' };
    rig.file('there.jsonl', jsonLines([{ ...line, sandbox: false, shipmentId: 'S-A', exitCode: 0 }]));
    expect((await rig.run('history import there.jsonl')).exitCode).toBe(0);
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(errorOf(ran).issues.at(-1)?.message).toContain('the journal does not know it');
  });

  test('stays as it is if its key is in the file twice', async () => {
    const rig = await createRig({ files: { 'orders.jsonl': jsonLines([order('A'), order('A')]) } });
    await rig.run(NIGHT);
    expect(states(await rig.run(NIGHT))).toEqual([9, { created: 1, invalid: 1 }]);
  });

  test('gets its label, if labels are wanted', async () => {
    const rig = await morning(order('B', { category: 'sale' }), order('B'));
    const ran = await rig.run(`${SHIP} --label`);
    expect([ran.exitCode, posted(ran)]).toEqual([0, Array(2).fill('POST /v2/carriers/create')]);
    const line = linesIn(rig).find(({ key }) => key === 'B');
    expect(line).toMatchObject({
      mended: true,
      sent: false,
      state: 'created',
      trackingNumber: expect.any(String),
    });
  });
});

describeBoth('A record that was rejected', journal => {
  const refusal: Reply = { status: 422, body: { message: 'no such street' } };

  async function rejected(mended: Record<string, unknown>) {
    const service = await scriptedService((key, attempt) =>
      key === 'B' && attempt === 1 ? refusal : created(key),
    );
    const rig = await createRig({
      journal,
      files: { 'orders.jsonl': jsonLines([order('A'), order('B')]) },
      env: service.env,
    });
    expect((await rig.run(NIGHT)).exitCode).toBe(9);
    rig.file('mended.jsonl', jsonLines([mended]));
    expect((await rig.run('batch ship mended.jsonl')).exitCode).toBe(0);
    return rig;
  }

  test('and booked from a mended file for the same receiver is done', async () => {
    const rig = await rejected(order('B', { category: 'gift' }));
    const ran = await rig.run(SHIP);
    expect(states(ran)).toEqual([0, { created: 2 }]);
    expect(linesIn(rig)[1]).toMatchObject({ key: 'B', mended: true, sent: false, shipmentId: 'S-B' });
    expect(states(await rig.run(`${SHIP} --retry-rejected`))).toEqual([0, { created: 2 }]);
  });

  test('and booked for another receiver is a duplicate that says so', async () => {
    const rig = await rejected(order('B', to({ firstName: 'Another' })));
    const ran = await rig.run(SHIP);
    expect(states(ran)).toEqual([9, { created: 1, duplicate: 1 }]);
    expect(linesIn(rig)[1]?.error?.message).toContain('for another receiver');
  });

  test('and is other content now is a duplicate, as it was never sent', async () => {
    const rig = await rejected(order('B', { category: 'gift' }));
    rig.file('orders.jsonl', jsonLines([order('A'), order('B', { category: 'sample' })]));
    expect(states(await rig.run(SHIP))).toEqual([9, { created: 1, duplicate: 1 }]);
  });
});

describe('The --failed file', () => {
  test('of nothing is no file, and an earlier one is removed, which is said', async () => {
    const rig = await morning(order('B', { category: 'sale' }), order('B'));
    expect(existsSync(join(rig.folder, 'mend.jsonl'))).toBe(true);
    const ran = await rig.run('batch ship orders.jsonl --failed mend.jsonl');
    expect([ran.exitCode, existsSync(join(rig.folder, 'mend.jsonl'))]).toEqual([0, false]);
    expect(ran.stderr).toBe(
      'mend.jsonl is removed: it had records that failed in an earlier run, and none failed in this one\n',
    );
    expect(ran.stdout).not.toContain('mend.jsonl');
    const again = await rig.run('batch ship orders.jsonl --failed mend.jsonl');
    expect([again.exitCode, again.stderr, existsSync(join(rig.folder, 'mend.jsonl'))]).toEqual([
      0,
      '',
      false,
    ]);
  });

  test('of an earlier run stays if the input cannot be read to its end', async () => {
    const rig = await morning(order('B', { category: 'sale' }), order('B'));
    rig.file('orders.json', '[{"key":"A"');
    expect((await rig.run('batch ship orders.json --failed mend.jsonl')).exitCode).toBe(2);
    expect(existsSync(join(rig.folder, 'mend.jsonl'))).toBe(true);
  });
});

describe('A record with a warning that was booked as it stands', () => {
  const doubtful = order('B', { customs: { totalGoodsValue: 1, currency: 'EUR' } });

  test.each([
    ['', 0],
    ['--label', 2],
  ])('is booked before, and not refused by --strict %s', async (more, labels) => {
    const rig = await createRig({ files: { 'orders.jsonl': jsonLines([order('A'), doubtful]) } });
    expect((await rig.run(SHIP)).exitCode).toBe(0);
    // Another text of the same records.
    rig.file('orders.jsonl', jsonLines([order('A'), doubtful].map(one => ({ ...one, _note: 'seen' }))));
    const ran = await rig.run(`${SHIP} --strict ${more}`);
    expect([...states(ran), posted(ran).length]).toEqual([0, { created: 2 }, labels]);
    expect(summaryOf(ran)).toMatchObject({ already: 2, mended: 0 });
    expect(linesIn(rig).map(({ mended }) => mended)).toEqual([false, false]);
    expect(ran.stderr).toMatch(/warning.*line 2: .*totalGoodsValue/);
  });

  test.each([doubtful, { ...doubtful, ...to({ lastName: 'Somebody' }) }])(
    'is told by --strict, too, if it may exist: %#',
    async now => {
      const fault = switchable('reset-after');
      const rig = await createRig({ files: { 'orders.jsonl': jsonLines([doubtful]) }, ...fault });
      fault.turn('on');
      expect((await rig.run(SHIP)).exitCode).toBe(8);
      fault.turn('off');
      rig.file('orders.jsonl', jsonLines([now]));
      const ran = await rig.run(`${SHIP} --strict`);
      expect([...states(ran), ran.requests]).toEqual([8, { unknown: 1 }, []]);
    },
  );

  test('is refused by --strict if it was changed since', async () => {
    const rig = await createRig({ files: { 'orders.jsonl': jsonLines([doubtful]) } });
    expect((await rig.run(SHIP)).exitCode).toBe(0);
    rig.file('orders.jsonl', jsonLines([{ ...doubtful, ...to({ lastName: 'Somebody' }) }]));
    const ran = await rig.run(`${SHIP} --strict`);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
  });
});
