// Whether the journal can be used to book, and what in it waits for a person.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig, type RigOptions, type RunOptions } from '../../rig/command.ts';
import { bookingAt, fill, labelAt, open, said, UNKNOWN } from '../../rig/journal.ts';
import { describeBoth, describeShared, type JournalKind, sharedPlace } from '../../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key K-1 -q';
const CHECK = 'history check --strict --json';

/** A machine that has booked K-1. */
async function booked(options: RigOptions = {}) {
  const rig = await createRig(options);
  const run = (argv: string, options: RunOptions = {}) => rig.run(argv, { stdin, ...options });
  expect((await run(SHIP)).exitCode).toBe(0);
  return { rig, journal: join(rig.folder, 'state/journal.db'), run };
}

/** A rig of either kind, and what fills its journal. */
async function place(kind: JournalKind) {
  if (kind === 'local') {
    const rig = await createRig();
    return { rig, fillIt: (bookings: Parameters<typeof fill>[2]) => fill(rig, 'state', bookings) };
  }
  const { address } = await sharedPlace();
  const rig = await createRig({ env: { WAYBILL_JOURNAL: address } });
  const fillIt = async (bookings: Parameters<typeof fill>[2]) => {
    const journal = await open(address);
    return journal.importBookings(
      bookings.map(one => ('booking' in one ? one : { booking: one, labels: [] })),
    );
  };
  return { rig, fillIt };
}

/** One of each kind that waits, and of each that does not. */
const everyKind = (rig: Rig) => {
  const dear = { overPrice: true, maxPrice: '10 EUR' };
  return [
    bookingAt(rig, 1),
    bookingAt(rig, 2, UNKNOWN),
    bookingAt(rig, 3, dear),
    bookingAt(rig, 4, { ...dear, settlements: [said('accepted', { ids: { shipment: 'S-4' } })] }),
    bookingAt(rig, 5, { ...dear, state: 'cancelled' }),
    bookingAt(rig, 6, { state: 'rejected', code: 'rejected', ids: {}, answer: null }),
    labelAt(rig, 7, 1, { ...UNKNOWN, state: 'unknown' }),
    bookingAt(rig, 8, { ...UNKNOWN, address: 'demo' }),
  ];
};

describeBoth('history check --strict', kind => {
  test('is exit 0 where nothing waits for a person, and exit 9 with all of it where something does', async () => {
    const { rig, fillIt } = await place(kind);
    await fillIt([bookingAt(rig, 20)]);
    const calm = await rig.run(CHECK);
    expect([calm.exitCode, JSON.parse(calm.stdout)]).toEqual([
      0,
      {
        ...{ journal: expect.any(String), exists: true, canBook: true, shared: kind === 'shared' },
        ...{ engine: expect.any(String), bookings: 1, unknown: 0, bytes: expect.any(Number) },
        ...{ missingSince: null, restorations: [], waiting: [] },
      },
    ]);
    await fillIt(everyKind(rig));
    const ran = await rig.run(CHECK);
    const { waiting } = JSON.parse(ran.stdout);
    expect([
      ran.exitCode,
      waiting.map(({ why, key, operation }: Record<string, string>) => [why, key, operation]),
    ]).toEqual([
      9,
      [
        ['unknown', 'K-2', 'ship'],
        ['unknown', null, 'label'],
        ['over_price', 'K-3', 'ship'],
      ],
    ]);
    expect(waiting[2]).toMatchObject({
      shipmentIds: ['S-3'],
      price: 12.4,
      currency: 'EUR',
      state: 'created',
    });
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(errorOf(ran).message).toContain('2 unknown, 1 above its bound');
    const lenient = await rig.run('history check --json');
    expect([lenient.exitCode, lenient.stdout]).toEqual([0, ran.stdout]);
    const demo = await rig.run(`${CHECK} --profile demo`);
    expect(demo.exitCode).toBe(kind === 'local' ? 9 : 10);
    const show = ['waybill', 'history', 'show', bookingAt(rig, 8).id, '--profile', 'demo'];
    if (kind === 'local') expect(errorOf(demo).next).toEqual([show]);
  });

  test('says in its text what waits, and a person who settles all of it makes it exit 0', async () => {
    const { rig, fillIt } = await place(kind);
    await fillIt(everyKind(rig).slice(0, 6));
    const ran = await rig.run('history check --strict');
    expect(ran.exitCode).toBe(9);
    expect(ran.stdout).toMatch(
      /Waiting for a person: 1 unknown, 1 above its bound\.\n {2}unknown: K-2, bk_\w+, of .*\n {2}above its bound: K-3, bk_/,
    );
    await rig.run('history accept K-3');
    await rig.run('history resolve K-2 --created S-22 --unchecked');
    expect((await rig.run('history check --strict')).exitCode).toBe(0);
  });

  test('does not count what --restored has recorded: since when bookings may be missing is shown', async () => {
    const { rig, fillIt } = await place(kind);
    await fillIt([bookingAt(rig, 1)]);
    const restored = await rig.json(['history', 'check', '--restored', '--reason', 'the backup of Monday']);
    const since = new Date(rig.clock.now + 1).toISOString();
    expect(restored).toMatchObject({
      missingSince: since,
      restorations: [{ reason: 'the backup of Monday' }],
    });
    const ran = await rig.run(CHECK);
    expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([0, { ...restored, bytes: expect.any(Number) }]);
  });
});

describe('history check', () => {
  test('says that the journal can be used, and how large it is', async () => {
    const { run } = await booked();
    const { exitCode, stdout } = await run('history check');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^The journal \S+ can be used: 1 booking, 0 unknown, [\d.]+ kB.*\.\n$/),
    ]);
    expect((await run('history check -q')).stdout).toBe('1\n');
  });

  test('is exit 10 for a journal that a booking would refuse', async () => {
    const { run, journal } = await booked({ journalLost: true });
    for (const end of ['', '-wal', '-shm']) rmSync(`${journal}${end}`, { force: true });
    for (const flag of ['', '--strict'])
      expect(await run(`history check ${flag}`)).toMatchObject({ exitCode: 10, requests: [] });
    expect((await run('history check --new-journal')).exitCode).toBe(0);
  });

  test('with policy.resolve=terminal, --restored and --new-journal are for a person at a terminal', async () => {
    const { rig } = await booked();
    const shop = {
      baseUrl: rig.address,
      credentials: { kind: 'token', token: 'demo' },
      policy: { resolve: 'terminal' },
    };
    rig.file('config/config.json', { profiles: { shop } });
    const restored = ['history', 'check', '--profile', 'shop', '--restored', '--reason', 'x'];
    expect((await rig.run(restored)).exitCode).toBe(2);
    expect((await rig.run('history check --profile shop --new-journal')).exitCode).toBe(2);
    expect((await rig.json('history check')).restorations).toEqual([]);
    expect((await rig.run(restored, { terminal: true })).exitCode).toBe(0);
    expect((await rig.json('history check')).restorations).toHaveLength(1);
  });
});

describeBoth('history check of a journal that is not there', kind => {
  test('makes none: it says so each time, and is exit 10 with --strict or WAYBILL_REQUIRE_JOURNAL', async () => {
    const rig = await createRig();
    const address = kind === 'shared' ? (await sharedPlace()).address : '';
    const env = { WAYBILL_JOURNAL: address };
    const variable = kind === 'shared' ? 'WAYBILL_JOURNAL' : 'WAYBILL_STATE_DIR';
    for (const _ of [1, 2]) {
      const ran = await rig.run('history check -q', { env });
      expect([ran.exitCode, ran.stdout]).toEqual([0, '0\n']);
      expect(ran.stderr).toContain('there is no journal at');
      expect(ran.stderr).toContain(variable);
      expect((await rig.run('history list --json', { env })).stdout).toBe('[]\n');
    }
    expect(await rig.json('history check', { env })).toMatchObject({ exists: false, bookings: 0 });
    const strict = await rig.run('history check --strict', { env });
    const required = await rig.run('history check', { env: { ...env, WAYBILL_REQUIRE_JOURNAL: '1' } });
    expect([strict.exitCode, required.exitCode]).toEqual([10, 10]);
    // A booking still finds that there is none.
    const ship = await rig.run(SHIP, { stdin, env: { ...env, WAYBILL_REQUIRE_JOURNAL: '1' } });
    expect(ship).toMatchObject({ exitCode: 10, requests: [] });
    expect(existsSync(join(rig.folder, 'state/journal.db'))).toBe(false);
    expect(await rig.run('history check --new-journal', { env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await rig.run('history check --strict', { env })).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describeShared('history check of a shared journal', () => {
  test('names its address without a password', async () => {
    const { run } = await booked({ env: { WAYBILL_JOURNAL: (await sharedPlace()).address } });
    expect(JSON.parse((await run('history check --json')).stdout)).toMatchObject({
      ...{ shared: true, bookings: 1, unknown: 0 },
      journal: expect.stringMatching(/^postgres:/),
    });
  });
});
