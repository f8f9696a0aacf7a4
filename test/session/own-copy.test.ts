// A copy that `history backup` made, in place of a journal: it lacks what was booked since, so nothing is booked or settled with it
// until a person says that it is used as a journal now.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { machine } from '../rig/journal.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';
import { books, RESTORED, refuses, ship, stdin } from './machines.ts';

const IS_COPY =
  /journal\.db is a copy that `waybill history backup` made at 2026-03-02T09:00:00\.000Z, .*history check --restored --reason TEXT/;
/** Machines with a copy in place of a journal; of these bookings the copy has K-1, and U-1, which is unknown. */
async function copied() {
  const rig = await createRig({ journalLost: true });
  const first = machine(rig, 'first');
  await books(first, 'K-1');
  const cut = { WAYBILL_BASE_URL: 'http://127.0.0.1:9' };
  expect((await first(`${ship('N-1')} --retries 0`, { stdin, env: cut })).exitCode).toBe(7);
  const copy = join(rig.folder, 'copy.db');
  expect((await first(['history', 'backup', copy])).exitCode).toBe(0);
  await rig.later(60_000);
  await books(first, 'K-2');
  return { rig, first, copy };
}

/** Puts a copy in place of the journal of a new machine. */
function putBack(rig: Rig, copy: string, name: string) {
  mkdirSync(join(rig.folder, name), { recursive: true });
  copyFileSync(copy, join(rig.folder, name, 'journal.db'));
  return machine(rig, name);
}

describe('A copy in place of a journal', () => {
  test.each([
    `${ship('K-2')} --new-journal`,
    'batch ship orders.jsonl --json',
    'webhook create --url https://a.example/hook --event shipment.status.updated --secret-file secret --json',
    'history import orders.results.jsonl --done none --json',
  ])('is exit 10 for `%s`, and nothing is sent', async argv => {
    const { rig, copy } = await copied();
    rig.file('orders.jsonl', JSON.stringify({ key: 'K-2', ...SHIPMENT }));
    rig.file(
      'orders.results.jsonl',
      `${JSON.stringify({ operation: 'ship', place: rig.address, key: 'K-9', state: 'created', shipmentId: 'S-9' })}\n`,
    );
    const env = { WAYBILL_REQUIRE_JOURNAL: '1' };
    const run = putBack(rig, copy, 'second');
    const ran = await run(argv, { stdin, env });
    expect(ran).toMatchObject({ exitCode: 10, stdout: '', requests: [] });
    expect(errorOf(ran).message).toMatch(IS_COPY);
    expect(errorOf(ran).message).toContain('nothing was sent');
    // No later command takes it for a journal.
    expect(await run(ship('K-2'), { stdin, env })).toMatchObject({ exitCode: 10, requests: [] });
  });

  test('refuses a dry run as it would the booking: exit 10, and what would be sent is shown all the same', async () => {
    const { rig, copy } = await copied();
    const ran = await putBack(rig, copy, 'second')(`${ship('K-2')} --dry-run`, { stdin });
    expect([ran.exitCode, ran.requests, JSON.parse(ran.stdout)]).toEqual([
      10,
      [],
      expect.objectContaining({ method: 'POST', journal: { state: 'new', booking: null } }),
    ]);
    expect(errorOf(ran).message).toMatch(IS_COPY);
  });

  test('that was copied again is still one, from when the first copy was made; so is a new copy of a restored one', async () => {
    const { rig, copy } = await copied();
    const second = putBack(rig, copy, 'second');
    const again = join(rig.folder, 'again.db');
    const copying = await second(['history', 'backup', again, '--json']);
    expect([copying.exitCode, copying.stderr]).toEqual([0, expect.stringMatching(IS_COPY)]);
    const third = putBack(rig, again, 'third');
    await refuses(third, IS_COPY);
    expect((await third(RESTORED)).exitCode).toBe(0);
    // What a person said of one copy is not said of the file that it was made from.
    await refuses(putBack(rig, copy, 'beside'), IS_COPY);
    const last = join(rig.folder, 'last.db');
    expect((await third(['history', 'backup', last])).exitCode).toBe(0);
    await refuses(putBack(rig, last, 'fourth'), /made at 2026-03-02T09:01:00/);
  });
});

test('No command that settles makes a journal: a required one that does not exist stays so', async () => {
  const rig = await createRig();
  const env = { WAYBILL_REQUIRE_JOURNAL: '1' };
  for (const argv of [
    'history resolve K-1 --not-created --reason x',
    'history accept K-1',
    'history cancelled K-1 --reason x',
    'history handover -y',
    'history export --for csv -y',
    'history prune --older-than 0s',
  ])
    await rig.run(argv, { env });
  const ran = await rig.run(ship('K-1'), { stdin, env });
  expect([ran.exitCode, errorOf(ran).message]).toEqual([10, expect.stringContaining('there is no journal')]);
});
