// A person says what became of unknown bookings: it is added to the record, checked with the service, and can be taken back.
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { obstacleWords } from '../../../src/commands/history/settle.ts';
import { LEASE_MS } from '../../../src/journal/booking.ts';
import { ends, linesIn } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { bookingAt, elsewhere, fill, said, UNKNOWN } from '../../rig/journal.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { bodyOf, DUAL, errorOf, posted, refused, sent } from '../../rig/service.ts';
import { type Doubtful, doubtful, orderFor } from '../../rig/settling.ts';
import { http, rawServer, script } from '../../rig/sockets.ts';

const KEYED = 'ship -f - --key ORDER-1';
const NOBODY = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };

describeBoth('history resolve --not-created', journal => {
  test('frees the key, and keeps what the service answered, with who said it, when and why', async () => {
    const rig = await doubtful({ journal });
    const id = await rig.unknown('ORDER-1');
    const before = await rig.shown(id);
    expect(before).toMatchObject({ state: 'unknown', settledAt: null, httpStatus: 500 });
    const words = `--not-created --reason 'not in the portal' --force --run 'night 7'`;
    const ran = await rig.run(`history resolve ${id} ${words}`);
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    expect(ran.stdout).toContain('not created');
    const { why, answer, httpStatus } = before;
    expect(await rig.shown(id)).toMatchObject({
      ...{ state: 'rejected', exitCode: 5, why, answer, httpStatus },
      settlements: [
        { state: 'rejected', reason: 'not in the portal', by: expect.stringContaining('@'), run: 'night 7' },
      ],
    });
    expect(posted(await rig.run(KEYED, { stdin: orderFor() }))).toEqual(['POST /v1/shipments']);
  });

  test('finds what may exist, though its key was tried in vain at another address, which is in force', async () => {
    const rig = await doubtful({ journal });
    const nobody = await rig.run(`${KEYED} --retries 0`, { stdin: orderFor(), env: NOBODY });
    expect(nobody.exitCode).toBe(7);
    const id = await rig.unknown('ORDER-1');
    for (const [options, env] of [
      ['--not-created --force --reason gone', NOBODY],
      ['--reopen', NOBODY],
      ['--not-created --force --reason gone', {}],
    ] as const) {
      const ran = await rig.run(`history resolve ORDER-1 ${options} --json`, { env });
      expect([ran.exitCode, JSON.parse(ran.stdout).id]).toEqual([0, id]);
    }
  });
});

describeBoth('history resolve --not-created of several', journal => {
  test('settles all of them or none, each once', async () => {
    const rig = await doubtful({ journal });
    for (const key of ['A', 'B', 'C']) await rig.unknown(key, { firstName: key });
    const words = '--not-created --force --reason gone --json';
    expect((await rig.run(`history resolve A B NONE ${words}`)).exitCode).toBe(4);
    await rig.run(`history resolve B ${words}`);
    const settled = await refused(rig, `history resolve A B ${words}`);
    expect(settled.message).toMatch(/resolved it as not created at 2026.*--reopen.*Nothing was changed/);
    expect((await rig.shown('A')).state).toBe('unknown');
    const both = await rig.run(`history resolve A C A ${words}`);
    expect(JSON.parse(both.stdout)).toMatchObject([{ key: 'A' }, { key: 'C' }]);
    expect((await rig.run('history list --state unknown -q')).stdout).toBe('');
  });
});

const MINUTE = 60_000;
const NOT_CREATED = 'history resolve ORDER-1 --not-created';
const ASKED = `${NOT_CREATED} --reason 'support, ticket 4711'`;

describeBoth('A script that says --not-created', journal => {
  test('needs a reason, and is told to come back until 15 minutes after the request was sent', async () => {
    const rig = await doubtful({ journal });
    const id = await rig.unknown('ORDER-1');
    for (const bare of [NOT_CREATED, `${NOT_CREATED} --force`])
      expect((await refused(rig, bare)).message).toMatch(/needs a reason/);
    const until = Date.parse(String((await rig.shown(id)).at)) + 15 * MINUTE;
    const { retry, retryAt = '' } = await refused(rig, ASKED);
    // A database may take a ms between the two times that it records.
    expect([retry, Math.floor((Date.parse(retryAt) - until) / 100)]).toEqual(['later', 0]);
    await rig.later(14 * MINUTE);
    await refused(rig, ASKED);
    expect(await rig.run(KEYED, { stdin: orderFor() })).toMatchObject({ exitCode: 8, requests: [] });
    await rig.later(MINUTE);
    expect((await rig.run(ASKED)).exitCode).toBe(0);
    expect(posted(await rig.run(KEYED, { stdin: orderFor() }))).toEqual(['POST /v1/shipments']);
  });
});

describe('history resolve --not-created', () => {
  test('on a terminal tells a person how long ago it was sent, and asks; --yes waits as a script does', async () => {
    const rig = await doubtful();
    await rig.unknown('ORDER-1');
    await rig.later(3 * MINUTE);
    const yes = await rig.run(`${ASKED} --yes`, { terminal: true });
    expect([yes.exitCode, yes.asked]).toEqual([2, []]);
    const no = await rig.run(NOT_CREATED, { terminal: true, answer: false });
    expect(no.exitCode).toBe(130);
    expect(no.asked).toEqual([
      expect.stringMatching(
        /^Resolve as not created, so that it may be booked again\? It was sent 2 Mar \d\d:\d\d, 3 min ago\. A carrier .* counts only in 1[12] min.*\. "ORDER-1" to "Anna Beispiel" \("Berlin", DE\)$/,
      ),
    ]);
    expect((await rig.run(NOT_CREATED, { terminal: true, answer: true })).exitCode).toBe(0);
  });

  test('counts from the last attempt, for a script and a person: the service had asked it to wait before that', async () => {
    const rig = await doubtful();
    const busy = http(429, '', { 'retry-after': '60' });
    const { url } = await rawServer(script(busy, busy, http(500)));
    const env = { WAYBILL_BASE_URL: url.origin };
    const began = rig.clock.now;
    let renew = () => {};
    const patience = new Promise<void>(resolve => {
      renew = resolve;
    });
    const ran = await rig.run(KEYED, {
      ...{ stdin: orderFor(), env, patience, upTo: LEASE_MS / 3, afterwards: 5 },
      async onWait() {
        renew();
        await sleep(50);
      },
    });
    expect([ran.exitCode, ran.waits]).toEqual([8, [MINUTE, MINUTE]]);
    const early = errorOf(await rig.run(`${ASKED} --json`, { env }));
    expect(early).toMatchObject({ exitCode: 2, retryAt: new Date(began + 17 * MINUTE).toISOString() });
    expect(early.message).toMatch(/was sent at 2026-03-02 09:02\b.* after 2026-03-02 09:17\b/);
    await rig.later(MINUTE);
    const no = await rig.run(NOT_CREATED, { env, terminal: true, answer: false });
    expect(no.asked).toEqual([expect.stringMatching(/, 1 min ago\. A carrier .* counts only in 14 min\./)]);
    rig.clock.now = began + 17 * MINUTE;
    expect((await rig.run(ASKED, { env })).exitCode).toBe(0);
  });

  test('of one that was sent in the future, because the clock was set back, waits 15 minutes at most', async () => {
    const rig = await doubtful();
    const at = rig.clock.now + 365 * 24 * 60 * MINUTE;
    await fill(rig, 'state', [bookingAt(rig, 1, { ...UNKNOWN, key: 'ORDER-1', at })]);
    const retryAt = new Date(rig.clock.now + 15 * MINUTE).toISOString();
    expect(await refused(rig, ASKED)).toMatchObject({ retry: 'later', retryAt });
  });
});

test('A script that obeys the message of exit 8 to the letter books nothing twice', async () => {
  const rig = await doubtful({}, 'reset-after');
  const lost = await rig.failing(`${KEYED} --json`, { stdin: orderFor() });
  expect([lost.exitCode, posted(lost)]).toEqual([8, ['POST /v1/shipments']]);
  const { message } = errorOf(lost);
  expect(message).toMatch(/Ask the provider of the service .* 15 minutes/);
  const page = await rig.run('history show ORDER-1');
  const named = `${message}\n${page.stdout}`.matchAll(/(?:`|^ {2})waybill ([^`\n]+)/gm);
  const commands = [...named].map(([, words = '']) => words);
  expect(commands).toContainEqual(expect.stringMatching(/^history resolve bk_\w+$/));
  for (const command of commands) expect(posted(await rig.run(command))).toEqual([]);
  expect(await rig.run(KEYED, { stdin: orderFor() })).toMatchObject({ exitCode: 8, requests: [] });
});

describeBoth('history resolve --created', journal => {
  test('reads the shipment, so that the order has its carrier, price and status', async () => {
    const rig = await doubtful({ journal });
    const id = await rig.unknown('ORDER-1');
    const shipment = await rig.shipment();
    const ran = await rig.run(`history resolve ORDER-1 --created ${shipment} --json`);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(sent(ran)).toEqual([`GET /v1/shipments/${shipment}`]);
    expect(ran.stderr).toContain('pending_arrival_at_warehouse');
    const facts = { carrier: 'EXP', price: expect.any(Number), currency: 'EUR', shipmentIds: [shipment] };
    expect(JSON.parse(ran.stdout)).toMatchObject({ id, state: 'created', exitCode: 0, ...facts });
    expect(await rig.shown(shipment)).toMatchObject({ id, ...facts, httpStatus: 500 });
    const again = await rig.run(`${KEYED} --json`, { stdin: orderFor() });
    expect(again).toMatchObject({ exitCode: 0, requests: [] });
    expect(JSON.parse(again.stdout)).toMatchObject({
      ...{ id: shipment, carrier: { price: expect.any(Number) } },
      status: [{ status: 'pending_arrival_at_warehouse' }],
    });
    const table = await rig.run(KEYED, { stdin: orderFor() });
    expect(table.stdout).toMatch(/EUR/);
  });

  test('of a shipment to somebody else, or to another country, is exit 2 and says both, of none exit 4; case and marks do not count', async () => {
    const rig = await doubtful({ journal });
    await rig.unknown('ORDER-1', { firstName: 'İpek Çağla' });
    for (const other of [{ firstName: 'Berta' }, { firstName: 'İpek Çağla', country: 'FR' }]) {
      const shipment = await rig.shipment(other);
      const { message } = await refused(rig, `history resolve ORDER-1 --created ${shipment}`);
      const { firstName, country = 'DE' } = other;
      expect(message).toContain(`goes to ${firstName} Beispiel, ${country}`);
      expect(message).toContain('to İpek Çağla Beispiel, DE');
      expect(message).toContain(`If ${shipment} is right, add --unchecked`);
    }
    const ran = await rig.run('history resolve ORDER-1 --created gone');
    expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
    expect(ran.stderr).not.toContain('track:');
    expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(/Booking bk_\w+ is unchanged/);
    expect((await rig.shown('ORDER-1')).state).toBe('unknown');
    const shipment = await rig.shipment({ firstName: 'IPEK  cagla' });
    expect(await rig.run(`history resolve ORDER-1 --created ${shipment}`)).toMatchObject({ exitCode: 0 });
  });

  test('of the shipment of another booking is exit 2, also with --unchecked, and asks nobody', async () => {
    const rig = await doubtful({ journal });
    const stdin = orderFor();
    const taken = (await rig.run('ship -f - -q --key OTHER', { stdin })).stdout.trim();
    await rig.unknown('ORDER-1');
    for (const option of ['', '--unchecked']) {
      const ran = await rig.run(`history resolve ORDER-1 --created ${taken} ${option}`);
      expect(ran).toMatchObject({ exitCode: 2, requests: [] });
      expect(ran.stderr).toMatch(/is the shipment of booking bk_\w+ \(key "OTHER"\)/);
    }
  });

  test('names --unchecked if the service cannot be asked, and asks nobody with it', async () => {
    const rig = await doubtful({ journal }, 'reset-after');
    await rig.unknown('ORDER-1');
    const forbidden = await rig.run('history resolve ORDER-1 --created S-1 --json', {
      env: { WAYBILL_TOKEN: 'wrong' },
    });
    expect(forbidden.exitCode).toBe(3);
    expect(errorOf(forbidden).message).toContain('--unchecked');
    const elsewhere = await rig.run('history resolve ORDER-1 --created S-1 --json', { env: NOBODY });
    expect(elsewhere).toMatchObject({ exitCode: 2, requests: [] });
    expect(errorOf(elsewhere).message).toMatch(/was sent to http.*--unchecked/);
    const ran = await rig.run('history resolve ORDER-1 --created S-1 --unchecked', { env: NOBODY });
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    const again = await rig.run(`${KEYED} -q`, { stdin: orderFor() });
    expect(again).toMatchObject({ exitCode: 0, stdout: 'S-1\n', requests: [] });
  });
});

test('history resolve --created asks nobody with the credential of another account, which knows no such shipment', async () => {
  const rig = await createRig({ journalLost: true });
  const shop = (account: string) => ({ baseUrl: rig.address, account });
  rig.file('config/config.json', { profiles: { one: shop('1'), two: shop('2') } });
  const booking = bookingAt(rig, 7, { ...UNKNOWN, account: '2', profile: 'two' });
  await fill(rig, 'state', [booking]);
  const ran = await refused(rig, 'history resolve K-7 --created S-7 --profile one');
  expect(ran.message).toContain(
    `was sent to ${rig.address} account 2, and this command would ask ${rig.address} account 1. Name its profile or address: --profile two, or add`,
  );
});

describeBoth('history resolve --reopen', journal => {
  test('takes a settlement back, with both in the record', async () => {
    const rig = await doubtful({ journal });
    const id = await rig.unknown('ORDER-1');
    await rig.run(`history resolve ${id} --not-created --force --reason gone`);
    const ran = await rig.run(`history resolve ${id} --reopen --reason 'it was the other one'`);
    expect(ran).toMatchObject({ exitCode: 0, stdout: `Booking ${id} is unknown again.\n` });
    expect(await rig.shown(id)).toMatchObject({
      ...{ state: 'unknown', exitCode: 8, settledAt: null },
      settlements: [{ state: 'rejected' }, { state: 'reopened', reason: 'it was the other one' }],
    });
    expect((await rig.run(`history show ${id}`)).stdout).toContain('it was the other one');
    expect(await rig.run(KEYED, { stdin: orderFor() })).toMatchObject({ exitCode: 8, requests: [] });
  });

  test('is exit 2 if it was not resolved, or if the key was booked again', async () => {
    const rig = await doubtful({ journal });
    const id = await rig.unknown('ORDER-1');
    const reopen = `history resolve ${id} --reopen`;
    expect((await refused(rig, reopen)).message).toContain('was not resolved');
    await rig.run(`history resolve ${id} --not-created --force --reason gone`);
    expect(posted(await rig.run(KEYED, { stdin: orderFor() }))).toHaveLength(1);
    expect((await refused(rig, reopen)).message).toContain('was booked again as bk_');
  });
});

describeBoth('A shipment whose label was made', journal => {
  test('exists: its booking is not reopened, and not resolved as not created after it was', async () => {
    const rig = await doubtful({ journal });
    const id = await rig.unknown('ORDER-1');
    const shipment = await rig.shipment();
    await rig.run(`history resolve ${id} --created ${shipment}`);
    await rig.run(`history resolve ${id} --reopen`);
    expect((await rig.run(`label --international ${shipment}`)).exitCode).toBe(0);
    const { message } = await refused(rig, `history resolve ${id} --not-created --force --reason gone`);
    expect(message).toMatch(
      /bk_\w+ exists: booking bk_\w+ made the label of its shipment .*Nothing was changed/,
    );
    expect(await rig.shown(id)).toMatchObject({ state: 'unknown' });
    expect(await rig.run(`history resolve ${id} --created ${shipment}`)).toMatchObject({ exitCode: 0 });
    expect((await refused(rig, `history resolve ${id} --reopen`)).message).toContain('made the label');
    expect(await rig.shown(id)).toMatchObject({ state: 'created', shipmentIds: [shipment] });
  });

  test('says nothing of a booking that it was said to be of by mistake, and that another one has', async () => {
    const rig = await doubtful({ journal });
    const [a, b] = [await rig.unknown('A'), await rig.unknown('B')];
    const shipment = await rig.shipment();
    await rig.run(`history resolve ${a} --created ${shipment}`);
    await rig.run(`history resolve ${a} --reopen`);
    await rig.run(`history resolve ${b} --created ${shipment}`);
    expect(await rig.run(`label --international ${shipment}`)).toMatchObject({ exitCode: 0 });
    const ran = await rig.run(`history resolve ${a} --not-created --force --reason gone`);
    expect(ran.exitCode).toBe(0);
  });
});

describe('history resolve', () => {
  test.each([
    ['', /REF\.\.\. --not-created.*--file FILE/],
    ['ORDER-1', /give --created ID if the booking exists, or --not-created --reason TEXT if/],
    ['ORDER-1 OTHER --created S-1', /one by one/],
    ['ORDER-1 --not-created --domestic D', /--domestic goes with --created/],
    ['ORDER-1 --not-created --created S', /cannot be used with/],
    ['ORDER-1 --reopen --created S', /cannot be used with/],
    ['--file F ORDER-1', /--file/],
    ['--file F --not-created', /--file/],
  ])('%s is refused', async (argv, message) => {
    const rig = await doubtful();
    await rig.unknown('ORDER-1');
    rig.file('F', `id,resolution\n${(await rig.shown('ORDER-1')).id},not-created\n`);
    const wrong = await refused(rig, `history resolve ${argv}`);
    expect([wrong.code, wrong.message]).toEqual(['usage', expect.stringMatching(message)]);
    expect((await rig.shown('ORDER-1')).settlements).toEqual([]);
  });

  test('of a shipment means its label, if that is what is unknown', async () => {
    const rig = await doubtful();
    const shipment = (await rig.run(`${KEYED} -q`, { stdin: orderFor() })).stdout.trim();
    const booking = errorOf(await rig.failing(`label --international ${shipment} --json`)).booking;
    const ran = await rig.run(`history resolve ${shipment} --not-created --force --reason gone -q`);
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${booking}\n` });
    expect(await rig.shown('ORDER-1')).toMatchObject({ state: 'created', settlements: [] });
  });
});

test('A label that a person resolves as created has no price: what its shipment costs is told of that alone', async () => {
  const rig = await doubtful({}, 'reset-after');
  const shipment = (await rig.run(`${KEYED} -q`, { stdin: orderFor() })).stdout.trim();
  const { booking } = errorOf(await rig.failing(`label --international ${shipment} --json`));
  const ran = await rig.run(`history resolve ${booking} --created ${shipment}`);
  expect(ran.exitCode, ran.stderr).toBe(0);
  const again = await rig.run(`label --international ${shipment} -o record`);
  expect(JSON.parse(again.stdout)).toMatchObject({ id: booking, state: 'created', price: null });
});

describeBoth('Labels of a pair that may exist', journal => {
  const UNASKED = '--unchecked --reason phone';

  /** A pair was booked, and nobody knows of its labels. `both`: the command that asked for them. */
  async function unknownLabels() {
    const rig = await doubtful({ journal });
    const pair = await rig.run('ship-dual -f - -q', { stdin: JSON.stringify(DUAL) });
    const [international = '', domestic = ''] = pair.stdout.trim().split('\n');
    const both = `label --international ${international} --domestic ${domestic} --json`;
    const { booking } = errorOf(await rig.failing(both));
    return { rig, international, domestic, both, booking };
  }

  test('are made where a person names the shipment; the other one is requested again', async () => {
    const { rig, international, domestic, both, booking } = await unknownLabels();
    const resolve = `history resolve ${booking}`;
    expect((await rig.run(`history show ${booking}`)).stdout).toContain(
      `${resolve} --created ${international} --domestic ${domestic}\n`,
    );
    const other = await refused(rig, `${resolve} --created ${domestic} --domestic S-9 ${UNASKED}`);
    expect(other.message).toContain(
      `give one of these as --created, or both: --created ${international} --domestic ${domestic}`,
    );
    const all = await rig.run(`${resolve} --created ${international} --domestic ${domestic} ${UNASKED}`);
    expect(all.stdout).toBe(
      `Booking ${booking} is resolved: it was created as ${international} and ${domestic}.\n`,
    );
    await rig.run(`${resolve} --reopen`);
    await rig.later(15 * MINUTE);
    const one = await rig.run(`${resolve} --created ${international} ${UNASKED}`);
    expect(one.stdout).toBe(
      `Booking ${booking} is resolved: it was created as ${international}. The label of ${domestic} is not recorded as made, and may be requested.\n`,
    );
    const made = await rig.run(both);
    expect([made.exitCode, posted(made), bodyOf(made)]).toEqual([
      0,
      ['POST /v2/carriers/create'],
      { domestic },
    ]);
    expect((await refused(rig, `${resolve} --reopen`)).message).toContain('was booked again');
  });

  test('are not requested again while a carrier may be at work: who leaves one out says that it was not made', async () => {
    const { rig, international, domestic, both, booking } = await unknownLabels();
    const created = `history resolve ${booking} --created ${international}`;
    expect((await refused(rig, `${created} --unchecked`)).message).toContain(
      `that the label of ${domestic} was not made needs a reason`,
    );
    const early = { retry: 'later', message: expect.stringContaining(`at work on the label of ${domestic}`) };
    expect(await refused(rig, `${created} ${UNASKED}`)).toMatchObject(early);
    // The service knows one of them.
    const env = elsewhere(rig);
    expect((await rig.run(`label --international ${international}`, { env })).exitCode).toBe(0);
    expect(await refused(rig, created)).toMatchObject(early);
    expect(await rig.run(both)).toMatchObject({ exitCode: 8, requests: [] });
    expect((await rig.run(`${created} ${UNASKED} --force`)).exitCode).toBe(0);
    await rig.run(`history resolve ${booking} --reopen`);
    const asked = await rig.run(`${created} --unchecked`, { terminal: true, answer: false });
    expect(asked.asked).toEqual([expect.stringMatching(/A carrier may be at work on it/)]);
    await rig.later(15 * MINUTE);
    expect((await rig.run(created)).exitCode).toBe(0);
    await rig.run(`history resolve ${booking} --reopen`);
    // It knows both.
    expect((await rig.run(`label --domestic ${domestic}`, { env })).exitCode).toBe(0);
    expect((await rig.run(created)).stdout).toContain(`created as ${international} and ${domestic}.`);
  });
});

describeBoth('A pair with labels that may exist', journal => {
  test('leaves them to nobody while a carrier may be at work on them', async () => {
    const rig = await doubtful({ journal });
    const stdin = JSON.stringify(DUAL);
    const { booking } = errorOf(await rig.failing('ship-dual -f - --label --key P-1 --json', { stdin }));
    const env = elsewhere(rig);
    const pair = await rig.run('ship-dual -f - -q', { stdin, env });
    const [international = '', domestic = ''] = pair.stdout.trim().split('\n');
    const created = `history resolve P-1 --created ${international} --domestic ${domestic}`;
    const early = {
      retry: 'later',
      message: expect.stringContaining(`at work on the label of ${international} and ${domestic} for 15 min`),
    };
    // The service knows the pair, and no label of it yet.
    expect(await refused(rig, created)).toMatchObject(early);
    expect(await rig.shown('P-1')).toMatchObject({ id: booking, state: 'unknown', settlements: [] });
    expect((await refused(rig, `${created} --unchecked`)).message).toContain(
      `that the label of ${international} and ${domestic} was not made needs a reason`,
    );
    expect(await refused(rig, `${created} --unchecked --reason phone`)).toMatchObject(early);
    const asked = await rig.run(created, { terminal: true, answer: false });
    expect(asked.asked).toEqual([expect.stringMatching(/A carrier may be at work on it/)]);
    await rig.later(15 * MINUTE);
    expect((await rig.run(created)).stdout).toBe(
      `Booking ${booking} is resolved: it was created as ${international} and ${domestic}. The label of ${international} and ${domestic} is not recorded as made, and may be requested.\n`,
    );
    const again = await rig.run('ship-dual -f - --label --key P-1', { stdin });
    expect([again.exitCode, posted(again), again.stderr]).toEqual([
      0,
      [],
      expect.stringContaining(
        `It has no label of the international and domestic leg: \`waybill label --international ${international} --domestic ${domestic}\` makes it`,
      ),
    ]);
    // It knows one of them now, and then both.
    await rig.run('history resolve P-1 --reopen');
    expect((await rig.run(`label --domestic ${domestic}`, { env })).exitCode).toBe(0);
    expect((await rig.run(created)).stdout).toContain(` The label of ${international} is not recorded`);
    await rig.run('history resolve P-1 --reopen');
    expect((await rig.run(`label --international ${international}`, { env })).exitCode).toBe(0);
    expect((await rig.run(created)).stdout).toBe(
      `Booking ${booking} is resolved: it was created as ${international} and ${domestic}.\n`,
    );
  });

  test('lacks them, if a person says that it was created: exit 9 where they are to be printed, and in a batch', async () => {
    const rig = await doubtful({ journal });
    const stdin = JSON.stringify(DUAL);
    rig.file('pair.jsonl', `${JSON.stringify({ key: 'P-1', ...DUAL })}\n`);
    await rig.failing('ship-dual -f - --label --key P-1 --json', { stdin });
    await rig.later(15 * MINUTE);
    const bare = 'history resolve P-1 --created I-9 --domestic D-9 --unchecked --reason phone';
    expect((await rig.run(bare)).exitCode).toBe(0);
    const next = ['waybill', 'label', '--international', 'I-9', '--domestic', 'D-9'];
    const lacking = { code: 'partial', exitCode: 9, created: true };
    const one = await rig.run('ship-dual -f - --label --key P-1 --print --json', { stdin });
    expect(errorOf(one)).toMatchObject({ ...lacking, next: [next], retry: 'never' });
    for (const flags of ['--label --print', '--label']) {
      const ran = await rig.run(`batch ship-dual pair.jsonl ${flags} --json`);
      expect(errorOf(ran)).toMatchObject(lacking);
      expect(posted(ran)).toEqual([]);
      expect(ends(linesIn(rig, 'pair.results.jsonl'))).toEqual(['P-1 partial 9 false']);
      expect(linesIn(rig, 'pair.results.jsonl')[0]?.error?.next).toEqual([next]);
    }
  });

  test('is resolved at once where the service knows its labels, or none was asked for', async () => {
    const rig = await doubtful({ journal });
    const stdin = JSON.stringify(DUAL);
    await rig.failing('ship-dual -f - --key P-1', { stdin });
    const bare = 'history resolve P-1 --created I-9 --domestic D-9 --unchecked';
    expect((await rig.run(bare)).stdout).toContain('created as I-9 and D-9.\n');
    await rig.failing('ship-dual -f - --label --key P-2 --allow-duplicate', { stdin });
    const pair = await rig.run('ship-dual -f - --label -q', { stdin, env: elsewhere(rig) });
    const [international = '', domestic = ''] = pair.stdout.trim().split('\n');
    const ran = await rig.run(`history resolve P-2 --created ${international} --domestic ${domestic}`);
    expect(ran.stdout).toContain(`created as ${international} and ${domestic}.\n`);
  });
});

describeBoth('A pair whose labels another booking made', journal => {
  test('leaves them to that one: what was printed is not to be printed again', async () => {
    const rig = await doubtful({ journal });
    const stdin = JSON.stringify(DUAL);
    await rig.failing('ship-dual -f - --key P-1', { stdin });
    const pair = await rig.run('ship-dual -f - -q', { stdin, env: elsewhere(rig) });
    const [international = '', domestic = ''] = pair.stdout.trim().split('\n');
    const label = `label --international ${international} --domestic ${domestic}`;
    expect((await rig.run(`${label} --print`)).exitCode).toBe(0);
    const created = `history resolve P-1 --created ${international} --domestic ${domestic}`;
    expect((await rig.run(created)).exitCode).toBe(0);
    expect(await rig.shown('P-1')).toMatchObject({ state: 'created' });
    for (const unprinted of ['label --unprinted -q', 'label --unprinted --print -q'])
      expect(await rig.run(unprinted)).toMatchObject({ exitCode: 0, stdout: '' });
    const again = await rig.run(label);
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
  });
});

test('A booking that is being sent is not resolved: its answer has not come', async () => {
  const booking = bookingAt(await doubtful(), 1, { state: 'pending', answer: null, ids: {} });
  expect(obstacleWords({ globals: {} }, { id: booking.id, kind: 'state', booking })).toContain(
    'is being sent: wait',
  );
});

// The CSV of the unknown bookings, with the column `resolution` filled in, settles them all.

const FILE = 'history resolve --file unknown.csv --reason portal --force';

type Cells = Record<string, string>;

/** Unknown bookings with these keys, whose receivers have them as names. */
async function unknown(keys: string, options = {}): Promise<Doubtful> {
  const rig = await doubtful(options);
  for (const key of keys) await rig.unknown(key, { firstName: key });
  return rig;
}

/** The rows of the list, oldest first, as a person fills them in. */
async function filledIn(rig: Doubtful, fill: (row: Cells) => Cells, delimiter = ','): Promise<string> {
  const { stdout } = await rig.run('history list --state unknown -o csv');
  const rows: Cells[] = parse(stdout, { columns: true });
  const lines = [Object.keys(rows[0] ?? {})];
  for (const row of rows.toReversed()) lines.push(Object.values({ ...row, ...fill(row) }));
  const text = lines.map(cells => cells.map(cell => `"${cell}"`).join(delimiter)).join('\r\n');
  rig.file('unknown.csv', text);
  return text;
}

/** What is wrong with the lines of the file: `line 2: …`. */
const problemsOf = async (rig: Doubtful, argv = FILE) =>
  (await refused(rig, argv)).issues.map(({ path, message }) => `${path}: ${message}`);

describeBoth('history resolve --file', journal => {
  test('settles what is filled in, counts it, and leaves the rest', async () => {
    const rig = await unknown('ABC', { journal });
    const shipment = await rig.shipment({ firstName: 'A' });
    const rows: Record<string, Cells> = {
      A: { resolution: 'created', shipmentId: shipment },
      B: { resolution: ' Not-Created ' },
    };
    await filledIn(rig, ({ key = '' }) => rows[key] ?? {});
    expect(await rig.json(FILE)).toEqual({ file: 'unknown.csv', created: 1, notCreated: 1, left: 1 });
    expect(await rig.shown('A')).toMatchObject({
      ...{ state: 'created', carrier: 'EXP', shipmentIds: [shipment] },
      settlements: [{ state: 'created', reason: 'portal' }],
    });
    expect(await rig.shown('B')).toMatchObject({ state: 'rejected' });
    expect(await rig.shown('C')).toMatchObject({ state: 'unknown', settlements: [] });
  });

  test('writes nothing if one row is wrong, and says all problems with their lines', async () => {
    const rig = await unknown('ABCDEFG', { journal });
    const stdin = orderFor({ firstName: 'Other' });
    const taken = (await rig.run('ship -f - -q --key OTHER', { stdin })).stdout.trim();
    const berta = await rig.shipment({ firstName: 'Berta' });
    const rows: Record<string, Cells> = {
      A: { resolution: 'created' },
      B: { resolution: 'creatd', shipmentId: 'S' },
      C: { resolution: 'created', shipmentId: 'gone' },
      D: { resolution: 'created', shipmentId: taken },
      E: { resolution: 'created', shipmentId: berta },
      F: { resolution: 'not-created', id: 'bk_none' },
      G: { resolution: 'not-created' },
    };
    await filledIn(rig, ({ key = '' }) => rows[key] ?? {});
    await rig.run('history resolve G --not-created --force --reason gone');
    expect(await problemsOf(rig)).toEqual([
      expect.stringMatching(/^line 2: .*no shipmentId/),
      expect.stringMatching(/^line 3: .*"creatd".*did you mean created/),
      expect.stringMatching(/^line 4: .*gone/),
      expect.stringMatching(/^line 5: .*is the shipment of booking bk_\w+ \(key "OTHER"\)/),
      expect.stringMatching(/^line 6: .*goes to Berta Beispiel/),
      expect.stringMatching(/^line 7: .*no booking with the id "bk_none"/),
      expect.stringMatching(/^line 8: .*not unknown any more/),
    ]);
    expect(await rig.json('history list --state unknown')).toHaveLength(6);
  });
});

describe('history resolve --file', () => {
  test.each([';', '\t'])('takes a file that a spreadsheet saved with %j, and what it protected', async by => {
    const rig = await unknown('A');
    await filledIn(rig, () => ({ resolution: 'created', shipmentId: "'-S-1" }), by);
    expect(await rig.run(`${FILE} --unchecked`)).toMatchObject({ exitCode: 0, requests: [] });
    expect(await rig.shown('A')).toMatchObject({ shipmentIds: ['-S-1'] });
  });

  test('refuses an id that is there twice, one that a spreadsheet changed, and a booking that is there twice', async () => {
    const rig = await unknown('ABC');
    const ids: Cells = { A: 'S-1', B: 'S-1', C: '1.23457E+17' };
    await filledIn(rig, ({ key = '' }) => ({ resolution: 'created', shipmentId: ids[key] ?? '' }));
    expect(await problemsOf(rig, `${FILE} --unchecked`)).toEqual([
      expect.stringMatching(/^line 3: S-1 is the shipment of booking bk_\w+ \(key "A"\)/),
      expect.stringMatching(/^line 4: .*format its column as text/),
    ]);
    const { id } = await rig.shown('A');
    rig.file('unknown.csv', `id,resolution\n${id},not-created\n${id},not-created\n`);
    expect(await problemsOf(rig)).toEqual([`line 3: booking ${id} is on line 2 already`]);
    rig.file('unknown.csv', 'id\n');
    expect((await refused(rig, `${FILE} --no-sandbox`)).message).toContain(
      'no column resolution. `waybill history list --state unknown -o csv --no-sandbox > unknown.csv` writes',
    );
  });

  test('needs a reason for each row that was not created: that of the command, or its own in place of the cause', async () => {
    const rig = await unknown('AB');
    await rig.later(15 * 60_000);
    const bare = 'history resolve --file unknown.csv';
    const reasonOf = async (key: string) => ((await rig.shown(key)).settlements as Cells[])[0]?.reason;
    await filledIn(rig, ({ key }) => ({
      resolution: 'not-created',
      ...(key === 'B' && { reason: 'phone' }),
    }));
    expect(await problemsOf(rig, bare)).toEqual([expect.stringMatching(/^line 2: .*needs a reason/)]);
    expect((await rig.run(`${bare} --reason portal`)).exitCode).toBe(0);
    expect([await reasonOf('A'), await reasonOf('B')]).toEqual(['portal', 'phone']);
  });

  test('is refused until 15 minutes after the last of them was sent, of which a person is told', async () => {
    const rig = await unknown('AB');
    await filledIn(rig, () => ({ resolution: 'not-created' }));
    const early = await refused(rig, FILE.replace('--force', ''));
    expect(early).toMatchObject({ retry: 'later', issues: [{ path: 'line 2' }, { path: 'line 3' }] });
    const told = await rig.run(FILE.replace('--force', ''), { terminal: true });
    expect([told.exitCode, told.asked]).toEqual([
      130,
      [
        expect.stringMatching(
          /^Record of 2 bookings that 0 exist, and that 2 do not and may be booked again\? The newest of them was sent .*, 0 min ago\. A carrier .*\. "A" to "A Beispiel" .*, "B" to "B Beispiel" /,
        ),
      ],
    ]);
    rig.clock.now = Date.parse(early.retryAt ?? '');
    expect((await rig.run(FILE.replace('--force', ''))).exitCode).toBe(0);
  });

  test('gets no resolution from what was said before the answer came: the list says nothing of its own', async () => {
    const rig = await doubtful();
    const settlements = [said('rejected')];
    const settled = bookingAt(rig, 2, { ...UNKNOWN, state: 'rejected', settlements });
    const again = bookingAt(rig, 1, { ...UNKNOWN, settlements, overtakenBy: settled.id });
    await fill(rig, 'state', [settled, again]);
    const lines = (await rig.run('history list -o csv')).stdout.trimEnd().split('\r\n');
    expect(lines.find(line => line.includes(settled.id))).toMatch(/,not-created$/);
    expect(lines.find(line => line.includes(again.id))).toMatch(/,$/);
  });

  test('needs both legs of a pair', async () => {
    const rig = await doubtful();
    const { carrier: _, chargeableWeight: __, ...order } = JSON.parse(orderFor());
    const carriers = { international: { id: 'EXP' }, domestic: { id: 'DOM' } };
    const stdin = JSON.stringify({ ...order, carriers });
    const { booking } = errorOf(await rig.failing('ship-dual -f - --key A --json', { stdin }));
    rig.file('unknown.csv', `id,resolution,shipmentId\n${booking},created,S-1\n`);
    expect((await problemsOf(rig, `${FILE} --unchecked`))[0]).toContain('domesticShipmentId');
    rig.file('unknown.csv', `id,resolution,shipmentId,domesticShipmentId\n${booking},created,S-1,D-1\n`);
    expect((await rig.run(`${FILE} --unchecked`)).exitCode).toBe(0);
    expect((await rig.shown('A')).shipmentIds).toEqual(['S-1', 'D-1']);
  });
});
