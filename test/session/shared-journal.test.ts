// Commands with a journal in PostgreSQL: if it cannot be used, nothing is sent, and no password is shown; if it is lost
// during a command, no booking that was sent is forgotten; who waits for another process is told so.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bookedIn, jsonLines, keys, linesIn, orders, shop } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { describeShared, type Relay, relayTo, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { errorOf, posted, SHIPMENT } from '../rig/service.ts';
import { event, listening } from '../rig/sockets.ts';

const SECRET = 'hunter2';
const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key ORDER-1 --json';

/** The address with a password and other changes. */
function changed(address: string, change: (url: URL) => void = () => {}): string {
  const url = new URL(address);
  url.password = SECRET;
  change(url);
  return url.href;
}

const withOption = (address: string, option: string) =>
  changed(address, ({ searchParams }) =>
    searchParams.set('options', `${searchParams.get('options')} ${option}`),
  );

/** A run makes the tables. */
async function used(rig: Rig, { address }: SharedPlace): Promise<void> {
  await rig.run('history check --new-journal', { env: { WAYBILL_JOURNAL: address } });
}

const grant = ({ ask }: SharedPlace) =>
  ask(`DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO pg_monitor;
    GRANT SELECT ON ALL TABLES IN SCHEMA %I TO pg_monitor', current_schema, current_schema); END $$`);

type Making = (place: SharedPlace, rig: Rig) => string | Promise<string>;

/** What a role lacks that may only read. */
const LACKING = [
  'bookings',
  'facts',
  'found_by',
  'given',
  'label_files',
  'labels',
  'listed',
  'lists',
  'made',
];

const UNUSABLE: [string, RegExp, Making][] = [
  [
    'with a wrong password',
    /password authentication failed; nothing was sent\. .*PGPASSFILE/,
    async ({ address }) => changed((await relayTo(address, { password: 'other' })).address),
  ],
  [
    'whose schema is not for this role',
    /cannot be read by the role "pg_monitor"; nothing was sent\. .*GRANT USAGE ON SCHEMA \w+ TO "pg_monitor"/,
    ({ address }) => withOption(address, '-crole=pg_monitor'),
  ],
  [
    'whose schema does not exist',
    /nothing was sent\. .*CREATE SCHEMA name AUTHORIZATION role/,
    ({ address }) => withOption(address, '-csearch_path=waybill_none'),
  ],
  [
    'without the right to make its tables',
    /permission denied for schema .*; nothing was sent/,
    async place => {
      await grant(place);
      return withOption(place.address, '-crole=pg_monitor');
    },
  ],
  [
    'without the right to write',
    new RegExp(
      `cannot be written completely: the role "pg_monitor" lacks DELETE ON bookings, INSERT ON bookings and ${LACKING.length * 3 - 2} more; nothing was sent\\. As the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${LACKING.map(table => `\\w+\\.${table},? .*`).join('')}TO "pg_monitor"`,
    ),
    async (place, rig) => {
      await used(rig, place);
      await grant(place);
      return withOption(place.address, '-crole=pg_monitor');
    },
  ],
  [
    'that can only be read',
    /is read-only; nothing was sent\. Name the server that accepts writes/,
    async (place, rig) => {
      await used(rig, place);
      return withOption(place.address, '-cdefault_transaction_read_only=on');
    },
  ],
  [
    'that may lose what it has confirmed',
    /synchronous_commit is off; nothing was sent\. For this role: ALTER ROLE/,
    ({ address }) => withOption(address, '-csynchronous_commit=off'),
  ],
  ...[
    [99, /by a newer version of waybill \(.* 99, not \d+\); nothing was sent/],
    [
      3,
      /by an older version of waybill \(.* 3, not \d+\); nothing was sent\. First resolve, with that version/,
    ],
  ].map(([version, says]): (typeof UNUSABLE)[number] => [
    `of version ${version}, which this role may only read`,
    says as RegExp,
    async (place, rig) => {
      await used(rig, place);
      await place.ask(`UPDATE waybill_schema SET version = ${version}`);
      await grant(place);
      return withOption(place.address, '-crole=pg_monitor');
    },
  ]),
];

describeShared('A journal', () => {
  test.each(UNUSABLE)('%s is exit 10: nothing is sent, and no password is shown', async (_, says, made) => {
    const rig = await createRig();
    const env = { WAYBILL_JOURNAL: await made(await sharedPlace(), rig) };
    rig.file('orders.jsonl', jsonLines(orders(2)));
    for (const argv of [`${SHIP} --verbose`, 'batch ship orders.jsonl --json']) {
      const ran = await rig.run(argv, { stdin, env });
      expect(ran).toMatchObject({ exitCode: 10, requests: [] });
      expect(ran.shown.replaceAll('\\"', '"')).toMatch(says);
      expect(ran.shown).not.toContain(SECRET);
    }
  });

  test('whose server takes the connection and says nothing is exit 10 after connect_timeout', async () => {
    const silent = await listening(net.createServer());
    onTestFinished(silent.close);
    const rig = await createRig();
    const WAYBILL_JOURNAL = `postgres://127.0.0.1:${silent.port}/waybill?connect_timeout=1`;
    const ran = await rig.run(SHIP, { stdin, env: { WAYBILL_JOURNAL } });
    expect(ran).toMatchObject({ exitCode: 10, requests: [] });
    expect(errorOf(ran).message).toMatch(/cannot be opened: .*timeout.*; nothing was sent/);
  });

  test('is opened as PGUSER if its address has no user', async () => {
    const rig = await createRig();
    const WAYBILL_JOURNAL = changed((await sharedPlace()).address, url => {
      url.username = '';
      url.password = '';
    });
    const ran = await rig.run(SHIP, { stdin, env: { WAYBILL_JOURNAL, PGUSER: 'waybill_nobody' } });
    expect(ran).toMatchObject({ exitCode: 10, requests: [] });
    expect(errorOf(ran).message).toContain('"waybill_nobody"');
  });
});

describeShared('The journal of a profile', () => {
  /** A profile `shop` at the rig, whose journal asks for a password that a program prints. */
  async function shop(program: (rig: Rig) => string) {
    const rig = await createRig();
    const relay = await relayTo((await sharedPlace()).address, { password: SECRET });
    const add = ['profile', 'add', 'shop', '--base-url', rig.address, '--token-stdin'];
    expect(await rig.run(add, { stdin: 'demo' })).toMatchObject({ exitCode: 0 });
    const set = ['profile', 'set', 'shop', `journal=${relay.address}`];
    expect(await rig.run([...set, `journalPasswordCommand=${program(rig)}`])).toMatchObject({ exitCode: 0 });
    return { rig, relay, run: (argv: string) => rig.run(`${argv} --profile shop`, { stdin }) };
  }

  const printing = (rig: Rig) =>
    `node ${rig.file('password.cjs', `require('node:fs').appendFileSync(__dirname + '/asked', '.'); console.log('${SECRET}')`)}`;

  test('is opened with the output of its password command, which is never shown', async () => {
    const { rig, run } = await shop(printing);
    const ran = await run(`${SHIP} --verbose`);
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 1]);
    expect(await run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
    const shown = await rig.run('profile show shop --json');
    for (const { shown: text } of [ran, shown]) expect(text).not.toContain(SECRET);
  });

  test('is opened by many connections with one run of the password command', async () => {
    const { rig, relay, run } = await shop(printing);
    rig.file('orders.jsonl', jsonLines(orders(16)));
    // Labels are claimed one by one, each over a connection.
    expect(await run('batch ship orders.jsonl --label --concurrency 8')).toMatchObject({ exitCode: 0 });
    const questions = readFileSync(join(rig.folder, 'asked'), 'utf8').length;
    expect(questions).toBeGreaterThanOrEqual(1);
    expect(questions).toBeLessThan(relay.connections());
  });

  test('is not opened if the program fails: exit 10, its message is shown and nothing is sent', async () => {
    const { run, relay } = await shop(
      rig => `node ${rig.file('locked.cjs', "console.error('the store is locked'); process.exitCode = 3")}`,
    );
    const ran = await run(SHIP);
    expect(ran).toMatchObject({ exitCode: 10, requests: [] });
    expect(errorOf({ ...ran, stderr: lastLine(ran.stderr) }).message).toMatch(
      /^the password command of the journal failed: .*locked\.cjs: .* exit code 3, saying: the store is locked; nothing was sent/,
    );
    expect(relay.address).not.toContain(SECRET);
  });
});

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

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
    expect(message).toContain(`booked as ${id}. The journal could not record this: the journal postgres://`);
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

const NOTE = 'waiting for process ';

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
    const ran = await run(SHIP);
    expect([ran.exitCode, ran.requests]).toEqual([8, []]);
    const [note, ...more] = told(ran.stderr);
    expect(more).toEqual([]);
    expect(JSON.parse(note ?? '').note).toMatch(
      /^waiting for process \d+ of (\S+ on )?\S+, which is sending booking bk_\w+ with the key "ORDER-1"\. If that has ended, the booking is unknown in at most 60 s\. Ctrl-C ends the waiting, and sends nothing twice/,
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
