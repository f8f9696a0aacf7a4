import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../../src/emulator/settings.ts';
import {
  bookedIn,
  created,
  ends,
  issuesOf,
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
import { elsewhere, inJournal, settle } from '../../rig/journal.ts';
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

test('Unknown records are told with their keys, which the provider may know: the first few', async () => {
  const told = async (count: number, isLost: (key: string) => boolean) => {
    const { run } = await shopAt(count, key => (isLost(key) ? { status: 500 } : created(key)));
    return issuesOf(await run('--max-unknown 9'));
  };
  const answered = 'may exist: the answer was HTTP 500';
  expect(await told(2, key => key === 'ORDER-2')).toEqual([`line 2, ORDER-2 ${answered}`]);
  expect(await told(3, key => key !== 'ORDER-2')).toEqual([
    `line 1 and line 3 (ORDER-1, ORDER-3) ${answered}`,
  ]);
  const five = 'ORDER-1, ORDER-2, ORDER-3, ORDER-4, ORDER-5';
  expect(await told(8, key => key !== 'ORDER-8')).toEqual([
    `lines 1, 2, 3, 4, 5, 6 and 7 (${five} and 2 more) ${answered}`,
  ]);
  expect(await told(5, () => true)).toEqual([`all 5 records (${five}) ${answered}`]);
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

  test('for one record alone: the same command sends it later, and nothing is to be fixed', async () => {
    let isBusy = true;
    const { run, arrived } = await shopAt(3, key => (isBusy && key === 'ORDER-2' ? busy(120) : created(key)));
    const ran = await run();
    const error = errorOf(ran);
    expect(error).toMatchObject({ code: 'partial', retry: 'later', retryAt: '2026-03-02T09:02:00.000Z' });
    expect(error.message).toContain('Run the same command again');
    expect(error.message).not.toMatch(/--failed|--retry-rejected/);
    arrived();
    isBusy = false;
    expect([(await run()).exitCode, arrived()]).toEqual([0, ['ORDER-2']]);
  });

  test('for labels: the same command makes them later, and books nothing again', async () => {
    let isBusy = true;
    const arrived: string[] = [];
    const address = await served(async (request, response) => {
      await request.toArray();
      arrived.push(request.url ?? '');
      if (request.url === '/v1/shipments')
        return void response.writeHead(201).end(JSON.stringify({ id: `S-${arrived.length}` }));
      if (isBusy) return void response.writeHead(429, { 'retry-after': '120' }).end('{}');
      const international = { success: true, trackingNumber: `T-${arrived.length}` };
      response.writeHead(200).end(JSON.stringify({ success: true, international }));
    });
    const rig = await shop(orders(2));
    const run = () => rig.run(`${SHIP} --label --concurrency 1`, { env: { WAYBILL_BASE_URL: address } });
    const error = errorOf(await run());
    expect(error).toMatchObject({ code: 'partial', retry: 'later', retryAt: '2026-03-02T09:02:00.000Z' });
    expect(error.message).toContain('Run the same command again');
    isBusy = false;
    arrived.length = 0;
    expect([(await run()).exitCode, arrived]).toEqual([0, Array(2).fill('/v2/carriers/create')]);
  });

  test('beside a record that was rejected: both are advised', async () => {
    const { run } = await shopAt(
      3,
      key => ({ 'ORDER-1': busy(120), 'ORDER-2': refusal })[key] ?? created(key),
    );
    const { message, retry } = errorOf(await run());
    expect([message, retry]).toEqual([expect.stringContaining('Run the same command again'), 'later']);
    expect(message).toMatch(/--failed.*--retry-rejected/);
  });

  test('without an end stop the run after five records: exit 6; the others are sent later', async () => {
    let isBusy = true;
    const { rig, run, service } = await shopAt(9, key => (isBusy ? busy(1) : created(key)));
    const ran = await run('--concurrency 1');
    expect(errorOf(ran)).toMatchObject({ code: 'rate_limited', exitCode: 6, retry: 'later' });
    expect(errorOf(ran).retryAt).toMatch(/^2026-03-02T/);
    expect(service.arrivals).toHaveLength(5 * 4);
    expect(summaryOf(ran)).toMatchObject({ stopped: 'rate_limited', states: { rejected: 5, not_sent: 4 } });
    isBusy = false;
    expect((await run()).exitCode).toBe(0);
    expect(ends(linesIn(rig))).toEqual(keys(9).map(key => `${key} created 0 true`));
  });
});

test('Results that cannot be written start no record beside those that are under way', async () => {
  const rig = await shop(orders(30));
  const ran = await rig.run(`${SHIP} --results /dev/full --concurrency 4`);
  const { sent, states } = summaryOf(ran);
  expect([ran.exitCode, states]).toEqual([10, { created: sent, not_sent: 30 - sent }]);
  expect(bookedIn(ran)).toHaveLength(sent);
  expect(sent).toBeLessThanOrEqual(4);
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

const BATCH = 'batch ship orders.jsonl --max-price 60EUR --concurrency 1';

/** A shop with this many orders, at a service that books them at these prices; later ones at 12.40. */
async function priced(count: number, ...prices: number[]) {
  const rig = await shop(orders(count));
  const { env, arrivals } = await scriptedService(key => created(key, prices[Number(key.split('-')[1]) - 1]));
  return { rig, arrivals, run: (argv: string, more = {}) => rig.run(argv, { env: { ...env, ...more } }) };
}

const acceptAll = (rig: Rig) =>
  inJournal(rig, 'state', async journal => {
    for (const { id } of await journal.list({})) await settle(journal, id, 'accepted');
  });

describe('A batch whose record is booked above its bound', () => {
  test('starts no further one, and ends with 11', async () => {
    const { rig, run, arrivals } = await priced(4, 12, 499, 499, 12);
    const ran = await run(`${BATCH} --json`);
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 0 true',
      'ORDER-2 created 11 true',
      'ORDER-3 not_sent null false',
      'ORDER-4 not_sent null false',
    ]);
    expect(arrivals).toHaveLength(2);
    expect(summaryOf(ran)).toMatchObject({ stopped: 'over_price', exitCode: 11, sent: 2 });
    expect(errorOf(ran)).toMatchObject({ code: 'over_price', exitCode: 11 });
    expect(errorOf(ran).message).toContain(
      'and 2 records were not started. 1 booked above --max-price. If a person accepts that, `waybill history accept ORDER-2` records it',
    );
    expect(linesIn(rig)[1]).toMatchObject({
      ...{ overPrice: true, price: 499, shipmentId: 'S-ORDER-2' },
      error: { code: 'over_price', exitCode: 11 },
    });
    expect(linesIn(rig)[2]?.error).toMatchObject({ code: 'interrupted', exitCode: null });
    expect(linesIn(rig)[0]).toMatchObject({ overPrice: false });
  });

  test('goes on with --max-overpriced, and still ends with 11', async () => {
    const { rig, run } = await priced(4, 499, 12, 499, 12);
    const ran = await run(`${BATCH} --json --max-overpriced 3`);
    expect(ran.exitCode).toBe(11);
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 11 true',
      'ORDER-2 created 0 true',
      'ORDER-3 created 11 true',
      'ORDER-4 created 0 true',
    ]);
    expect(summaryOf(ran)).toMatchObject({ stopped: null, sent: 4 });
    expect(errorOf(ran).message).toContain('`waybill history accept ORDER-1 ORDER-3` records it');
  });

  test('has at most as many of them as are under way at one time', async () => {
    const { arrivals, run } = await priced(40, ...Array<number>(40).fill(499));
    expect((await run(BATCH.replace('--concurrency 1', '--concurrency 4'))).exitCode).toBe(11);
    expect(arrivals.length).toBeLessThanOrEqual(4);
  });

  test('does what is left when it is run again; the old ones stop nothing, and are told until accepted', async () => {
    const { rig, run, arrivals } = await priced(4, 499);
    expect((await run(BATCH)).stderr).toContain('booked for 499.00 EUR');
    expect((await run(BATCH)).exitCode).toBe(11);
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 11 false',
      'ORDER-2 created 0 true',
      'ORDER-3 created 0 true',
      'ORDER-4 created 0 true',
    ]);
    await acceptAll(rig);
    expect(await run(BATCH)).toMatchObject({ exitCode: 0 });
    expect(linesIn(rig)[0]).toMatchObject({ exitCode: 0, overPrice: true, sent: false });
    expect(arrivals).toHaveLength(4);
  });

  test('makes no label of it, also when it is run again', async () => {
    const { rig, run } = await priced(2, 499);
    for (const _ of ['first', 'again'])
      expect((await run(`${BATCH} --label --max-overpriced 2`)).exitCode).toBe(11);
    expect(
      linesIn(rig)
        .map(({ key, trackingNumber }) => `${key} ${trackingNumber}`)
        .sort(),
    ).toEqual(['ORDER-1 null', 'ORDER-2 T-1']);
  });
});

test.each(['', '-q'])(
  'Records whose answers have no price are warned of once for each bound, with their lines %s',
  async quiet => {
    const rig = await shop(keys(4).map((key, at) => order(key, at === 3 ? { maxPrice: '99EUR' } : {})));
    const { env } = await scriptedService(key => ({ status: 201, body: { id: `S-${key}` } }));
    const ran = await rig.run(`${BATCH} --carrier EXP ${quiet}`, { env });
    const doubt = (bound: string) =>
      `the answer has no price at carrier.price, so it cannot be compared with --max-price ${bound}`;
    expect(ran.stderr).toContain(
      `warning: line 1, line 2 and line 3 (ORDER-1, ORDER-2, ORDER-3): ${doubt('60 EUR')}\n`,
    );
    expect(ran.stderr).toContain(`warning: line 4, ORDER-4: ${doubt('99 EUR')}\n`);
    expect(ends(linesIn(rig))).toEqual(keys(4).map(key => `${key} created 0 true`));
  },
);

test('A line names the run and the person that booked it, and for what was not booked those of this run', async () => {
  const { rig, run } = await priced(2);
  rig.file('orders.jsonl', jsonLines([order('ORDER-1')]));
  await run(`${BATCH} --run first --actor anna`);
  rig.file('orders.jsonl', jsonLines([order('ORDER-1'), order('ORDER-2')]));
  await run(`${BATCH} --run second --actor ben`);
  expect(linesIn(rig).map(({ key, run: of, actor }) => `${key} ${of} ${actor}`)).toEqual([
    'ORDER-1 first anna',
    'ORDER-2 second ben',
  ]);
});

// What a batch says at its end: the shipments, labels and cost of this run, apart from those of earlier runs, and faults.

const PLAIN = 'batch ship orders.jsonl';

const PRICES: Record<string, unknown> = {
  ...{ A: 0.1, B: 0.2, C: '12.40', D: null, E: 0, F: '1.234', G: 5, H: -1000, I: 7 },
};
const CURRENCY: Record<string, string> = { B: ' eur ', G: 'USD', I: '' };

async function pricedShop(...names: string[]) {
  const { env } = await scriptedService(key => {
    const carrier = { id: 'EXP', price: PRICES[key], currency: CURRENCY[key] ?? 'EUR' };
    return { status: 201, body: { id: `S-${key}`, carrier } };
  });
  return shop(
    names.map(key => order(key)),
    { env },
  );
}

describe('The summary', () => {
  test('has the cost in numbers, whose sums are exact, and counts what has no price, none in a currency, and none above 0', async () => {
    const rig = await pricedShop(...Object.keys(PRICES));
    const ran = await rig.run(SHIP);
    const cost = { EUR: 12.7, USD: 5 };
    expect(summaryOf(ran)).toMatchObject({ shipments: 9, labels: 0, cost, withoutPrice: 5 });
    expect(summaryOf(ran).before).toEqual({ shipments: 0, labels: 0, cost: {}, withoutPrice: 0 });
    const [line] = linesIn(rig).filter(({ key }) => key === 'H');
    expect(line).toMatchObject({ state: 'created', price: -1000, result: { carrier: { price: -1000 } } });
    expect(await rig.json('history summary')).toMatchObject([{ shipments: 9, cost, withoutPrice: 5 }]);
  });

  test('tells what this run booked from what earlier runs had booked', async () => {
    const rig = await pricedShop('A', 'B');
    await rig.run(PLAIN);
    rig.file('orders.jsonl', jsonLines(['A', 'B', 'C'].map(key => order(key))));
    const ran = await rig.run(SHIP);
    expect(summaryOf(ran)).toMatchObject({ sent: 1, already: 2, shipments: 1, cost: { EUR: 12.4 } });
    expect(summaryOf(ran).before).toMatchObject({ shipments: 2, cost: { EUR: 0.3 } });
    const { stdout } = await rig.run(PLAIN);
    expect(stdout).toMatch(/^Booked +nothing$/m);
    expect(stdout).toMatch(/^Booked before +3 shipments, 12\.70 EUR$/m);
  });

  test('of a run that only makes labels has no shipment and no cost', async () => {
    const rig = await shop(orders(3));
    const first = await rig.run(PLAIN);
    expect(first.stdout).toMatch(/^Booked +3 shipments\nCost +158\.70 EUR$/m);
    const ran = await rig.run(`${PLAIN} --label --json`);
    expect(summaryOf(ran)).toMatchObject({ sent: 0, already: 3, shipments: 0, labels: 3, cost: {} });
    expect(summaryOf(ran).before).toMatchObject({ shipments: 3, labels: 0, cost: { EUR: 158.7 } });
    expect(linesIn(rig).map(({ sent, trackingNumber }) => [sent, typeof trackingNumber])).toEqual(
      Array(3).fill([false, 'string']),
    );
    const again = await rig.run(`${PLAIN} --label`);
    expect(again.stdout).toMatch(/^Sent +0$/m);
    expect(again.stdout).toMatch(/^Booked +nothing$/m);
    expect(again.stdout).toMatch(/^Booked before +3 shipments, 3 labels, 158\.70 EUR$/m);
  });
});

describe('A fault', () => {
  const bad = { category: 'sale' };

  test('that all records share is told once, before the others, with the flag that helps', async () => {
    const records = keys(40).map(key => order(key, { type: undefined }));
    const rig = await shop([order('X', { type: undefined, ...bad }), ...records]);
    expect(issuesOf(await rig.run(SHIP))).toEqual([
      expect.stringMatching(/^all 41 records: type is required/),
      expect.stringMatching(/^line 1: category must be/),
    ]);
  });

  test('that some records share is told once, with their lines', async () => {
    const rig = await shop([...orders(3), ...['A', 'B', 'C', 'D'].map(key => order(key, bad)), order('E')]);
    expect(issuesOf(await rig.run(SHIP))).toEqual([
      expect.stringMatching(/^lines 4, 5, 6 and 7: category must be/),
    ]);
    const two = await shop([order('A', bad), order('B'), order('C', bad)]);
    expect(issuesOf(await two.run(SHIP))).toEqual([
      expect.stringMatching(/^line 1 and line 3: category must be/),
    ]);
  });

  test('that stopped the run comes first: the reason in the first sentence, its failures before bad rows', async () => {
    const rig = await shop([...['A', 'B'].map(key => order(key, bad)), ...orders(9)]);
    const ran = await rig.run(`${PLAIN} --skip-invalid --concurrency 1 --json`, {
      env: { WAYBILL_TOKEN: 'wrong' },
    });
    expect(errorOf(ran).exitCode).toBe(3);
    expect(errorOf(ran).message).toMatch(
      /^batch ship stopped because the service failed for several records in a row \(unauthorized\), and 4 records were not started\. 7 of 11 records failed/,
    );
    expect(issuesOf(ran)).toEqual([
      expect.stringMatching(/^lines 3, 4, 5, 6 and 7 ship: .*401/),
      expect.stringMatching(/^line 1 and line 2 category must be/),
    ]);
  });
});

test('Records whose key is booked with another request are counted apart from refused ones', async () => {
  const rig = await shop(orders(13));
  expect((await rig.run(PLAIN)).exitCode).toBe(0);
  rig.file('orders.jsonl', jsonLines([...orders(13), order('X', { category: 'sale' }), order('Y')]));
  const again = `${PLAIN} --set customs.iossNumber=IM2760000742 --skip-invalid --failed fix.jsonl --json`;
  const ran = await rig.run(again);
  expect(summaryOf(ran).states).toEqual({ created: 1, duplicate: 13, invalid: 1 });
  expect(errorOf(ran).message).toContain(
    'batch ship: 1 of 15 records failed. 13 with a key whose booking is cancelled or has another request: take them out of the file, or use the options of that booking. Fix what was refused in fix.jsonl',
  );
  rig.file('orders.jsonl', jsonLines([order('Y', { chargeableWeight: 7 })]));
  const one = await rig.run(SHIP);
  expect(errorOf(one).message).toMatch(
    /^batch ship: 1 of 1 records with a key whose booking is cancelled or has another request: /,
  );
});

test.each([
  [
    "--format jsonl --map 'a map.json' --type package --max-price 60EUR --set 'customs.iossNumber=a b'",
    "--format jsonl --map 'a map.json' --type package --max-price 60EUR --set 'customs.iossNumber=a b'",
  ],
  // It merges into another file than that of this run.
  ['--label --merge today.pdf', '--label --merge today.fixed.pdf'],
  // Without a word behind it, the name of the file would be taken for one.
  ['--label --merge today.pdf --papers', '--label --merge today.fixed.pdf --papers invoice,slip'],
])(
  'The command for the file of refused records has the options of this one, as they must be typed: %s',
  async (options, again) => {
    const rig = await shop([order('A'), order('B', { category: 'sale' })]);
    rig.file('a map.json', '{}');
    const own = '--concurrency 1 --skip-invalid --results r.jsonl --failed fix.jsonl';
    const ran = await rig.run(`${PLAIN} ${options} ${own} --json`);
    expect(errorOf(ran).message).toContain(
      `Fix it in fix.jsonl and run that file: \`waybill batch ship ${again} fix.jsonl\``,
    );
  },
);

test('A results file that is deleted while it is written is exit 10, and nothing more is started', async () => {
  const rig = await shop(orders(6));
  const path = join(rig.folder, 'orders.results.jsonl');
  let seen = 0;
  const ran = await rig.run('batch ship orders.jsonl --concurrency 1 --json', {
    onRequest: () => {
      seen += 1;
      if (seen === 2) rmSync(path);
    },
  });
  expect(ran.exitCode).toBe(10);
  expect(errorOf(ran).message).toContain(
    'orders.results.jsonl cannot be written: it was deleted while it was written',
  );
  expect(summaryOf(ran).sent).toBeLessThan(6);
  const again = await rig.run('batch ship orders.jsonl --json');
  expect([again.exitCode, linesIn(rig).length]).toEqual([0, 6]);
  expect(ran.requests.length + again.requests.length).toBe(6);
});
