// Following all shipments of the journal: one line each, and those that have arrived are not asked for again.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';
import { cannedService, DUAL, SHIPMENT } from '../rig/service.ts';

const DAY = 86_400_000;

async function ship({ run }: Rig, key: string, carrier = 'EXP'): Promise<string> {
  const order = JSON.stringify({ ...SHIPMENT, carrier: { id: carrier } });
  const ran = await run(`ship -f - --key ${key} -q --set customs.iossNumber=IM2760000742`, { stdin: order });
  expect(ran.exitCode, ran.stderr).toBe(0);
  return ran.stdout.trim();
}

async function pair({ run }: Rig, key: string): Promise<string[]> {
  const argv = `ship-dual -f - --international EXP --domestic DOM --key ${key} -q`;
  return (await run(argv, { stdin: JSON.stringify(DUAL) })).stdout.trim().split('\n');
}

const asked = ({ requests }: { requests: { path: string }[] }) =>
  requests.map(({ path }) => path.replace('/v1/shipments/', '')).sort();

const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

describeBoth('track --active', journal => {
  test('reads what has not arrived yet, each leg as what it is, and never again what has', async () => {
    const rig = await createRig({ journal });
    const slow = await ship(rig, 'SLOW', 'ECO');
    const fast = await ship(rig, 'FAST');
    const [international = '', domestic = ''] = await pair(rig, 'PAIR');
    const all = [slow, fast, international, `domestic/${domestic}`].sort();
    expect(asked(await rig.run('track --active'))).toEqual(all);
    // The domestic leg takes a day, express two, economy six.
    await rig.later(1.5 * DAY);
    const first = await rig.run('track --active -q');
    expect(asked(first)).toEqual(all);
    expect(first.stdout).toContain(`${domestic} delivered\n`);
    expect(asked(await rig.run('track --active'))).toEqual([slow, fast, international].sort());
    await rig.later(DAY);
    // Who reads a shipment in another way records its end, too.
    await rig.run('track --key FAST');
    expect(asked(await rig.run('track --active'))).toEqual([slow, international].sort());
    expect(asked(await rig.run('track --active'))).toEqual([slow]);
    await rig.later(5 * DAY);
    await rig.run('track --active');
    expect(await rig.run('track --active --json')).toMatchObject({
      exitCode: 0,
      stdout: '[]\n',
      requests: [],
    });
    expect((await rig.run('track --active')).stdout).toBe('No such shipment is under way.\n');
  });
});

describe('what is shown', () => {
  test('a line each: key, receiver, country, carrier, milestone, since when, and days since booking', async () => {
    const rig = await createRig();
    const id = await ship(rig, 'A-1');
    rig.clock.now += 1.2 * DAY;
    const [, domestic = ''] = await pair(rig, 'P-1');
    const { stdout } = await rig.run('track --active');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual([
      ...['KEY OR ID', 'RECEIVER', 'TO', 'CARRIER', 'MILESTONE', 'SINCE', 'DAYS', 'TRACKING', 'SHIPMENT'],
    ]);
    expect(rows.map(row => row.split(/ {2,}/).slice(0, 5))).toEqual([
      ['P-1', 'Anna Beispiel', 'DE', 'EXP', 'pending_arrival_at_warehouse'],
      ['P-1 domestic', 'Anna Beispiel', 'DE', 'DOM', 'pending_arrival_at_warehouse'],
      ['A-1', 'Anna Beispiel', 'DE', 'EXP', 'pending_arrival_at_warehouse'],
    ]);
    expect(rows[2]).toMatch(/ 2 Mar \d\d:\d\d +1 /);
    const csv = (await rig.run('track --active -o csv')).stdout.split('\r\n');
    expect(csv[0]).toBe(
      'key,shipmentId,leg,receiver,country,carrier,trackingNumber,milestone,since,bookedAt,days,error',
    );
    expect(csv[2]).toContain(`P-1,${domestic},domestic,`);
    expect(csv[3]).toBe(
      `A-1,${id},international,Anna Beispiel,DE,EXP,,pending_arrival_at_warehouse,2026-03-02T09:00:00.000Z,2026-03-02T09:00:00.000Z,1,`,
    );
  });

  test('JSON is an array of the bodies of the service, also of one shipment', async () => {
    const rig = await createRig();
    const id = await ship(rig, 'A-1');
    const [body, ...others] = JSON.parse((await rig.run('track --active --json')).stdout);
    expect(body).toEqual(JSON.parse((await rig.run(`track ${id} --json`)).stdout));
    expect(others).toEqual([]);
    expect((await rig.run('track --active --query [].id -o text')).stdout).toBe(`${id}\n`);
  });

  test('a table of an 80 column terminal has a line each', async () => {
    const rig = await createRig();
    await ship(rig, 'A-1');
    const { stdout, stderr } = await rig.run('track --active', {
      ...{ terminal: true, columns: 80, env: { NO_COLOR: '1' } },
    });
    expect(stderr.replaceAll('\n', ' ')).toContain(
      'this terminal is too narrow for: to, carrier, days, shipment. A terminal of 140 columns shows all, and so does -o json',
    );
    const lines = stdout.trimEnd().split('\n');
    expect([lines.length, Math.max(...lines.map(({ length }) => length))]).toEqual([2, expect.any(Number)]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test('of an empty journal nothing, and CSV has its header', async () => {
    const { run } = await createRig();
    expect(await run('track --active')).toMatchObject({ exitCode: 0, requests: [] });
    expect((await run('track --active -o csv')).stdout).toMatch(/^key,shipmentId,[^\n]+\r\n$/);
  });

  test('a 404 of one is an error in its place, and exit 9', async () => {
    const rig = await createRig();
    const id = await ship(rig, 'A-1');
    await fill(rig, 'state', [bookingAt(rig, 7)]);
    const ran = await rig.run('track --active --json');
    expect([ran.exitCode, errorOf(ran.stderr).code]).toEqual([9, 'partial']);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: 'S-7', error: { code: 'not_found' } }, { id }]);
    expect((await rig.run('track --active')).stdout).toMatch(/K-7 .* not found/);
    const csv = (await rig.run('track --active -o csv')).stdout.split('\r\n');
    expect(csv[1]).toMatch(/^K-7,S-7,.*shipment not found/);
  });

  test('a pair that is named by its key keeps its time lines, and --domestic means its domestic leg', async () => {
    const rig = await createRig();
    const [international = '', domestic = ''] = await pair(rig, 'P-1');
    expect((await rig.run('track P-1')).stdout).toMatch(/^Shipment [\s\S]+\nShipment /);
    expect((await rig.run('track P-1 --json')).stdout).toMatch(/^\[/);
    for (const ref of ['P-1', domestic]) {
      const ran = await rig.run(['track', ref, '--domestic', '--json']);
      expect([ran.exitCode, asked(ran), JSON.parse(ran.stdout).id]).toEqual([
        0,
        [`domestic/${domestic}`],
        domestic,
      ]);
    }
    const both = await rig.run(['track', domestic, international]);
    expect([both.exitCode, both.stdout.trim().split('\n').length]).toEqual([0, 3]);
  });
});

describe('which shipments', () => {
  test('--since bounds the time of booking, by 60 days unless it is given', async () => {
    const rig = await createRig();
    const old = await ship(rig, 'OLD', 'ECO');
    // It was never read again after it arrived.
    rig.clock.now += 61 * DAY;
    const recent = await ship(rig, 'NEW', 'ECO');
    expect(asked(await rig.run('track --active'))).toEqual([recent]);
    expect(asked(await rig.run('track --active --since 2026-03-01'))).toEqual([old, recent].sort());
  });

  test('--stale shows only those whose milestone did not change for so long', async () => {
    const rig = await createRig();
    const slow = await ship(rig, 'SLOW', 'ECO');
    await ship(rig, 'FAST');
    rig.clock.now += 4 * DAY;
    await ship(rig, 'NEW');
    expect(await rig.run('track --active --stale 3d -q')).toMatchObject({
      exitCode: 0,
      stdout: `${slow} pending_arrival_at_warehouse\n`,
    });
    expect((await rig.run('track --active --stale 5d')).stdout).toBe('No such shipment is under way.\n');
  });

  test('a milestone that is told twice is as old as the first time, and one without a date as the booking', async () => {
    const event = (milestone: string, date?: string) => ({ milestone, status: 'scan', date });
    const events = [event('picked_up', '2026-02-20T09:00:00Z'), event('In_Transit', '2026-02-22T09:00:00Z')];
    const shipment = (id: string, all: object[]) => ({
      status: 200,
      body: { id, tracking: { events: all } },
    });
    const service = await cannedService({
      '/v1/shipments/S-1': shipment('S-1', [...events, event('in_transit', '2026-03-01T09:00:00Z')]),
      '/v1/shipments/S-2': shipment('S-2', [...events, event('hub', '2026-03-01T09:00:00Z')]),
      '/v1/shipments/S-3': shipment('S-3', [event('somewhere')]),
    });
    const rig = await createRig({ env: service.env });
    const at = (days: number) => ({
      address: `${service.env.WAYBILL_BASE_URL}`,
      at: rig.clock.now - days * DAY,
    });
    await fill(
      rig,
      'state',
      [1, 2, 3].map(number => bookingAt(rig, number, at(number * 2))),
    );
    const stale = async (time: string) =>
      (await rig.run(`track --active --stale ${time} -q`)).stdout.match(/S-\d/g) ?? [];
    expect([await stale('7d'), await stale('5d'), await stale('12h')]).toEqual([
      ['S-1'],
      ['S-3', 'S-1'],
      ['S-3', 'S-2', 'S-1'],
    ]);
  });

  test('endMilestones of the profile says where a journey ends, and another setting later asks again', async () => {
    const rig = await createRig();
    const demo = (line: string, stdin = '') => rig.run(`${line} --profile demo`, { stdin });
    const id = (await demo('ship -f - --carrier EXP -q', JSON.stringify(SHIPMENT))).stdout.trim();
    const active = async () => (await demo('track --active -q')).stdout.split(' ')[0];
    const ends = async () => JSON.parse((await demo('profile whoami --json')).stdout).endMilestones;
    await demo('profile set demo endMilestones=Pending_Arrival_At_Warehouse,returned');
    expect(await ends()).toEqual(['Pending_Arrival_At_Warehouse', 'returned']);
    expect([await active(), await active()]).toEqual([id, '']);
    await demo('profile set demo endMilestones=');
    expect(await ends()).toEqual(['delivered']);
    expect(await active()).toBe(id);
  });

  test.each([
    ['track --active A-1', 'name shipments, or all that are under way with --active, but not both'],
    ['track --active --key A-1', 'but not both'],
    ['track --active --domestic', 'Leave out --domestic'],
    ['track A-1 --stale 5d', '--since and --stale need --active'],
    ['track A-1 --since 5d', '--since and --stale need --active'],
    ['track --active --stale 5d --watch', '--stale is about one look'],
    ['track A-1 --interval 5m', '--interval needs --watch, --until or --max-wait'],
  ])('%s is a wrong command line', async (line, message) => {
    const { run } = await createRig();
    const { exitCode, stderr, requests } = await run(line);
    expect([exitCode, requests]).toEqual([2, []]);
    expect(stderr).toContain(message);
  });
});

test('batch track knows from the journal which id is domestic, and records what has arrived', async () => {
  const rig = await createRig();
  const [international = '', domestic = ''] = await pair(rig, 'P-1');
  rig.clock.now += 1.5 * DAY;
  rig.file('ids.csv', `id\n${domestic}\n`);
  const ran = await rig.run('batch track ids.csv --results out.jsonl');
  expect([ran.exitCode, asked(ran)]).toEqual([0, [`domestic/${domestic}`]]);
  expect(readFileSync(`${rig.folder}/out.jsonl`, 'utf8')).toContain(
    '"status":"delivered","milestone":"delivered","statusAt":"2026-03-03T09:00:00.000Z"',
  );
  expect(asked(await rig.run('track --active'))).toEqual([international]);
});

describe('how they are read', () => {
  const filled = (rig: Rig) =>
    fill(
      rig,
      'state',
      Array.from({ length: 30 }, (_, number) => bookingAt(rig, number)),
    );

  test('a few at a time, and each is tried again as usual', async () => {
    let under = 0;
    let most = 0;
    const rig = await createRig({ latency: 5 });
    await filled(rig);
    const ran = await rig.run('track --active -q', {
      onRequest: () => {
        most = Math.max(most, ++under);
        setTimeout(() => under--, 5);
      },
    });
    expect([ran.exitCode, ran.requests.length]).toEqual([4, 30]);
    expect(most).toBeLessThanOrEqual(12);
  });

  test('if several in a row fail because of the service, the rest is not asked for', async () => {
    const rig = await createRig({ env: { WAYBILL_TOKEN: 'wrong' } });
    await filled(rig);
    const ran = await rig.run('track --active --json');
    expect([ran.exitCode, JSON.parse(ran.stdout).length]).toEqual([3, 30]);
    expect(ran.requests.length).toBeLessThan(15);
    expect(ran.stdout).toContain('it was not read, because several shipments in a row failed');
  });
});

describe('on a terminal', () => {
  test('track alone picks from what is under way, by any of its words', async () => {
    const rig = await createRig();
    await ship(rig, 'FAST');
    rig.clock.now += 3 * DAY;
    await rig.run('track FAST');
    const id = await ship(rig, 'NEXT');
    const offered: string[] = [];
    const ran = await rig.run('track', {
      terminal: true,
      async answers(question) {
        if (question.kind !== 'search') throw new Error(question.kind);
        offered.push(...(await question.find('')).map(({ name }) => name));
        return (await question.find('beis next'))[0]?.value;
      },
    });
    expect([ran.exitCode, asked(ran)]).toEqual([0, [id]]);
    expect(offered).toEqual([`2026-03-05 09:00  NEXT  ${id}  to Anna Beispiel, Berlin`]);
    expect(ran.stdout).toContain('pending_arrival_at_warehouse');
    const left = await rig.run('track', { terminal: true, answers: () => undefined });
    expect([left.exitCode, left.requests]).toEqual([130, []]);
  });

  test('it is a wrong command line if nothing is under way, and if nobody may be asked', async () => {
    const rig = await createRig();
    const none = await rig.run('track', { terminal: true });
    expect([none.exitCode, none.questions]).toEqual([2, []]);
    expect(none.stderr).toContain('no shipment of this account is under way');
    await ship(rig, 'A-1');
    const silent = await rig.run('track --no-input', { terminal: true });
    expect([silent.exitCode, silent.questions]).toEqual([2, []]);
  });
});
