// What a journal that many share holds beyond what every journal does: leases by the server's clock, and a wire that may
// be lost at any moment.
import { describe, expect, test } from 'vitest';
import type { Journal } from '../../src/booking/journal.ts';
import { openSharedJournal } from '../../src/booking/postgres-journal.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { describeShared, type SharedPlace, sharedPlace } from '../postgres.ts';
import { relayTo } from '../postgres-relay.ts';
import { ended, intentOf, LEASE_MS, NOON, settingsFor, sharedHost } from './journal-rig.ts';

const { createShipment, createLabels } = OPERATIONS;
const DAY = 24 * 60 * 60 * 1000;
const keyed = intentOf(createShipment, { key: 'K' });
const CREATED = ended('created');

const holder = (process: number) => ({ host: 'here', process, start: '1' });

const open = (address: string, { host = sharedHost(), patience = LEASE_MS, process = 1 } = {}) =>
  openSharedJournal(settingsFor(address), holder(process), host, { ms: LEASE_MS, patience });

async function claimed(journal: Journal, intent = keyed): Promise<string> {
  const claim = await journal.claim(intent);
  if (claim.kind !== 'claimed') throw new Error(`there is a ${claim.kind}`);
  return claim.id;
}

/** What is written there, past every journal. */
const rows = ({ ask }: SharedPlace) =>
  ask<{ id: string; state: string }>('SELECT id, state FROM bookings ORDER BY number');

/** Waits for what others bring about. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 1000; looks += 1) {
    if (await isSo()) return;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error('it did not come');
}

/** A host whose deadlines are over when the test says so. */
function patientHost() {
  const deadlines: { ms: number; late(): unknown }[] = [];
  const deadline = (ms: number, late: () => unknown) => {
    const one = { ms, late };
    deadlines.push(one);
    return () => void (deadlines.includes(one) && deadlines.splice(deadlines.indexOf(one), 1));
  };
  return { host: { ...sharedHost(), deadline }, deadlines };
}

describeShared('A lease', () => {
  test('is renewed by its holder, in time, for as long as it sends', async () => {
    const place = await sharedPlace();
    const { host, deadlines } = patientHost();
    const journal = await open(place.address, { host });
    const id = await claimed(journal);
    const other = await open(place.address, { process: 2 });
    for (let rounds = 0; rounds < 4; rounds += 1) {
      // The next one is due well before the lease is over.
      expect(deadlines.map(({ ms }) => ms)).toEqual([LEASE_MS / 3]);
      await place.age(LEASE_MS * 0.75);
      await deadlines.shift()?.late();
      expect((await other.byId(id))?.state).toBe('pending');
    }
    await journal.settle(id, CREATED);
    expect(deadlines).toEqual([]);
    for (const one of [journal, other]) await one.close();
  });

  test('that its holder could not renew for once is renewed the next time', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const { host, deadlines } = patientHost();
    const journal = await open(relay.address, { host });
    const id = await claimed(journal);
    relay.cut();
    await deadlines.shift()?.late();
    relay.mend();
    await place.age(LEASE_MS * 0.75);
    await deadlines.shift()?.late();
    await place.age(LEASE_MS * 0.75);
    expect((await journal.byId(id))?.state).toBe('pending');
    await journal.settle(id, CREATED);
    await journal.close();
  });

  test('that ran out is over for good: to renew it changes nothing, and an outcome is recorded', async () => {
    const place = await sharedPlace();
    const { host, deadlines } = patientHost();
    const journal = await open(place.address, { host });
    const other = await open(place.address, { process: 2 });
    const id = await claimed(journal);
    await place.age(LEASE_MS + 1);
    expect(await other.claim(keyed)).toMatchObject({ kind: 'taken', booking: { id, state: 'unknown' } });
    await deadlines.shift()?.late();
    expect((await other.byId(id))?.state).toBe('unknown');
    await journal.settle(id, CREATED);
    expect(await other.claim(keyed)).toMatchObject({ kind: 'taken', booking: { id, state: 'created' } });
    for (const one of [journal, other]) await one.close();
  });
});

describeShared('The server’s clock counts', () => {
  test.each([
    ['behind', -DAY],
    ['ahead', 2 * DAY],
  ])('a machine whose clock is %s changes nothing', async (_, wrong) => {
    const place = await sharedPlace();
    const [server] = await place.ask<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    );
    const strange = await open(place.address, { host: sharedHost((server?.now ?? 0) + wrong) });
    const right = await open(place.address, { host: sharedHost(server?.now), process: 2 });
    const id = await claimed(strange, intentOf(createShipment));
    expect(Math.abs(((await right.byId(id))?.at ?? 0) - (server?.now ?? 0))).toBeLessThan(DAY / 24);
    expect((await right.byId(id))?.state).toBe('pending');
    await strange.settle(id, CREATED);
    expect(await right.claim(intentOf(createShipment))).toMatchObject({ kind: 'twin', booking: { id } });
    const another = { ...keyed, fingerprint: 'two' };
    const other = await claimed(right, another);
    expect(await strange.claim(another)).toMatchObject({ booking: { id: other, state: 'pending' } });
    expect(await strange.claim(intentOf(createShipment))).toMatchObject({ kind: 'twin', booking: { id } });
    await place.age(DAY);
    expect(await strange.claim(intentOf(createShipment))).toMatchObject({ kind: 'claimed' });
    for (const one of [strange, right]) await one.close();
  });
});

describeShared('The tables', () => {
  test('are made once, however many come to an empty schema at once', async () => {
    const place = await sharedPlace();
    const journals = await Promise.all(
      Array.from({ length: 6 }, (_, process) => open(place.address, { process })),
    );
    expect(await place.ask('SELECT version FROM waybill_schema')).toEqual([{ version: 1 }]);
    for (const journal of journals) expect(await journal.list({})).toEqual([]);
    for (const journal of journals) await journal.close();
  });

  test.each(['', ' -crole=pg_monitor'])('of a newer version are left alone%s', async role => {
    const place = await sharedPlace();
    await (await open(place.address)).close();
    await place.ask('UPDATE waybill_schema SET version = 9');
    await place.ask(
      `DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO pg_monitor; GRANT SELECT ON ALL TABLES IN SCHEMA %I TO pg_monitor', current_schema, current_schema); END $$`,
    );
    const url = new URL(place.address);
    url.searchParams.set('options', `${url.searchParams.get('options')}${role}`);
    await expect(open(url.href)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(
        /newer version of waybill \(9, not 1\); nothing was sent.*update waybill/,
      ),
    });
    expect(await place.ask('SELECT version FROM waybill_schema')).toEqual([{ version: 9 }]);
  });

  test('that many look at while many leases run out stop nobody', async () => {
    const place = await sharedPlace();
    const journals = await Promise.all([1, 2, 3].map(process => open(place.address, { process })));
    const [first] = journals as [Journal];
    for (let count = 0; count < 40; count += 1) await claimed(first, { ...keyed, key: `K-${count}` });
    await place.age(LEASE_MS + 1);
    const lists = await Promise.all(
      journals.flatMap(journal => [journal.list({}), journal.known(['K-1'], []), journal.list({})]),
    );
    expect(lists.length).toBe(9);
    expect(new Set((await first.list({})).map(({ state }) => state))).toEqual(new Set(['unknown']));
    for (const journal of journals) await journal.close();
  });
});

describeShared('A booking whose lease is over', () => {
  test('and that somebody is writing at this moment keeps no reader waiting', async () => {
    const place = await sharedPlace();
    const journal = await open(place.address);
    for (const key of ['A', 'B']) await claimed(journal, { ...keyed, key });
    await place.age(LEASE_MS + 1);
    const letGo = await place.hold(`SELECT 1 FROM bookings WHERE key = 'A' FOR UPDATE`);
    const states = async () => (await journal.list({})).map(({ key, state }) => `${key} ${state}`);
    expect(await states()).toEqual(['B unknown', 'A pending']);
    await letGo();
    expect(await states()).toEqual(['B unknown', 'A unknown']);
    await journal.close();
  });
});

describeShared('A claim that is lost on the way', () => {
  const ways = [
    ['a key', keyed, 'INSERT INTO bookings'],
    ['no key', intentOf(createShipment), 'INSERT INTO bookings'],
    ['no key', intentOf(createShipment), 'COMMIT'],
    [
      'a label',
      intentOf(createLabels, { labels: [{ leg: 'international', shipment: 'A' }] }),
      'INSERT INTO labels',
    ],
  ] as const;

  describe.each(ways)('with %s', (_, intent, statement) => {
    test.each(['before', 'after'] as const)(`${statement}, %s the server has seen it`, async moment => {
      const place = await sharedPlace();
      const relay = await relayTo(place.address);
      const journal = await open(relay.address);
      relay.cutAt(moment, statement);
      await expect(journal.claim(intent)).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringMatching(/cannot be written: .*; nothing was sent\. Look after the server/),
      });
      relay.mend();
      // It withdraws what may have been written, and goes only then.
      await journal.close();
      const wasWritten = moment === 'after' && (intent === keyed || statement === 'COMMIT');
      expect((await rows(place)).map(({ state }) => state)).toEqual(wasWritten ? ['not_sent'] : []);
      const again = await open(place.address);
      expect(await again.claim(intent)).toMatchObject({ kind: 'claimed' });
      await again.close();
    });
  });

  test('and cannot be withdrawn is unknown once its lease is over: never sent, never again', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const { host, deadlines } = patientHost();
    const journal = await open(relay.address, { host });
    relay.cutAt('after', 'INSERT INTO bookings');
    await expect(journal.claim(keyed)).rejects.toMatchObject({ code: 'storage' });
    // Nobody holds it; only the time for the withdrawal is running.
    expect(deadlines).toHaveLength(1);
    deadlines[0]?.late();
    await journal.close();
    await place.age(LEASE_MS + 1);
    const again = await open(place.address);
    expect(await again.claim(keyed)).toMatchObject({ kind: 'taken', booking: { state: 'unknown' } });
    await again.close();
  });
});

describeShared('An outcome', () => {
  test('is written as soon as the server is back', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address);
    const id = await claimed(journal);
    relay.cut();
    let isWritten = false;
    const settled = journal.settle(id, CREATED).then(() => {
      isWritten = true;
    });
    const before = relay.connections();
    await until(() => relay.connections() > before + 3);
    expect([isWritten, await rows(place)]).toEqual([false, [{ id, state: 'pending' }]]);
    relay.mend();
    await settled;
    expect(await rows(place)).toEqual([{ id, state: 'created' }]);
    await journal.close();
  });

  test('that was written and not confirmed is written once', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address);
    const id = await claimed(journal);
    relay.cutAt('after', 'UPDATE bookings SET state = $2');
    const settled = journal.settle(id, CREATED);
    await until(async () => (await rows(place))[0]?.state === 'created');
    relay.mend();
    await settled;
    expect(await journal.bookingOf(keyed.scope, 'S-1')).toMatchObject({ booking: { id } });
    await journal.close();
  });

  test('that cannot be written for longer than patience lasts is told, and unknown to all others', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address, { patience: 30 });
    const id = await claimed(journal);
    relay.cut();
    const failure = await journal.settle(id, CREATED).catch(error => error);
    expect(failure).toMatchObject({ code: 'storage', exitCode: 10 });
    expect(failure.message).toMatch(/^the journal postgres:\/\/127\.0\.0\.1:\d+\/\w+ cannot be written: /);
    // It was sent.
    expect(failure.message).not.toMatch(/nothing was sent|try again/);
    await journal.close();
    await place.age(LEASE_MS + 1);
    const other = await open(place.address, { process: 2 });
    expect(await other.claim(keyed)).toMatchObject({ kind: 'taken', booking: { id, state: 'unknown' } });
    await other.close();
  });

  test('of many at once is written over few connections', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address);
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const id = await claimed(journal, { ...keyed, key: `K-${index}` });
        await journal.settle(id, ended('created', { ids: { shipment: `S-${index}` } }));
      }),
    );
    expect(relay.connections()).toBeLessThanOrEqual(8);
    expect((await rows(place)).filter(({ state }) => state === 'created')).toHaveLength(40);
    await journal.close();
  });
});

describeShared('A journal', () => {
  test('whose ids come from wrong clocks still lists what was booked last first', async () => {
    const place = await sharedPlace();
    const ahead = await open(place.address, { host: sharedHost(NOON + DAY) });
    const behind = await open(place.address, { host: sharedHost(NOON - DAY), process: 2 });
    const one = await claimed(ahead, { ...keyed, key: 'ONE' });
    const two = await claimed(behind, { ...keyed, key: 'TWO' });
    expect((await ahead.list({})).map(({ id }) => id)).toEqual([two, one]);
    for (const journal of [ahead, behind]) await journal.close();
  });
});
