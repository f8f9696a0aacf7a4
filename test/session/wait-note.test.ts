// A command that waits for the booking of another process says so.
import { expect, test } from 'vitest';
import { keys, orders, shop } from '../rig/batch.ts';
import { describeShared, sharedPlace } from '../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key ORDER-1';
const NOTE = 'waiting for another process (';

/** The notes of a wait. */
const told = (stderr: string): string[] => stderr.split('\n').filter(line => line.includes(NOTE));

describeShared('A runner on this machine died, and its bookings are in a shared journal', () => {
  async function died(booking: string, files: readonly Record<string, unknown>[] = []) {
    const place = await sharedPlace();
    const rig = await shop(files, { journalLost: true, env: { WAYBILL_JOURNAL: place.address } });
    await rig.run(booking, { stdin });
    await place.ask(
      `UPDATE bookings SET state = 'pending', settled_at = NULL, answer = NULL, ids = '{}',
         lease_until = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 60000`,
    );
    let waits = 0;
    // The lease ends after some looks.
    const onWait = async () => {
      waits += 1;
      if (waits === 40 * Math.max(files.length, 1)) await place.age(61_000);
    };
    return { run: (argv: string) => rig.run(argv, { stdin, onWait }) };
  }

  test('a booking with the same key says for what it waits, how long at most, and what to do', async () => {
    const { run } = await died(SHIP);
    const ran = await run(`${SHIP} --json`);
    expect([ran.exitCode, ran.requests]).toEqual([8, []]);
    const [note, ...more] = told(ran.stderr);
    expect(more).toEqual([]);
    expect(JSON.parse(note ?? '').note).toMatch(
      /^waiting for another process \(\d+ of (\S+ on )?\S+\), which is sending booking bk_\w+ with the key "ORDER-1"\. If that process has ended, this takes at most 60 seconds, and then the booking is unknown\. Ctrl-C ends the waiting; nothing is sent twice/,
    );
    expect(errorOf(ran).code).toBe('outcome_unknown');
  });

  test('a batch says it once, whatever the number of its records', async () => {
    const { run } = await died('batch ship orders.jsonl', orders(3));
    const ran = await run('batch ship orders.jsonl --json');
    expect([ran.exitCode, ran.requests]).toEqual([8, []]);
    expect(JSON.parse(ran.stdout).states).toEqual({ unknown: keys(3).length });
    expect(told(ran.stderr)).toHaveLength(1);
  });
});
