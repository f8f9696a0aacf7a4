// A journal that is lost during a command: no booking that was sent is forgotten.
import { expect, test } from 'vitest';
import { bookedIn, jsonLines, keys, linesIn, orders } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { describeShared, type Relay, relayTo, sharedPlace } from '../rig/postgres.ts';
import { errorOf, posted, SHIPMENT } from '../rig/service.ts';
import { event } from '../rig/sockets.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key ORDER-1 --json';

describeShared('A lost journal', () => {
  async function relayed() {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    return {
      place,
      relay,
      rig: await createRig({ journalLost: true, env: { WAYBILL_JOURNAL: relay.address } }),
    };
  }

  test.each([
    ['lost before the server receives the claim', 'before'],
    ['lost before the server confirms the claim', 'after'],
  ] as const)('%s: exit 10, nothing is sent, and the next run books it', async (_, moment) => {
    const { relay, rig } = await relayed();
    await rig.run('history list');
    relay.cutAt(moment, 'INSERT INTO bookings');
    let waits = 0;
    const ran = await rig.run(SHIP, {
      stdin,
      onWait: () => {
        waits += 1;
        if (waits === 3) relay.mend();
      },
    });
    expect(ran).toMatchObject({ exitCode: 10, stdout: '', requests: [] });
    expect(errorOf(ran).message).toContain('nothing was sent');
    relay.mend();
    const again = await rig.run(SHIP, { stdin });
    expect([again.exitCode, posted(again).length]).toEqual([0, 1]);
  });

  test('lost for a while after the booking was sent: the outcome is recorded when the journal is back', async () => {
    const { relay, rig } = await relayed();
    let waits = 0;
    const ran = await rig.run(SHIP, {
      stdin,
      onRequest: () => relay.cut(),
      onWait: () => {
        waits += 1;
        if (waits === 5) relay.mend();
      },
    });
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 1]);
    const again = await rig.run(SHIP, { stdin });
    expect(again).toMatchObject({ exitCode: 0, stdout: ran.stdout, requests: [] });
  });

  /** The journal is lost when this many bookings have arrived, and the command stops waiting for it. */
  function lossAfter(bookings: number, relay: Relay) {
    let arrived = 0;
    const [patience, giveUp] = event();
    return {
      patience,
      onRequest: () => {
        arrived += 1;
        if (arrived === bookings) relay.cut();
      },
      onWait: () => {
        if (arrived >= bookings) giveUp();
      },
    };
  }

  test('lost for good after the booking was sent: the answer is shown, exit 10, and other machines see it as unknown', async () => {
    const { place, relay, rig } = await relayed();
    const ran = await rig.run(SHIP, { stdin, ...lossAfter(1, relay) });
    expect([ran.exitCode, posted(ran).length]).toEqual([10, 1]);
    const { id } = JSON.parse(ran.stdout);
    const { message, booking } = errorOf(ran);
    expect(message).toContain(
      `it was booked as ${id}. The journal could not record this: the journal postgres://`,
    );
    expect(message).toContain(`waybill history resolve ${booking}`);
    expect(message).not.toMatch(/nothing was sent|try again/);
    relay.mend();
    await place.age(61_000);
    const again = await rig.run(SHIP, { stdin });
    expect(again).toMatchObject({ exitCode: 8, requests: [] });
    expect(errorOf(again).booking).toBe(booking);
    expect(await rig.run(`history resolve ${booking} --created ${id}`)).toMatchObject({ exitCode: 0 });
    const resolved = await rig.run('ship -f - --key ORDER-1 -q', { stdin });
    expect(resolved).toMatchObject({ exitCode: 0, stdout: `${id}\n`, requests: [] });
  });

  test('lost in the middle of a batch: no new record is started, sent records are reported, and the next run books the rest', async () => {
    const { place, relay, rig } = await relayed();
    rig.file('orders.jsonl', jsonLines(orders(12)));
    // The minute for an outcome ends early, but not the longer time of a request that is still waiting for its answer.
    // Progress lines need some time between them, or they never end.
    const loss = { ...lossAfter(3, relay), upTo: 60_000, afterwards: 20 };
    const ran = await rig.run('batch ship orders.jsonl --json --concurrency 2', loss);
    const sent = bookedIn(ran);
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(ran.exitCode).toBe(10);
    const lines = linesIn(rig);
    expect(lines).toHaveLength(12);
    for (const { key, state, shipmentId } of lines) {
      if (!sent.includes(key ?? '')) expect(`${key} ${state}`).toBe(`${key} not_sent`);
      else expect(shipmentId).toMatch(/^shp_/);
    }
    const unrecorded = lines.filter(line => line.sent && line.exitCode === 10);
    expect(unrecorded.length).toBeGreaterThanOrEqual(1);
    for (const { error } of unrecorded)
      expect(error?.message).toMatch(/`waybill history resolve bk_\w+` corrects that/);
    relay.mend();
    await place.age(61_000);
    const rest = await rig.run('batch ship orders.jsonl --json --results rest.jsonl');
    expect(rest.exitCode).toBe(8);
    const unknown = linesIn(rig, 'rest.jsonl').flatMap(({ key, state }) => (state === 'unknown' ? key : []));
    expect(bookedIn(rest)).toEqual(keys(12).filter(key => !sent.includes(key) && !unknown.includes(key)));
    // The journal knows an outcome that was written but not confirmed. An intent that was not withdrawn is unknown.
    const doubtful = lines.flatMap(({ key, error }) => (error?.code === 'storage' ? key : []));
    expect(unknown.length).toBeGreaterThanOrEqual(1);
    for (const key of unknown) expect(doubtful).toContain(key);
  });
});
