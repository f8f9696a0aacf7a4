// A run that was stopped tells of each record what the journal has of it: one that an earlier run booked is never "not sent".

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import { Journal } from '../../../src/journal/journal.ts';
import {
  bookedIn,
  created,
  ends,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import { createRig, type Rig, type RigOptions } from '../../rig/command.ts';
import { describeBoth, type JournalKind } from '../../rig/postgres.ts';
import { errorOf, SHIPMENT, sent, switchable } from '../../rig/service.ts';
import { event } from '../../rig/sockets.ts';

const SHIP = 'batch ship orders.jsonl --concurrency 1 --json';
const NEW = ['NEW-1', 'NEW-2', 'NEW-3', 'NEW-4', 'NEW-5', 'NEW-6'];

/** Three orders are booked; then the file has six new ones in front of them. */
async function halfBooked(journal: JournalKind = 'local', flags = '', more: RigOptions = {}) {
  const { faults, random, turn } = switchable('500');
  const rig = await shop(orders(3), { journal, faults, random, ...more });
  const first = await rig.run(`${SHIP} ${flags}`);
  expect(first.exitCode).toBe(0);
  const ids = linesIn(rig).map(({ shipmentId }) => shipmentId);
  rig.file('orders.jsonl', jsonLines([...NEW.map(key => order(key)), ...orders(3)]));
  return { rig, turn, ids, cost: summaryOf(first).cost.EUR };
}

const bookedLines = (rig: Rig) => linesIn(rig).filter(({ key }) => key?.startsWith('ORDER'));

type RunOptions = NonNullable<Parameters<Rig['run']>[1]>;

interface Stopping {
  flags?: string;
  isFaulty?: boolean;
  onRequest?: NonNullable<RunOptions['onRequest']>;
  env?: (cost: number | undefined) => NonNullable<RunOptions['env']>;
  exitCode: number;
  stopped: string;
}

const STOPS: Readonly<Record<string, Stopping>> = {
  'a signal': {
    onRequest: (_, { interrupt }) => interrupt('SIGTERM'),
    exitCode: 143,
    stopped: 'SIGTERM',
  },
  'the limit of a day': {
    // What is booked is all of it.
    env: cost => ({ WAYBILL_POLICY_MAX_PER_DAY: `${cost}EUR` }),
    exitCode: 12,
    stopped: 'over_budget',
  },
  'too many unknowns': { flags: '--max-unknown 1', isFaulty: true, exitCode: 8, stopped: 'unknown' },
  'results that cannot be written': { flags: '--results /dev/full', exitCode: 10, stopped: 'storage' },
  'a service that refuses the credential': {
    env: () => ({ WAYBILL_TOKEN: 'wrong' }),
    exitCode: 3,
    stopped: 'unauthorized',
  },
};

describeBoth('A batch that is run again with --label', journal => {
  test.each(Object.entries(STOPS))(
    'and stopped by %s shows what is booked as created, with what is missing; run again it makes the labels',
    async (_, { flags = '', isFaulty, env, onRequest, exitCode, stopped }) => {
      const { rig, turn, ids, cost } = await halfBooked(journal);
      turn(isFaulty ? 'on' : 'off');
      const ran = await rig.run(`${SHIP} --label ${flags}`, {
        ...(onRequest && { onRequest }),
        ...(env && { env: env(cost) }),
      });
      turn('off');
      expect(errorOf(ran)).toMatchObject({ exitCode });
      expect(summaryOf(ran)).toMatchObject({ records: 9, stopped, already: 3, before: { shipments: 3 } });
      if (!flags.includes('/dev/full')) {
        expect(ends(bookedLines(rig))).toEqual(keys(3).map(key => `${key} created 9 false`));
        expect(bookedLines(rig).map(({ shipmentId }) => shipmentId)).toEqual(ids);
        for (const { error, shipmentId } of bookedLines(rig)) {
          expect(error).toMatchObject({ code: 'partial', exitCode: 9, created: true, retry: 'same' });
          expect(error?.next).toEqual([['waybill', 'label', '--international', shipmentId]]);
        }
      }
      const again = await rig.run(`${SHIP} --label --max-unknown 9`);
      expect(bookedIn(again).filter(key => key.startsWith('ORDER'))).toEqual([]);
      expect(ends(bookedLines(rig))).toEqual(keys(3).map(key => `${key} created 0 false`));
    },
  );

  test.each([
    ['lacks nothing, if the labels are there', '', 0],
    ['lacks the files of labels that were to be saved', '--download labels', 9],
  ])('and stopped %s', async (_, flags, exitCode) => {
    const { rig } = await halfBooked(journal, '--label');
    const ran = await rig.run(`${SHIP} --label ${flags}`, {
      onRequest: (_, { interrupt }) => interrupt('SIGINT'),
    });
    expect(summaryOf(ran)).toMatchObject({ exitCode: 130, before: { shipments: 3, labels: 3 } });
    expect(ends(bookedLines(rig))).toEqual(keys(3).map(key => `${key} created ${exitCode} false`));
    for (const { error } of bookedLines(rig))
      expect(error?.message ?? '').toMatch(exitCode === 0 ? /^$/ : /saving its label/);
  });
});

describeBoth('A batch that the limit of a day has stopped', journal => {
  test.each([
    ['a signal', '', 143, 'SIGTERM'],
    ['results that cannot be written', '--results /dev/full', 10, 'storage'],
  ])(
    'sends nothing any more of what it has claimed, once %s stops it as well',
    async (_, flags, exitCode, stopped) => {
      const rig = await shop(orders(3), { journal });
      const one = await rig.run('batch ship orders.jsonl --dry-run --estimate --json');
      const price = (summaryOf(one).cost.EUR ?? 0) / 3;
      let interrupt: (() => void) | undefined;
      let isOver = false;
      const { claim, fence } = Journal.prototype;
      const claims = vi.spyOn(Journal.prototype, 'claim').mockImplementation(async function (
        this: Journal,
        intent,
      ) {
        const claimed = await claim.call(this, intent);
        isOver ||= claimed.kind === 'limit';
        return claimed;
      });
      const fences = vi.spyOn(Journal.prototype, 'fence').mockImplementation(async function (
        this: Journal,
        id,
      ) {
        while (!isOver) await turn();
        // The line of the record that has no room is written meanwhile.
        for (let turns = 0; turns < 200; turns += 1) await turn();
        if (stopped === 'SIGTERM') interrupt?.();
        return fence.call(this, id);
      });
      try {
        const ran = await rig.run(`batch ship orders.jsonl --concurrency 2 --json ${flags}`, {
          env: { WAYBILL_POLICY_MAX_PER_DAY: `${price}EUR` },
          onRequest: (_, controls) => {
            interrupt = () => controls.interrupt('SIGTERM');
          },
        });
        expect(summaryOf(ran)).toMatchObject({ stopped, exitCode, shipments: 0 });
        expect(sent(ran).filter(line => line === 'POST /v1/shipments')).toEqual([]);
      } finally {
        claims.mockRestore();
        fences.mockRestore();
      }
    },
  );
});

test('A journal that is gone during a run stops it: what was booked when the input was read is told', async () => {
  const { rig, ids } = await halfBooked('local', '', { journalLost: true });
  const ran = await rig.run(`${SHIP} --label`, {
    onRequest: () => renameSync(join(rig.folder, 'state/journal.db'), join(rig.folder, 'state/away.db')),
  });
  expect(ran.exitCode).toBe(10);
  expect(ends(bookedLines(rig))).toEqual(keys(3).map(key => `${key} created 9 false`));
  expect(bookedLines(rig).map(({ shipmentId }) => shipmentId)).toEqual(ids);
});

const LABELLED = `${SHIP} --label --print`;

test('A signal that comes when the last record has ended is in the summary, too', async () => {
  const rig = await shop(orders(1));
  let interrupting = () => {};
  const ran = await rig.run(`${LABELLED} --merge today.pdf`, {
    onProgram: () => interrupting(),
    onRequest: (_, { interrupt }) => {
      interrupting = () => interrupt('SIGTERM');
    },
  });
  expect([ran.exitCode, summaryOf(ran)]).toMatchObject([143, { exitCode: 143, stopped: 'SIGTERM' }]);
});

test.each([
  ['the papers of an order', 'orderOf', '--papers slip', /has no papers: the server is away/],
  ['what is printed', 'printedAmong', '', /but not printed: the server is away/],
] as const)(
  'A journal that cannot be asked for %s does not hide what was booked',
  async (_, method, flags, words) => {
    const rig = await shop(orders(1));
    const away = new Failure('storage', 'the server is away');
    const asked = vi.spyOn(Journal.prototype, method).mockRejectedValueOnce(away);
    const ran = await rig.run(`${LABELLED} ${flags}`.trim());
    asked.mockRestore();
    expect(errorOf(ran)).toMatchObject({ exitCode: 9, created: true });
    expect(summaryOf(ran)).toMatchObject({ shipments: 1, labels: 1, states: { partial: 1 } });
    expect(linesIn(rig)[0]?.error?.message).toMatch(words);
  },
);

test('A journal that cannot be asked what is printed does not hide what was booked by one order', async () => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT } });
  const asked = vi
    .spyOn(Journal.prototype, 'printedAmong')
    .mockRejectedValueOnce(new Failure('storage', 'the server is away'));
  const ran = await rig.run('ship order.json --key A-1 --label --print --json');
  asked.mockRestore();
  expect(errorOf(ran)).toMatchObject({ exitCode: 9, created: true });
});

test('A journal that fails before a label is exit 10, also after a booking above its bound', async () => {
  const rig = await shop(orders(2));
  const { env } = await scriptedService(key => created(key, key === 'ORDER-1' ? 499 : 12));
  const { claim } = Journal.prototype;
  const claims = vi.spyOn(Journal.prototype, 'claim').mockImplementation(function (this: Journal, intent) {
    if (intent.operation === 'label') throw new Failure('storage', 'the disk is full');
    return claim.call(this, intent);
  });
  const ran = await rig.run(`${SHIP} --label --max-price 60EUR --max-overpriced 2`, { env });
  claims.mockRestore();
  expect(errorOf(ran)).toMatchObject({ code: 'storage', exitCode: 10 });
  expect(summaryOf(ran)).toMatchObject({ shipments: 2, stopped: 'storage' });
});

test('A record that another run booked meanwhile is shown as it is', async () => {
  const rig = await shop(orders(4));
  rig.file('other.jsonl', jsonLines([order('ORDER-3')]));
  const { env } = await scriptedService(async key => {
    if (key === 'ORDER-3') return created(key);
    await rig.run('batch ship other.jsonl', { env });
    return { status: 500 };
  });
  const ran = await rig.run(`${SHIP} --max-unknown 1`, { env });
  expect(ends(linesIn(rig))).toEqual([
    'ORDER-1 unknown 8 true',
    'ORDER-2 not_sent null false',
    'ORDER-3 created 0 false',
    'ORDER-4 not_sent null false',
  ]);
  expect(summaryOf(ran)).toMatchObject({ exitCode: 8, shipments: 0, before: { shipments: 1 } });
});

describeBoth('A batch that is stopped before a record that may exist', journal => {
  test('says unknown of a label that an earlier run left unknown, and ends with exit 8', async () => {
    const { faults, random, turn } = switchable('reset-after');
    const rig = await shop(orders(6), { journal, faults, random });
    await rig.run('batch ship orders.jsonl');
    const labels = linesIn(rig).map(({ shipmentId }) => ({ international: shipmentId }));
    rig.file('labels.jsonl', jsonLines(labels.slice(5)));
    const command = 'batch label labels.jsonl --concurrency 1 --json';
    turn('on');
    expect((await rig.run(command)).exitCode).toBe(8);
    turn('off');
    rig.file('labels.jsonl', jsonLines(labels));
    const ran = await rig.run(command, { env: { WAYBILL_TOKEN: 'wrong' } });
    expect(ends(linesIn(rig, 'labels.label.jsonl'))).toEqual([
      ...Array.from({ length: 5 }, () => 'null rejected 3 true'),
      'null unknown 8 false',
    ]);
    expect(errorOf(ran).message).toContain('1 unknown: a shipment or a label may exist');
    expect(summaryOf(ran)).toMatchObject({ exitCode: 8, stopped: 'unauthorized', states: { unknown: 1 } });
  });

  test('says that the label of a shipment is unknown, and not that the same command makes it', async () => {
    const { faults, random, turn } = switchable('reset-after');
    const rig = await shop(orders(1), { journal, faults, random });
    const first = await rig.run(`${SHIP} --label`, {
      onRequest: ({ path }) => turn(path === '/v1/shipments' ? 'on' : 'off'),
    });
    expect(first.exitCode).toBe(8);
    turn('off');
    const [{ id }] = await rig.json('history list --state unknown');
    rig.file('orders.jsonl', jsonLines([order('NEW-1'), ...orders(1)]));
    const ran = await rig.run(`${SHIP} --label`, {
      onRequest: (_, { interrupt }) => interrupt('SIGTERM'),
    });
    const [line] = bookedLines(rig);
    expect(line).toMatchObject({
      state: 'partial',
      exitCode: 8,
      sent: false,
      shipmentId: expect.any(String),
    });
    expect(line?.error).toMatchObject({
      code: 'outcome_unknown',
      booking: id,
      created: true,
      retry: 'never',
    });
    expect(line?.error?.message).not.toContain('The same command');
    expect(summaryOf(ran)).toMatchObject({ exitCode: 143, before: { shipments: 1, labels: 0 } });
    expect(errorOf(ran).message).toContain('1 unknown: a shipment or a label may exist');
  });

  test('says of a shipment that another runner is sending it, and not that it is unknown', async () => {
    const rig = await shop(orders(3), { journal });
    rig.file('other.jsonl', jsonLines([order('ORDER-3')]));
    const [held, release] = event();
    const [sending, arrived] = event();
    let runner: Promise<unknown> | undefined;
    const { env } = await scriptedService(async key => {
      if (key === 'ORDER-3') {
        arrived();
        await held;
        return created(key);
      }
      runner = rig.run('batch ship other.jsonl', { env });
      await sending;
      return { status: 500 };
    });
    const ran = await rig.run(`${SHIP} --max-unknown 1`, { env });
    release();
    await runner;
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 unknown 8 true',
      'ORDER-2 not_sent null false',
      'ORDER-3 not_sent null false',
    ]);
    expect(linesIn(rig)[2]?.error?.message).toContain('Another process is sending it at this moment');
    expect(summaryOf(ran)).toMatchObject({ exitCode: 8, states: { unknown: 1, not_sent: 2 } });
  });

  test('says unknown of a key that another runner left unknown with other input', async () => {
    const rig = await shop(orders(2), { journal });
    rig.file('other.jsonl', jsonLines([order('ORDER-2', { chargeableWeight: 5 })]));
    const { env } = await scriptedService(async key => {
      if (key === 'ORDER-1') await rig.run('batch ship other.jsonl', { env });
      return { status: 500 };
    });
    const ran = await rig.run(`${SHIP} --max-unknown 1`, { env });
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 unknown 8 true', 'ORDER-2 unknown 8 false']);
    expect(errorOf(ran).message).toContain('2 unknown: a shipment or a label may exist');
  });
});
