// Commands with a journal in PostgreSQL: if it cannot be used, nothing is sent, and no password is shown.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonLines, orders } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { describeShared, relayTo, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { errorOf, posted, SHIPMENT } from '../rig/service.ts';

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
  await rig.run('history list', { env: { WAYBILL_JOURNAL: address } });
}

const grant = ({ ask }: SharedPlace) =>
  ask(`DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO pg_monitor;
    GRANT SELECT ON ALL TABLES IN SCHEMA %I TO pg_monitor', current_schema, current_schema); END $$`);

type Making = (place: SharedPlace, rig: Rig) => string | Promise<string>;

const UNUSABLE: [string, RegExp, Making][] = [
  [
    'that nobody answers for',
    /cannot be opened: connect ECONNREFUSED 127\.0\.0\.1:1; nothing was sent\. Check the server, and the address/,
    ({ address }) => changed(address, url => (url.port = '1')),
  ],
  [
    'with a wrong password',
    /password authentication failed; nothing was sent\. The password comes from .*PGPASSFILE or the profile/,
    async ({ address }) => changed((await relayTo(address, { password: 'other' })).address),
  ],
  [
    'whose schema is not for this role',
    /no schema has been selected to create in; nothing was sent\. The schema .* or the role may not use it/,
    ({ address }) => withOption(address, '-crole=pg_monitor'),
  ],
  [
    'whose schema does not exist',
    /nothing was sent\. The schema of the address does not exist, .*CREATE SCHEMA name AUTHORIZATION role/,
    ({ address }) => withOption(address, '-csearch_path=waybill_none'),
  ],
  [
    'without the right to make its tables',
    /permission denied for schema .*; nothing was sent\. The role lacks a right/,
    async place => {
      await grant(place);
      return withOption(place.address, '-crole=pg_monitor');
    },
  ],
  [
    'without the right to write',
    /cannot be written completely: the role "pg_monitor" lacks DELETE ON bookings, INSERT ON bookings, .*; nothing was sent\. As the owner of the tables: GRANT SELECT, INSERT/,
    async (place, rig) => {
      await used(rig, place);
      await grant(place);
      return withOption(place.address, '-crole=pg_monitor');
    },
  ],
  [
    'that can only be read',
    /is read-only, like that of a standby server; nothing was sent\. Name the server that accepts writes/,
    async (place, rig) => {
      await used(rig, place);
      return withOption(place.address, '-cdefault_transaction_read_only=on');
    },
  ],
  [
    'that may lose what it has confirmed',
    /synchronous_commit is off; nothing was sent\. To switch it on for this role: ALTER ROLE/,
    ({ address }) => withOption(address, '-csynchronous_commit=off'),
  ],
  [
    'of a newer version',
    /was written by a newer version of waybill \(.* 99, not \d+\); nothing was sent\. To use it, update waybill/,
    async (place, rig) => {
      await used(rig, place);
      await place.ask('UPDATE waybill_schema SET version = 99');
      return changed(place.address);
    },
  ],
];

describeShared('A journal', () => {
  test.each(UNUSABLE)('%s is exit 10: nothing is sent, and no password is shown', async (_, says, made) => {
    const rig = await createRig();
    const env = { WAYBILL_JOURNAL: await made(await sharedPlace(), rig) };
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const commands = [`${SHIP} --verbose`, 'ship -f -', 'batch ship orders.jsonl --json'];
    for (const argv of commands) {
      const ran = await rig.run(argv, { stdin, env });
      expect(ran).toMatchObject({ exitCode: 10, requests: [] });
      expect(ran.shown.replaceAll('\\"', '"')).toMatch(says);
      expect(ran.shown).not.toContain(SECRET);
      if (argv === commands[0])
        expect(errorOf({ ...ran, stderr: lastLine(ran.stderr) }).code).toBe('storage');
    }
  });

  test('that a role may not read is exit 10, and the SQL of the message mends it', async () => {
    const [rig, place] = [await createRig(), await sharedPlace()];
    await used(rig, place);
    await grant(place);
    await place.ask('REVOKE ALL ON waybill_schema FROM pg_monitor');
    const env = { WAYBILL_JOURNAL: withOption(place.address, '-crole=pg_monitor') };
    const refused = await rig.run(SHIP, { stdin, env });
    expect([refused.exitCode, refused.requests]).toEqual([10, []]);
    const [, sql = ''] =
      /lacks .*SELECT ON waybill_schema.*\. As the owner of the tables: (GRANT .*)$/.exec(
        errorOf(refused).message,
      ) ?? [];
    await place.ask(sql);
    expect(posted(await rig.run(SHIP, { stdin, env }))).toHaveLength(1);
  });

  test.each([
    [`mysql://waybill:${SECRET}@db.example.com/waybill`, /is not the address of a journal/],
    [`postgres://waybill:${SECRET}@db.example.com/waybill?sslmode=disable`, /sslmode=disable/],
    [`postgres://waybill:1/${SECRET}@db.example.com/waybill`, /cannot be parsed/],
  ])('whose address is malformed is exit 2: %s', async (WAYBILL_JOURNAL, says) => {
    const rig = await createRig();
    for (const argv of [SHIP, 'history list --json']) {
      const ran = await rig.run(argv, { stdin, env: { WAYBILL_JOURNAL } });
      expect(errorOf(ran)).toMatchObject({
        code: 'usage',
        exitCode: 2,
        message: expect.stringMatching(says),
      });
      expect(ran.requests).toEqual([]);
      expect(ran.shown).not.toContain(SECRET);
    }
  });

  test('that cannot be reached stops no command that books nothing, and the demo has its own', async () => {
    const rig = await createRig({ env: { WAYBILL_JOURNAL: 'postgres://127.0.0.1:1/none' } });
    for (const argv of [
      'quote --from TR --to DE --package 1@10x10x10',
      'ship -f - --dry-run',
      'schema ship',
      'profile list',
    ])
      expect(await rig.run(argv, { stdin })).toMatchObject({ exitCode: 0 });
    expect(await rig.run('ship -f - --profile demo', { stdin })).toMatchObject({ exitCode: 0 });
  });

  test('that is not there is not made while one is required, unless --new-journal says so', async () => {
    const rig = await createRig();
    const env = { WAYBILL_REQUIRE_JOURNAL: '1', WAYBILL_JOURNAL: (await sharedPlace()).address };
    for (const argv of [SHIP, 'history list --json'])
      expect(errorOf(await rig.run(argv, { stdin, env })).message).toContain('does not exist yet');
    expect(posted(await rig.run(`${SHIP} --new-journal`, { stdin, env }))).toHaveLength(1);
    expect(await rig.run(SHIP, { stdin, env })).toMatchObject({ exitCode: 0, requests: [] });
  });

  test('that was emptied is exit 10: it is shown with a warning, and --new-journal goes on', async () => {
    const place = await sharedPlace();
    const rig = await createRig({ journalLost: true, env: { WAYBILL_JOURNAL: place.address } });
    for (const _ of ['booked', 'opened again']) expect((await rig.run(SHIP, { stdin })).exitCode).toBe(0);
    await place.ask('TRUNCATE bookings, labels, made, label_files');
    const refused = await rig.run(SHIP, { stdin });
    expect(errorOf(refused)).toMatchObject({
      exitCode: 10,
      message: expect.stringMatching(/has lost its bookings/),
    });
    expect(refused.requests).toEqual([]);
    const listed = await rig.run('history list --json', { stdin });
    expect([listed.exitCode, listed.stdout.trim(), listed.stderr]).toEqual([
      0,
      '[]',
      expect.stringContaining('has lost its bookings'),
    ]);
    expect(posted(await rig.run(`${SHIP} --new-journal`, { stdin }))).toHaveLength(1);
    expect(await rig.run(SHIP, { stdin })).toMatchObject({ exitCode: 0, requests: [] });
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

  test('allows a booking without a key in CI, where the disk may be new', async () => {
    const rig = await createRig({ journal: 'shared' });
    const env = { CI: 'true', WAYBILL_BASE_URL: 'https://127.0.0.2:1' };
    const ran = await rig.run('ship -f - --retries 0 --json', { stdin, env });
    expect(errorOf(ran)).toMatchObject({ code: 'unavailable' });
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
      /^the password of the journal is not available: node .*locked\.cjs: it ended with exit code 3, saying: the store is locked; nothing was sent\. Run the command by itself to see why, or change it with `waybill profile set NAME journalPasswordCommand=CMD`$/,
    );
    expect(relay.address).not.toContain(SECRET);
  });

  test('must not have a password in its address: exit 2, and nothing is saved', async () => {
    const rig = await createRig();
    await rig.run(['profile', 'add', 'shop', '--base-url', rig.address, '--token-stdin'], { stdin: 'demo' });
    const ran = await rig.run(`profile set shop journal=postgres://u:${SECRET}@db.example.com/waybill`);
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('contains a password') });
    expect(ran.shown).not.toContain(SECRET);
    expect((await rig.run('profile show shop --json')).stdout).not.toContain('db.example.com');
  });
});

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';
