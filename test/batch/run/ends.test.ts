import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../../src/emulator/faults.ts';
import {
  bookedIn,
  created,
  ends,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  type Reply,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { elsewhere } from '../../rig/journal.ts';
import { describeBoth, type JournalKind } from '../../rig/postgres.ts';
import { errorOf, SHIPMENT, switchable } from '../../rig/service.ts';
import { event, served } from '../../rig/sockets.ts';

const SHIP = 'batch ship orders.jsonl --json';

/** A shop with a service whose responses the test decides. */
async function shopAt(
  count: number,
  answer: (key: string, attempt: number) => Reply | Promise<Reply>,
  journal: JournalKind = 'local',
) {
  const rig = await shop(orders(count), { journal });
  const service = await scriptedService(answer);
  const run = (flags = '') => rig.run(`${SHIP} ${flags}`, { env: service.env });
  /** What arrived since the last look. */
  const arrived = () =>
    service.arrivals
      .splice(0)
      .map(({ key }) => key)
      .sort();
  return { rig, run, arrived, service };
}

const refusal = { status: 422, body: { message: 'no such street' } };

describeBoth('A record that the service rejects', journal => {
  async function rejected() {
    let refuses = true;
    const at = await shopAt(3, key => (refuses && key === 'ORDER-2' ? refusal : created(key)), journal);
    const ran = await at.run();
    at.arrived();
    const accept = () => {
      refuses = false;
    };
    return { ...at, ran, accept };
  }

  test('stops nothing, is reported with the words of the service, and not sent again unchanged: exit 9', async () => {
    const { rig, ran, run, arrived } = await rejected();
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(errorOf(ran).message).toContain('1 of 3 records');
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 0 true',
      'ORDER-2 rejected 5 true',
      'ORDER-3 created 0 true',
    ]);
    expect(summaryOf(ran)).toMatchObject({ sent: 3, states: { created: 2, rejected: 1 }, exitCode: 9 });
    for (const sent of [true, false]) {
      const line = linesIn(rig).find(({ state }) => state === 'rejected');
      expect(line).toMatchObject({ key: 'ORDER-2', exitCode: 5, sent });
      expect(line).not.toHaveProperty('result');
      expect(line?.error).toMatchObject({ code: 'rejected', httpStatus: 422, body: refusal.body });
      expect(line?.error?.message).toContain('no such street');
      const again = await run();
      expect([again.exitCode, arrived()]).toEqual([9, []]);
      expect(again.stderr).toContain('--retry-rejected sends rejected records again unchanged');
    }
  });

  test('is sent again with --retry-rejected', async () => {
    const { rig, run, arrived, accept } = await rejected();
    accept();
    expect([(await run('--retry-rejected')).exitCode, arrived()]).toEqual([0, ['ORDER-2']]);
    expect(ends(linesIn(rig))).toContain('ORDER-2 created 0 true');
    expect([(await run('--retry-rejected')).exitCode, arrived()]).toEqual([0, []]);
  });

  test('is sent again when it was changed', async () => {
    const { rig, run, arrived, accept } = await rejected();
    accept();
    rig.file('orders.jsonl', jsonLines([...orders(1), order('ORDER-2', { category: 'gift' })]));
    expect([(await run()).exitCode, arrived()]).toEqual([0, ['ORDER-2']]);
  });
});

describeBoth('A record whose outcome is unknown', journal => {
  async function doubtful(count: number) {
    const { faults, random, turn } = switchable('reset-after');
    const rig = await shop(orders(count), { journal, faults, random });
    turn('on');
    const first = await rig.run(SHIP);
    turn('off');
    return { rig, first };
  }

  test('was sent: exit 8, and the journal lists it; it is not sent again', async () => {
    const { rig, first } = await doubtful(1);
    expect(errorOf(first)).toMatchObject({ code: 'outcome_unknown', exitCode: 8 });
    expect(bookedIn(first)).toEqual(['ORDER-1']);
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 unknown 8 true']);
    expect(summaryOf(first)).toMatchObject({ states: { unknown: 1 }, sent: 1, exitCode: 8 });
    const listed = await rig.json('history list --state unknown');
    expect(listed).toMatchObject([{ key: 'ORDER-1', id: linesIn(rig)[0]?.error?.booking }]);
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 8, requests: [] });
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 unknown 8 false']);
    rig.file('orders.jsonl', jsonLines([order('ORDER-1', { category: 'gift' })]));
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 8, requests: [] });
  });

  test('is sent again if it was resolved as not created, and not if it was resolved as created', async () => {
    const { rig } = await doubtful(2);
    const id = await bookedElsewhere(rig);
    expect((await rig.run('history resolve ORDER-1 --not-created --force --reason gone')).exitCode).toBe(0);
    expect((await rig.run(`history resolve ORDER-2 --created ${id}`)).exitCode).toBe(0);
    const ran = await rig.run(SHIP);
    expect([ran.exitCode, bookedIn(ran)]).toEqual([0, ['ORDER-1']]);
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 created 0 true', 'ORDER-2 created 0 false']);
    expect(linesIn(rig).find(({ key }) => key === 'ORDER-2')?.shipmentId).toBe(id);
  });
});

/** A shipment that the service knows, and the journal does not. */
async function bookedElsewhere(rig: Rig): Promise<string> {
  const options = { stdin: JSON.stringify(SHIPMENT), env: elsewhere(rig) };
  return (await rig.run('ship -f - -q', options)).stdout.trim();
}

describe('Too many unknowns', () => {
  test('start no further record; the others are not started, and have their lines', async () => {
    const rig = await shop(orders(4), { faults: [parseFault('500:1')] });
    const ran = await rig.run(`${SHIP} --max-unknown 1 --concurrency 1`);
    expect([ran.exitCode, bookedIn(ran)]).toEqual([8, ['ORDER-1']]);
    expect(summaryOf(ran)).toMatchObject({
      ...{ records: 4, sent: 1, states: { unknown: 1, not_sent: 3 }, stopped: 'unknown' },
    });
    expect(errorOf(ran).message).toContain('3 records were not started');
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 unknown 8 true',
      'ORDER-2 not_sent null false',
      'ORDER-3 not_sent null false',
      'ORDER-4 not_sent null false',
    ]);
    expect(linesIn(rig).at(-1)?.error?.code).toBe('interrupted');
  });

  test('are three by default; those of an earlier run do not count', async () => {
    const { run, arrived } = await shopAt(9, () => 'reset');
    expect((await run('--concurrency 1')).exitCode).toBe(8);
    expect(arrived()).toEqual(['ORDER-1', 'ORDER-2', 'ORDER-3']);
    expect((await run('--concurrency 1')).exitCode).toBe(8);
    expect(arrived()).toEqual(['ORDER-4', 'ORDER-5', 'ORDER-6']);
  });
});

describe('A service that refuses the credential', () => {
  test('is called five times: exit 3; the other records are sent when the token is right', async () => {
    const rig = await shop(orders(9));
    const wrong = { WAYBILL_TOKEN: 'wrong' };
    const ran = await rig.run(`${SHIP} --concurrency 1`, { env: wrong });
    expect(errorOf(ran)).toMatchObject({ code: 'unauthorized', exitCode: 3 });
    expect(ran.requests.map(({ answered }) => answered)).toEqual(Array(5).fill(401));
    expect(summaryOf(ran)).toMatchObject({
      ...{ states: { rejected: 5, not_sent: 4 }, stopped: 'unauthorized', exitCode: 3 },
    });
    const again = await rig.run(SHIP);
    expect([again.exitCode, bookedIn(again)]).toEqual([0, keys(9)]);
  });

  test('now and then does not end the run', async () => {
    const { run } = await shopAt(12, (key, attempt) =>
      attempt === 1 && /[1-4]$/.test(key) ? { status: 401 } : created(key),
    );
    const ran = await run('--concurrency 1');
    expect(summaryOf(ran)).toMatchObject({ stopped: null, exitCode: 9, states: { created: 6, rejected: 6 } });
    expect(summaryOf(await run())).toMatchObject({ exitCode: 0, already: 6, sent: 6 });
  });
});

test('No connection: nothing was sent, exit 7, and all records are sent later', async () => {
  const rig = await shop(orders(8));
  const nobody = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };
  const ran = await rig.run(`${SHIP} --retries 0`, { env: nobody });
  expect(errorOf(ran)).toMatchObject({ code: 'unavailable', exitCode: 7 });
  expect(summaryOf(ran)).toMatchObject({ sent: 0, states: { not_sent: 8 }, stopped: 'unavailable' });
  for (const { sent: wasSent, exitCode } of linesIn(rig))
    expect([false, exitCode]).toEqual([wasSent, exitCode === null ? null : 7]);
  const later = await rig.run(`${SHIP} --results later.jsonl`);
  expect([later.exitCode, bookedIn(later)]).toEqual([0, keys(8)]);
});

describe('Too many requests', () => {
  const busy = (seconds: number): Reply => ({ status: 429, headers: { 'retry-after': String(seconds) } });

  test('for labels hold back the others, too, and are in the log', async () => {
    let calls = 0;
    const address = await served(async (request, response) => {
      await request.toArray();
      calls += 1;
      if (calls === 1) return void response.writeHead(429, { 'retry-after': '30' }).end('{}');
      const international = { success: true, trackingNumber: `T-${calls}` };
      response.writeHead(200).end(JSON.stringify({ success: true, international }));
    });
    const rig = await createRig({ journalLost: true });
    rig.file('labels.jsonl', ['A', 'B'].map(id => JSON.stringify({ international: `S-${id}` })).join('\n'));
    const ran = await rig.run('batch label labels.jsonl --concurrency 1 --log log.jsonl', {
      env: { WAYBILL_BASE_URL: address },
    });
    expect(ran).toMatchObject({ exitCode: 0, waits: [30_000, 30_000] });
    expect(readFileSync(join(rig.folder, 'log.jsonl'), 'utf8')).toMatch(/"event":"wait"[^\n]*"wait":30000/);
  });

  test('hold back the records that are not started, too', async () => {
    const [waiting, free] = event();
    const { rig, service } = await shopAt(9, async (key, attempt) => {
      if (key === 'ORDER-1' && attempt === 1) return busy(30);
      if (key === 'ORDER-2') await waiting;
      return created(key);
    });
    const during: number[] = [];
    const ran = await rig.run(`${SHIP} --concurrency 2`, {
      env: service.env,
      onWait: async () => {
        free();
        while (service.arrivals.length < 2) await setTimeout(1);
        // For what would come too early.
        await setTimeout(100);
        during.push(service.arrivals.length);
      },
    });
    expect(ran).toMatchObject({ exitCode: 0, waits: [30_000, 30_000] });
    // The run goes on when its own wait is over, which ends a moment before that of the record.
    expect(during[0]).toBe(2);
    expect(ends(linesIn(rig))).toEqual(keys(9).map(key => `${key} created 0 true`));
  });

  test('without an end stop the run after five records: exit 6; the others are sent later', async () => {
    let isBusy = true;
    const { rig, run, service } = await shopAt(9, key => (isBusy ? busy(1) : created(key)));
    const ran = await run('--concurrency 1');
    expect(errorOf(ran)).toMatchObject({ code: 'rate_limited', exitCode: 6 });
    expect(service.arrivals).toHaveLength(5 * 4);
    expect(summaryOf(ran)).toMatchObject({ stopped: 'rate_limited', states: { rejected: 5, not_sent: 4 } });
    isBusy = false;
    expect((await run()).exitCode).toBe(0);
    expect(ends(linesIn(rig))).toEqual(keys(9).map(key => `${key} created 0 true`));
  });
});

test('Results that cannot be written any more stop the run, exit 10; sent records are in the summary and in the journal', async () => {
  const rig = await shop(orders(9));
  const ran = await rig.run(`${SHIP} --results /dev/full --concurrency 1 --json`);
  expect(errorOf(ran)).toMatchObject({ code: 'storage', exitCode: 10 });
  expect(errorOf(ran).message).toContain('/dev/full cannot be written');
  expect(errorOf(ran).message).toContain('stopped because the journal or a file could not be');
  expect(bookedIn(ran)).toEqual(['ORDER-1']);
  expect(summaryOf(ran)).toMatchObject({ sent: 1, states: { created: 1, not_sent: 8 }, stopped: 'storage' });
  const again = await rig.run(`${SHIP} --json`);
  expect(summaryOf(again)).toMatchObject({ sent: 8, already: 1, exitCode: 0 });
});
