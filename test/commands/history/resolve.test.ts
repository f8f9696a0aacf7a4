// What a person says of labels and pairs that may exist, and when that is too early; promises/settling has the rest.
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { LEASE_MS } from '../../../src/booking/booking.ts';
import { ends, linesIn } from '../../rig/batch.ts';
import type { Rig } from '../../rig/command.ts';
import { elsewhere } from '../../rig/journal.ts';
import { describeBoth, describeShared } from '../../rig/postgres.ts';
import { bodyOf, DUAL, errorOf, posted, refused } from '../../rig/service.ts';
import { type Doubtful, doubtful, orderFor } from '../../rig/settling.ts';
import { event, http, rawServer, script } from '../../rig/sockets.ts';

const KEYED = 'ship -f - --key ORDER-1';
const MINUTE = 60_000;
const NOT_CREATED = 'history resolve ORDER-1 --not-created';
const ASKED = `${NOT_CREATED} --reason 'support, ticket 4711'`;

// The clock of a database is not that of the machine.
describeShared('The 15 minutes until --not-created', () => {
  test('count from when the request was sent, and then the key is free', async () => {
    const rig = await doubtful({ journal: 'shared' });
    const id = await rig.unknown('ORDER-1');
    const until = Date.parse(String((await rig.shown(id)).at)) + 15 * MINUTE;
    const { retryAt = '' } = await refused(rig, ASKED);
    // A database may take a ms between the two times that it records.
    expect(Math.floor((Date.parse(retryAt) - until) / 100)).toBe(0);
    await rig.later(14 * MINUTE);
    await refused(rig, ASKED);
    await rig.later(MINUTE);
    expect((await rig.run(ASKED)).exitCode).toBe(0);
    expect(posted(await rig.run(KEYED, { stdin: orderFor() }))).toEqual(['POST /v1/shipments']);
  });
});

/** Until when the only booking of the journal of this machine is held, in ms since 1970. */
function leaseIn({ folder }: Rig): unknown {
  const database = new DatabaseSync(join(folder, 'state/journal.db'));
  const row = database.prepare('SELECT lease_until AS until FROM bookings').get();
  database.close();
  return (row as { until: unknown }).until;
}

test('The 15 minutes count from the last attempt, for a script and a person: the service had asked it to wait before that', async () => {
  const rig = await doubtful();
  const busy = http(429, '', { 'retry-after': '60' });
  const { url } = await rawServer(script(busy, busy, http(500)));
  const env = { WAYBILL_BASE_URL: url.origin };
  const began = rig.clock.now;
  const [patience, renew] = event();
  const ran = await rig.run(KEYED, {
    ...{ stdin: orderFor(), env, patience, upTo: LEASE_MS / 3, afterwards: 5 },
    async onWait() {
      renew();
      await expect.poll(() => leaseIn(rig), { timeout: 10 * MINUTE }).toBe(rig.clock.now + LEASE_MS);
    },
  });
  expect([ran.exitCode, ran.waits]).toEqual([8, [MINUTE, MINUTE]]);
  const early = errorOf(await rig.run(`${ASKED} --json`, { env }));
  expect(early).toMatchObject({ exitCode: 2, retryAt: new Date(began + 17 * MINUTE).toISOString() });
  await rig.later(MINUTE);
  const no = await rig.run(NOT_CREATED, { env, terminal: true, answer: false });
  expect(no.asked).toEqual([expect.stringMatching(/, 1 min ago\. A carrier .* counts only in 14 min\./)]);
  rig.clock.now = began + 17 * MINUTE;
  expect((await rig.run(ASKED, { env })).exitCode).toBe(0);
});

test('A script that obeys the message of exit 8 to the letter books nothing twice', async () => {
  const rig = await doubtful({}, 'reset-after');
  const lost = await rig.failing(`${KEYED} --json`, { stdin: orderFor() });
  expect([lost.exitCode, posted(lost)]).toEqual([8, ['POST /v1/shipments']]);
  const page = await rig.run('history show ORDER-1');
  const named = `${errorOf(lost).message}\n${page.stdout}`.matchAll(/(?:`|^ {2})waybill ([^`\n]+)/gm);
  const commands = [...named].map(([, words = '']) => words);
  expect(commands).toContain('history resolve ORDER-1');
  for (const command of commands) expect(posted(await rig.run(command))).toEqual([]);
  expect(await rig.run(KEYED, { stdin: orderFor() })).toMatchObject({ exitCode: 8, requests: [] });
});

describeBoth('A shipment whose label was made', journal => {
  test('exists: its booking is not reopened, and not resolved as not created after it was', async () => {
    const rig = await doubtful({ journal });
    const id = await rig.unknown('ORDER-1');
    const shipment = await rig.shipment();
    const resolve = `history resolve ${id}`;
    for (const flags of [`--created ${shipment}`, '--reopen']) await rig.run(`${resolve} ${flags}`);
    expect((await rig.run(`label --international ${shipment}`)).exitCode).toBe(0);
    const { message } = await refused(rig, `${resolve} --not-created --force --reason gone`);
    expect(message).toMatch(/bk_\w+ exists: booking bk_\w+ made the label/);
    expect(await rig.shown(id)).toMatchObject({ state: 'unknown' });
    expect(await rig.run(`${resolve} --created ${shipment}`)).toMatchObject({ exitCode: 0 });
    expect((await refused(rig, `${resolve} --reopen`)).message).toContain('made the label');
    expect(await rig.shown(id)).toMatchObject({ state: 'created', shipmentIds: [shipment] });
  });

  test('says nothing of a booking that it was said to be of by mistake, and that another one has', async () => {
    const rig = await doubtful({ journal });
    const [a, b] = [await rig.unknown('A'), await rig.unknown('B')];
    const shipment = await rig.shipment();
    for (const said of [`${a} --created ${shipment}`, `${a} --reopen`, `${b} --created ${shipment}`])
      expect((await rig.run(`history resolve ${said}`)).exitCode).toBe(0);
    expect((await rig.run(`label --international ${shipment}`)).exitCode).toBe(0);
    expect((await rig.run(`history resolve ${a} --not-created --force --reason gone`)).exitCode).toBe(0);
  });
});

const stdin = JSON.stringify(DUAL);
const UNASKED = '--unchecked --reason phone';

/** The ids of a pair that this command books. */
async function pairOf(rig: Doubtful, argv: string, env = {}) {
  const { stdout } = await rig.run(`${argv} -q`, { stdin, env });
  const [international = '', domestic = ''] = stdout.trim().split('\n');
  return { international, domestic, ids: `--created ${international} --domestic ${domestic}` };
}

describeBoth('Labels of a pair that may exist', journal => {
  /** A pair was booked, and nobody knows of its labels. `both`: the command that asked for them. */
  async function unknownLabels() {
    const rig = await doubtful({ journal });
    const pair = await pairOf(rig, 'ship-dual -f -');
    const both = `label --international ${pair.international} --domestic ${pair.domestic} --json`;
    const { booking } = errorOf(await rig.failing(both));
    return { rig, ...pair, both, resolve: `history resolve ${booking}`, show: `history show ${booking}` };
  }

  test('are made where a person names the shipment; the other one is requested again', async () => {
    const { rig, international, domestic, ids, both, resolve, show } = await unknownLabels();
    expect((await rig.run(show)).stdout).toContain(`${resolve} ${ids}\n`);
    const other = await refused(rig, `${resolve} --created ${domestic} --domestic S-9 ${UNASKED}`);
    expect(other.message).toContain(`or both: ${ids}`);
    const all = await rig.run(`${resolve} ${ids} ${UNASKED}`);
    expect(all.stdout).toContain(`created as ${international} and ${domestic}.\n`);
    await rig.run(`${resolve} --reopen`);
    await rig.later(15 * MINUTE);
    const half = await rig.run(`${resolve} --created ${international} ${UNASKED}`);
    expect(half.stdout).toContain(`created as ${international}. The label of ${domestic} is not recorded`);
    const made = await rig.run(both);
    expect([posted(made), bodyOf(made)]).toEqual([['POST /v2/carriers/create'], { domestic }]);
    expect((await refused(rig, `${resolve} --reopen`)).message).toContain('was booked again');
  });

  test('are not requested again while a carrier may be at work: who leaves one out says that it was not made', async () => {
    const { rig, international, domestic, both, resolve } = await unknownLabels();
    const created = `${resolve} --created ${international}`;
    expect((await refused(rig, `${created} --unchecked`)).message).toContain('needs a reason');
    const early = { retry: 'later', message: expect.stringContaining(`at work on the label of ${domestic}`) };
    expect(await refused(rig, `${created} ${UNASKED}`)).toMatchObject(early);
    // The service knows one of them.
    const env = elsewhere(rig);
    expect((await rig.run(`label --international ${international}`, { env })).exitCode).toBe(0);
    expect(await refused(rig, created)).toMatchObject(early);
    expect(await rig.run(both)).toMatchObject({ exitCode: 8, requests: [] });
    expect((await rig.run(`${created} ${UNASKED} --force`)).exitCode).toBe(0);
    await rig.run(`${resolve} --reopen`);
    const asked = await rig.run(`${created} --unchecked`, { terminal: true, answer: false });
    expect(asked.asked).toEqual([expect.stringMatching(/A carrier may be at work on it/)]);
    await rig.later(15 * MINUTE);
    expect((await rig.run(created)).exitCode).toBe(0);
    await rig.run(`${resolve} --reopen`);
    // It knows both.
    expect((await rig.run(`label --domestic ${domestic}`, { env })).exitCode).toBe(0);
    expect((await rig.run(created)).stdout).toContain(`created as ${international} and ${domestic}.`);
  });
});

describeBoth('A pair with labels that may exist', journal => {
  test('leaves them to nobody while a carrier may be at work on them', async () => {
    const rig = await doubtful({ journal });
    await rig.failing('ship-dual -f - --label --key P-1', { stdin });
    const env = elsewhere(rig);
    const { international, domestic, ids } = await pairOf(rig, 'ship-dual -f -', env);
    const created = `history resolve P-1 ${ids}`;
    const both = `the label of ${international} and ${domestic}`;
    const early = { retry: 'later', message: expect.stringContaining(`at work on ${both} for 15 min`) };
    // The service knows the pair, and no label of it yet.
    expect(await refused(rig, created)).toMatchObject(early);
    expect(await rig.shown('P-1')).toMatchObject({ state: 'unknown', settlements: [] });
    expect((await refused(rig, `${created} --unchecked`)).message).toContain('needs a reason');
    expect(await refused(rig, `${created} ${UNASKED}`)).toMatchObject(early);
    const asked = await rig.run(created, { terminal: true, answer: false });
    expect(asked.asked).toEqual([expect.stringMatching(/A carrier may be at work on it/)]);
    await rig.later(15 * MINUTE);
    expect((await rig.run(created)).stdout).toContain(` The ${both.slice(4)} is not recorded as made`);
    const again = await rig.run('ship-dual -f - --label --key P-1', { stdin });
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
    expect(again.stderr).toContain(
      `\`waybill label --international ${international} --domestic ${domestic}\` makes it`,
    );
    // It knows one of them now, and then both.
    await rig.run('history resolve P-1 --reopen');
    expect((await rig.run(`label --domestic ${domestic}`, { env })).exitCode).toBe(0);
    expect((await rig.run(created)).stdout).toContain(` The label of ${international} is not recorded`);
    await rig.run('history resolve P-1 --reopen');
    expect((await rig.run(`label --international ${international}`, { env })).exitCode).toBe(0);
    expect((await rig.run(created)).stdout).toContain(`created as ${international} and ${domestic}.\n`);
  });

  test('lacks them, if a person says that it was created: exit 9 where they are to be printed, and in a batch', async () => {
    const rig = await doubtful({ journal });
    rig.file('pair.jsonl', `${JSON.stringify({ key: 'P-1', ...DUAL })}\n`);
    await rig.failing('ship-dual -f - --label --key P-1 --json', { stdin });
    await rig.later(15 * MINUTE);
    const bare = `history resolve P-1 --created I-9 --domestic D-9 ${UNASKED}`;
    expect((await rig.run(bare)).exitCode).toBe(0);
    const next = ['waybill', 'label', '--international', 'I-9', '--domestic', 'D-9'];
    const lacking = { code: 'partial', exitCode: 9, created: true };
    const alone = await rig.run('ship-dual -f - --label --key P-1 --print --json', { stdin });
    expect(errorOf(alone)).toMatchObject({ ...lacking, next: [next], retry: 'never' });
    for (const flags of ['--label --print', '--label']) {
      const ran = await rig.run(`batch ship-dual pair.jsonl ${flags} --json`);
      expect(errorOf(ran)).toMatchObject(lacking);
      expect(posted(ran)).toEqual([]);
      expect(ends(linesIn(rig, 'pair.results.jsonl'))).toEqual(['P-1 partial 9 false']);
      expect(linesIn(rig, 'pair.results.jsonl')[0]?.error?.next).toEqual([next]);
    }
  });

  test('leaves those that another booking made to that one: what was printed is not to be printed again', async () => {
    const rig = await doubtful({ journal });
    await rig.failing('ship-dual -f - --key P-1', { stdin });
    const { international, domestic, ids } = await pairOf(rig, 'ship-dual -f -', elsewhere(rig));
    const label = `label --international ${international} --domestic ${domestic}`;
    expect((await rig.run(`${label} --print`)).exitCode).toBe(0);
    expect((await rig.run(`history resolve P-1 ${ids}`)).exitCode).toBe(0);
    expect(await rig.shown('P-1')).toMatchObject({ state: 'created' });
    for (const unprinted of ['label --unprinted -q', 'label --unprinted --print -q'])
      expect(await rig.run(unprinted)).toMatchObject({ exitCode: 0, stdout: '' });
    const again = await rig.run(label);
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
  });
});
