// The bookings of a machine move into a shared journal, and the move is killed, or meets a booking of another process.
import { join } from 'node:path';
import { Journal } from '../../src/journal/journal.ts';
import { openSqlite } from '../../src/journal/sqlite/database.ts';
import { ANNA, localHost, NOON, SHIPPED } from '../rig/journal.ts';
import { inSharedPlace, type SharedPlace } from '../rig/postgres.ts';
import { ending, sentTwice, wrongCodes } from './breaches.ts';
import { type Scenario, ship } from './scenarios.ts';
import { createGate, onStage, type Stage } from './stage.ts';
import { stoppedAt } from './stopped.ts';

/** Three pages of a move, the last one not full. */
const BOOKINGS = 450;

interface Shop {
  stage: Stage;
  place: SharedPlace;
  move: readonly string[];
  /** For a run with the shared journal. */
  shared: { WAYBILL_JOURNAL: string };
}

/** A machine with so many bookings, of the keys K1, K2 and so on. */
const inShop =
  (bookings: number, act: (shop: Shop) => Promise<string[]>): Scenario =>
  command =>
    inSharedPlace(place =>
      onStage(command, async stage => {
        await fill(stage, bookings);
        const { address } = place;
        return act({
          stage,
          place,
          move: ['history', 'move', address],
          shared: { WAYBILL_JOURNAL: address },
        });
      }),
    );

async function fill({ folder, witness }: Stage, count: number): Promise<void> {
  const host = localHost(() => NOON);
  const file = join(folder, 'state/journal.db');
  const database = await openSqlite(file, { own: ANNA, isAlive: () => true }, host);
  const journal = new Journal(database);
  const booked = (number: number) => ({
    ...SHIPPED,
    id: `bk_${String(number).padStart(32, '0')}`,
    address: witness.url,
    key: `K${number}`,
    at: NOON + number,
    settledAt: NOON + number,
    request: { of: number },
    answer: `{"id":"S-${number}"}`,
    ids: { shipment: `S-${number}` },
  });
  const bookings = Array.from({ length: count }, (_, index) => ({ booking: booked(index + 1), labels: [] }));
  await journal.importBookings(bookings);
  await journal.close();
}

/** Killed at a step, and run again, it is whole: nothing is lost, and no key is booked in both journals. */
export const moveKilledAt = (step: string, isMarked: boolean): Scenario =>
  inShop(BOOKINGS, async ({ stage, place, move, shared }) => {
    const killed = await stage.run(move, { step });
    const broken = killed.signal === 'SIGKILL' ? [] : [`not killed: ${ending(killed)}`];
    const next = ship('NEXT');
    const beside = await stage.run(next.argv, { stdin: next.stdin });
    broken.push(...wrongCodes(isMarked ? 10 : 0, beside));
    if (isMarked) broken.push(...wrongCodes(2, await stage.run(['history', 'move', elsewhere(place)])));
    const again = await stage.run(move);
    broken.push(...wrongCodes(0, again));
    const all = BOOKINGS + (isMarked ? 0 : 1);
    const rows = await place.ask<{ id: string; key: string }>('SELECT id, key FROM bookings ORDER BY number');
    if (rows.length !== all) broken.push(`${rows.length} are there, not ${all}`);
    rows.slice(0, BOOKINGS).forEach(({ key }, index) => {
      if (key !== `K${index + 1}`) broken.push(`wrong order: ${key} is number ${index + 1}`);
    });
    const [belonging] = await place.ask<{ count: string }>(
      'SELECT (SELECT count(*) FROM made) + (SELECT count(*) FROM found_by) AS count',
    );
    if (Number(belonging?.count) !== 2 * all)
      broken.push(`lost: ${belonging?.count} of what belongs to them, not ${2 * all}`);
    const there = await stage.run(next.argv, { stdin: next.stdin, env: shared });
    broken.push(...wrongCodes(0, there), ...sentTwice(stage.witness, ['NEXT']));
    return broken;
  });

/** A schema of the same database that nobody has. */
const elsewhere = ({ address }: SharedPlace): string => address.replace(/waybill_test_\w+/, 'pg_temp');

/** A booking that has looked its key up waits, until the move has marked the journal: it is not sent. */
export const claimAfterMove: Scenario = inShop(3, async ({ stage, move }) => {
  const next = ship('NEXT');
  const gate = await createGate();
  const waiting = stage.start(next.argv, { stdin: next.stdin, gate });
  await gate.waiting(1);
  const moved = await stage.run(move);
  gate.open();
  const ended = await waiting.ended;
  await gate.close();
  const broken = [...wrongCodes(0, moved), ...wrongCodes(10, ended)];
  const sent = stage.witness.sent('NEXT');
  if (sent > 0) broken.push(`booked: NEXT was sent ${sent} times from a journal that was moved`);
  return broken;
});

/** A booking that is claimed and not sent yet keeps the journal from being moved, until it has ended. */
export const moveAfterClaim: Scenario = inShop(3, async ({ stage, place, move, shared }) => {
  const next = ship('NEXT');
  const first = await stoppedAt(stage, { step: 'claim committed' }, ['NEXT'], more =>
    stage.start(next.argv, { stdin: next.stdin, ...more }),
  );
  const refused = await stage.run(move);
  first.child.kill('SIGCONT');
  const ended = await first.ended;
  const moved = await stage.run(move);
  const again = await stage.run(next.argv, { stdin: next.stdin, env: shared });
  const broken = [...wrongCodes(2, refused), ...wrongCodes(0, ended, moved, again)];
  const [row] = await place.ask<{ count: string }>('SELECT count(*) FROM bookings');
  if (row?.count !== '4') broken.push(`${row?.count} bookings are there, not 4`);
  return [...broken, ...sentTwice(stage.witness, ['NEXT'])];
});
