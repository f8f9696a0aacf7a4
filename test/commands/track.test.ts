// Reading shipments: by any id, while they are waited for, and all that are under way.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill } from '../rig/journal.ts';
import { cannedService, DUAL, errorOf, SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';

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

describe('An id', () => {
  test('that is named twice is asked for once, and the answer is still a list', async () => {
    const rig = await createRig();
    const id = await ship(rig, 'A-1');
    const { stdout, requests } = await rig.run(`track ${id} ${id} --json`);
    expect([JSON.parse(stdout).length, requests.length]).toEqual([1, 1]);
  });

  test('that cannot be read for another reason than the others is exit 9', async () => {
    let answered = 0;
    const rig = await createRig({
      random: () => (answered++ === 0 ? 0 : 0.99),
      faults: [{ kind: 500, probability: 0.5 }],
    });
    expect((await rig.run('track a b --retries 0')).exitCode).toBe(9);
  });
});

describe('--watch', () => {
  test('tells each change once', async () => {
    const rig = await createRig();
    const id = await ship(rig, 'A-1');
    const { stderr } = await rig.run(`track ${id} --watch --interval 1d`);
    expect(stderr.replace(/\d+ Mar [\d:]+/g, 'then').split('\n')).toEqual([
      `A-1, Anna Beispiel (${id}): pending arrival at warehouse`,
      'last look then, next look in 1 d; 1 under way',
      `A-1, Anna Beispiel (${id}): delivered`,
      '',
    ]);
  });

  test('does not ask again for what has arrived or cannot be read', async () => {
    const rig = await createRig();
    const early = await ship(rig, 'A-1');
    rig.clock.now += 3 * DAY;
    const late = await ship(rig, 'A-2');
    const watched = await rig.run(`track ${early} gone ${late} --watch --interval 1d --json`);
    const times = (id: string) => watched.requests.filter(({ path }) => path.endsWith(id)).length;
    expect([watched.exitCode, times(early), times('gone'), times(late)]).toEqual([9, 1, 1, 3]);
    expect(JSON.parse(watched.stdout).map(({ id }: { id: string }) => id)).toEqual([early, 'gone', late]);
  });

  test('outlives a service that is away for a while, but not one that was never there', async () => {
    let away = false;
    const rig = await createRig({
      random: () => (away ? 0 : 0.99),
      faults: [{ kind: 503, probability: 0.5 }],
    });
    const id = await ship(rig, 'A-1');
    let looks = 0;
    const { stdout, requests } = await rig.run(`track ${id} --watch --interval 1d --retries 0 -q`, {
      onWait: () => {
        looks += 1;
        away = looks === 1;
      },
    });
    expect([stdout, requests.map(({ answered }) => answered)]).toEqual(['delivered\n', [200, 503, 200]]);
    away = true;
    expect(await rig.run(`track ${id} --watch --retries 0`)).toMatchObject({ exitCode: 7, waits: [] });
  });
});

describe('What is under way', () => {
  test('is a line each: key, receiver, country, carrier, milestone, since when, and days since booking', async () => {
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
      ['P-1', 'Anna Beispiel', 'DE', 'EXP', 'pending arrival at warehouse'],
      ['P-1 domestic', 'Anna Beispiel', 'DE', 'DOM', 'pending arrival at warehouse'],
      ['A-1', 'Anna Beispiel', 'DE', 'EXP', 'pending arrival at warehouse'],
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
    const narrow = await rig.run('track --active', { terminal: true, columns: 80, env: { NO_COLOR: '1' } });
    const lines = narrow.stdout.trimEnd().split('\n');
    expect(narrow.stderr.replaceAll('\n', ' ')).toContain('140 columns show all');
    expect([lines.length, Math.max(...lines.map(line => line.length)) <= 80]).toEqual([4, true]);
    // What is named keeps its time lines.
    expect((await rig.run('track P-1')).stdout).toMatch(/^Shipment [\s\S]+\nShipment /);
  });

  test('has an error in the place of what is not found, and exit 9', async () => {
    const rig = await createRig();
    const id = await ship(rig, 'A-1');
    await fill(rig, 'state', [bookingAt(rig, 7)]);
    const ran = await rig.run('track --active --json');
    expect([ran.exitCode, errorOf(ran).code]).toEqual([9, 'partial']);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: 'S-7', error: { code: 'not_found' } }, { id }]);
    expect((await rig.run('track --active')).stdout).toMatch(/K-7 .* not found/);
    expect((await rig.run('track --active -o csv')).stdout).toMatch(/^K-7,S-7,.*shipment not found/m);
  });

  test('has a milestone that is told twice since the first time, and one without a date since the booking', async () => {
    const event = (milestone: string, date?: string) => ({ milestone, status: 'scan', date });
    const events = [event('picked_up', '2026-02-20T09:00:00Z'), event('In_Transit', '2026-02-22T09:00:00Z')];
    const shipment = (id: string, all: object[]) => ({
      status: 200,
      body: { id, tracking: { events: all } },
    });
    const { env } = await cannedService({
      '/v1/shipments/S-1': shipment('S-1', [...events, event('in_transit', '2026-03-01T09:00:00Z')]),
      '/v1/shipments/S-2': shipment('S-2', [...events, event('hub', '2026-03-01T09:00:00Z')]),
      '/v1/shipments/S-3': shipment('S-3', [event('somewhere')]),
    });
    const rig = await createRig({ env });
    const bookings = [1, 2, 3].map(number => {
      const at = rig.clock.now - number * 2 * DAY;
      return bookingAt(rig, number, { address: `${env.WAYBILL_BASE_URL}`, at });
    });
    await fill(rig, 'state', bookings);
    for (const [time, stale] of [
      ['7d', ['S-1']],
      ['5d', ['S-3', 'S-1']],
      ['12h', ['S-3', 'S-2', 'S-1']],
    ] as const)
      expect((await rig.run(`track --active --stale ${time} -q`)).stdout.match(/S-\d/g)).toEqual(stale);
  });

  test('is known to batch track, too, which reads each leg as what it is and records what has arrived', async () => {
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

  test('is read a few at a time, and not at all once several in a row failed because of the service', async () => {
    let status = 404;
    let under = 0;
    let most = 0;
    const { url, requests } = await rawServer(socket => {
      under += 1;
      most = Math.max(most, under);
      setTimeout(() => {
        under -= 1;
        socket.write(http(status, '{}'));
      }, 5);
    });
    const rig = await createRig({ env: { WAYBILL_BASE_URL: url.origin } });
    const bookings = Array.from({ length: 30 }, (_, number) =>
      bookingAt(rig, number, { address: url.origin }),
    );
    await fill(rig, 'state', bookings);
    expect((await rig.run('track --active -q')).exitCode).toBe(4);
    expect([requests.length, most > 1, most <= 12]).toEqual([30, true, true]);
    status = 401;
    const failed = await rig.run('track --active --json');
    expect([failed.exitCode, JSON.parse(failed.stdout).length]).toEqual([3, 30]);
    expect(requests.length).toBeLessThan(45);
    expect(failed.stdout).toContain('it was not read, because several shipments in a row failed');
  });

  test('is picked from by track alone on a terminal, by any of its words', async () => {
    const rig = await createRig();
    const none = await rig.run('track', { terminal: true });
    expect([none.exitCode, none.questions]).toEqual([2, []]);
    expect(none.stderr).toContain('no shipment of this account is under way');
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
    expect(offered).toEqual([`5 Mar 2026 09:00  NEXT  ${id}  to Anna Beispiel (Berlin, DE)`]);
    const left = await rig.run('track', { terminal: true, answers: () => undefined });
    expect([left.exitCode, left.requests]).toEqual([130, []]);
    const silent = await rig.run('track --no-input', { terminal: true });
    expect([silent.exitCode, silent.questions]).toEqual([2, []]);
  });
});
