// `waybill doctor`. Each of these set-ups is broken in one way: the line of its check says what to type, and typing that mends it. No look
// changes a byte below the folder of the test.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharesSession } from '../../src/journal/postgres/server.ts';
import type { DoctorFinding } from '../../src/output/schemas.ts';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { bookingAt, fill, UNKNOWN } from '../rig/journal.ts';
import { titled } from '../rig/needs.ts';
import { SECRET } from '../rig/oracles.ts';
import { noPostgres } from '../rig/postgres.ts';
import { builtCommand, SHIP, slow } from '../rig/process.ts';
import { configOf, savedIn } from '../rig/profile.ts';
import { http, type Reply, UNUSED_PORT } from '../rig/sockets.ts';
import { liveRig, replying, servedRig } from './rigs.ts';

const command = builtCommand();

/** Every file below a folder, with its mode and what is in it. */
function contentOf(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return files.map(name => {
    const path = join(folder, name);
    const { mode, mtimeMs } = lstatSync(path);
    // In the memory that processes share each reader is noted.
    if (name.endsWith('-shm')) return `${name} ${mode.toString(8)}`;
    const bytes = lstatSync(path).isFile() ? readFileSync(path) : '';
    return `${name} ${mode.toString(8)} ${mtimeMs} ${createHash('sha256').update(bytes).digest('hex')}`;
  });
}

interface Looked extends Ran {
  findings: DoctorFinding[];
  /** The state and the message of each line of a check. */
  of(check: DoctorFinding['check']): string[];
}

/** What doctor says, which writes nothing. */
async function doctor(rig: Rig, options: RunOptions = {}, line = 'doctor'): Promise<Looked> {
  const before = contentOf(rig.folder);
  const ran = await rig.run(`${line} --json`, options);
  expect(contentOf(rig.folder)).toEqual(before);
  const findings: DoctorFinding[] = JSON.parse(ran.stdout);
  return {
    ...ran,
    findings,
    of: check =>
      findings.filter(found => found.check === check).map(({ state, message }) => `${state}: ${message}`),
  };
}

/** The clock of the service is that of this machine. */
const inTime = (make: () => Promise<Rig>) => async (): Promise<Rig> => {
  const rig = await make();
  rig.clock.now = Date.now();
  return rig;
};
const live = inTime(liveRig('--token-stdin', { journalLost: true }));

/** Changes the profile `live` as a person with an editor does. */
const edited =
  (change: Record<string, unknown>, make = live) =>
  async (): Promise<Rig> => {
    const rig = await make();
    const config = savedIn(rig);
    Object.assign(config.profiles.live, change);
    rig.file('config/config.json', config);
    chmodSync(configOf(rig), 0o600);
    return rig;
  };

const booked = (more: object) => async (): Promise<Rig> => {
  const rig = await live();
  await fill(rig, 'state', [bookingAt(rig, 1, { profile: 'live', ...more })]);
  return rig;
};

interface Broken {
  says: string;
  rig: () => Promise<Rig>;
  env?: Record<string, string>;
  exit: number;
  check: DoctorFinding['check'];
  state?: DoctorFinding['state'];
  message: string | RegExp;
  /** What the words in capitals of the message stand for. */
  words?: Record<string, string>;
  /** A line behind the one that the message names: what that one shows says it. */
  further?: string;
  /** In place of the command in backticks that is typed: what the message says in words. */
  mend?(rig: Rig): void | Promise<void> | { env: Record<string, string> };
}

const BROKEN: readonly Broken[] = [
  {
    says: 'no profile and no address',
    rig: () => createRig({ env: { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' } }),
    exit: 3,
    check: 'profile',
    message: '`waybill track --profile demo`',
    mend: () => ({ env: { WAYBILL_PROFILE: 'demo' } }),
  },
  {
    says: 'a config that is no JSON',
    rig: async () => {
      const rig = await live();
      rig.file('config/config.json', '{"profiles": ');
      return rig;
    },
    exit: 10,
    check: 'config',
    message: 'Repair it, or move it away',
    async mend(rig) {
      rmSync(configOf(rig));
      const add = `profile add live --base-url ${rig.address} --token-stdin`;
      await rig.run(add, { stdin: SECRET });
    },
  },
  {
    says: 'a config that every user may write',
    rig: async () => {
      const rig = await live();
      chmodSync(configOf(rig), 0o666);
      return rig;
    },
    exit: 10,
    check: 'config',
    message: '`chmod 600 ',
  },
  {
    says: 'a state folder that every user may write',
    rig: async () => {
      const rig = await live();
      mkdirSync(join(rig.folder, 'state'));
      chmodSync(join(rig.folder, 'state'), 0o777);
      return rig;
    },
    exit: 9,
    check: 'state',
    message: '`chmod 700 ',
  },
  {
    says: 'a file in place of the state folder',
    rig: async () => {
      const rig = await live();
      rig.file('state', 'a file');
      return rig;
    },
    exit: 10,
    check: 'state',
    message: 'Mend that, or set WAYBILL_STATE_DIR to another folder',
    mend: rig => ({ env: { WAYBILL_STATE_DIR: join(rig.folder, 'other') } }),
  },
  {
    says: 'a state folder that is a relative path',
    rig: live,
    env: { WAYBILL_STATE_DIR: 'ours' },
    exit: 2,
    check: 'state',
    message: 'Set WAYBILL_STATE_DIR=/',
    mend: rig => ({ env: { WAYBILL_STATE_DIR: join(rig.folder, 'ours') } }),
  },
  {
    says: 'a variable that nobody knows',
    rig: live,
    env: { WAYBILL_MAX_PRICE: '20EUR' },
    exit: 9,
    check: 'settings',
    message: 'did you mean WAYBILL_POLICY_MAX_PRICE?). Unset it',
    mend: () => ({ env: { WAYBILL_MAX_PRICE: '', WAYBILL_POLICY_MAX_PRICE: '20EUR' } }),
  },
  {
    says: 'a limit that nobody knows',
    rig: edited({ policy: { maxprice: '20EUR' } }),
    exit: 9,
    check: 'settings',
    message: '`waybill profile set live policy.maxprice=`',
  },
  {
    says: 'a setting for tokens that are fetched, where none is',
    rig: edited({ tokenField: 'data.token' }),
    exit: 9,
    check: 'settings',
    message: '`waybill profile set live tokenField=`',
  },
  {
    says: 'a bound that cannot be read, and the service is not asked',
    rig: edited({ maxPrice: 'sixty' }),
    exit: 2,
    check: 'settings',
    message: 'maxPrice of the profile live must be an amount above 0',
    mend: async rig => void (await rig.run('profile set live maxPrice=60EUR')),
  },
  {
    says: 'rules whose file is gone',
    rig: edited({ rules: '/nowhere/rules.json' }),
    exit: 2,
    check: 'settings',
    message: '/nowhere/rules.json',
    mend: async rig => void (await rig.run('profile set live rules=')),
  },
  {
    says: 'a token that the service does not know',
    rig: inTime(liveRig('--token-stdin', { journalLost: true, tokens: new Map([['another', 'all']]) })),
    exit: 3,
    check: 'credential',
    message: '`waybill profile set live --token-stdin`',
    words: { stdin: 'another' },
  },
  {
    says: 'a secret in a variable that is not set',
    rig: async () => {
      const rig = await liveRig(['--header', 'X-Key=@env:SHOP_KEY'])();
      rig.clock.now = Date.now();
      return rig;
    },
    exit: 3,
    check: 'credential',
    message: 'the environment variable SHOP_KEY is not set',
    mend: () => ({ env: { SHOP_KEY: SECRET } }),
  },
  {
    says: 'an address at which nobody answers',
    rig: edited({ baseUrl: `http://127.0.0.1:${UNUSED_PORT}` }),
    exit: 7,
    check: 'service',
    message: `http://127.0.0.1:${UNUSED_PORT}`,
    mend: async rig => void (await rig.run(`profile set live baseUrl=${rig.address}`)),
  },
  {
    says: 'an address with a web page in place of a service',
    rig: inTime(
      servedRig(
        replying({
          'GET /v1/shipments/waybill-profile-test-0': http(404, '<!doctype html><title>Shop</title>'),
          'GET /api/v1/shipments/waybill-profile-test-0': http(404, '{}'),
          'POST /api/v1/carriers/proposal': http(201, '{"proposals":[]}'),
        }),
        { flags: '--token-stdin' },
      ),
    ),
    exit: 4,
    check: 'service',
    message: 'check the address',
    async mend(rig) {
      const { baseUrl } = savedIn(rig).profiles.live;
      await rig.run(`profile set live baseUrl=${baseUrl}/api`);
    },
  },
  {
    says: 'an address below which there is no service, so that nothing looks at the token',
    rig: async () => {
      const rig = await live();
      return edited({ baseUrl: `${rig.address}/wrong` }, async () => rig)();
    },
    exit: 4,
    check: 'service',
    message: /\/wrong \(profile live\) answers 404 \(not found\) to POST \/v1\/carriers\/proposal, too/,
    mend: async rig => void (await rig.run(`profile set live baseUrl=${rig.address}`)),
  },
  {
    says: 'a clock that is wrong',
    rig: async () => {
      const rig = await live();
      rig.clock.now -= 3 * 60 * 60 * 1000;
      return rig;
    },
    exit: 9,
    check: 'clock',
    message: /is (3 h|2 h 59 min)( \d+ \w+)? behind that of the service.*`timedatectl set-ntp true`/,
    mend(rig) {
      rig.clock.now = Date.now();
    },
  },
  {
    says: 'a journal that is gone',
    rig: async () => {
      const rig = await booked({})();
      rmSync(join(rig.folder, 'state/journal.db'));
      return rig;
    },
    exit: 10,
    check: 'journal',
    message: '--new-journal',
    mend: async rig => void (await rig.run('history check --new-journal')),
  },
  {
    says: 'a copy in place of the journal',
    rig: async () => {
      const rig = await booked({})();
      await rig.run('history backup copy.db');
      const file = join(rig.folder, 'state/journal.db');
      for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
      copyFileSync(join(rig.folder, 'copy.db'), file);
      return rig;
    },
    exit: 10,
    check: 'journal',
    message: '`waybill history check --restored --reason TEXT`',
  },
  {
    says: 'a booking of which nobody knows whether it exists',
    rig: booked(UNKNOWN),
    exit: 9,
    check: 'bookings',
    message: '`waybill history list --state unknown`',
    further: 'history resolve K-1 --not-created --force --reason asked',
  },
  {
    says: 'a price above its bound',
    rig: booked({ overPrice: true, maxPrice: '10EUR' }),
    exit: 9,
    check: 'bookings',
    message: /`waybill history show bk_\d+`/,
    further: 'history accept K-1',
  },
  {
    says: 'a print program that is not here',
    rig: edited({ printCommand: 'no-such-printer -d desk' }),
    exit: 9,
    check: 'printer',
    message: '`waybill profile set live printCommand=PROGRAM`',
    words: { PROGRAM: 'true' },
  },
];

/** Types what stands in backticks in a message. */
async function typed(rig: Rig, message: string, words: Record<string, string>): Promise<void> {
  const [, line = ''] = /`([^`]+)`/.exec(message) ?? [];
  const whole = line.replace(/\b[A-Z]{4,}\b/g, word => words[word] ?? word);
  if (!whole.startsWith('waybill ')) execFileSync('sh', ['-c', whole]);
  else
    expect(await rig.run(whole.replace('waybill ', ''), { stdin: words.stdin ?? '' })).toMatchObject({
      exitCode: 0,
    });
}

describe('A set-up that is broken', () => {
  for (const { says, exit, check, message, state, words = {}, further, mend, ...row } of BROKEN)
    test(`${says}: exit ${exit}, and its line mends it`, async () => {
      const rig = await row.rig();
      const { exitCode, findings, requests } = await doctor(rig, { ...(row.env && { env: row.env }) });
      const wrong = findings.filter(found => found.state === 'failed' || found.state === 'warning');
      expect(wrong.map(found => [found.check, found.state])).toEqual([
        [check, state ?? (exit === 9 ? 'warning' : 'failed')],
      ]);
      expect(wrong[0]?.message).toEqual(
        typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
      );
      expect({ exitCode, sent: exit === 2 ? requests.length : 0 }).toEqual({ exitCode: exit, sent: 0 });
      const mended = await mend?.(rig);
      if (!mend) await typed(rig, wrong[0]?.message ?? '', words);
      if (further) expect(await rig.run(further)).toMatchObject({ exitCode: 0 });
      const after = await doctor(rig, { env: { ...row.env, ...mended?.env } });
      expect(after.findings.filter(found => found.state === 'failed' || found.state === 'warning')).toEqual(
        [],
      );
      expect(after.exitCode).toBe(0);
    });
});

describe('A set-up that is well', () => {
  test('has a line for each part, and exit 0; nothing is told of a token', async () => {
    const rig = await booked({})();
    const { exitCode, findings, stdout, of } = await doctor(rig);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain(SECRET);
    expect(findings.map(({ check }) => check)).toEqual(
      'node version config state profile settings journal bookings credential service clock printer labels completion'.split(
        ' ',
      ),
    );
    expect(of('profile')).toEqual([`ok: live (the current profile): loopback, ${rig.address}`]);
    expect(of('journal')).toEqual([
      expect.stringMatching(/^ok: .*journal\.db: SQLite 3\.\d+.*, 1 booking, /),
    ]);
    expect(of('credential')).toEqual(['ok: a token (profile live) is accepted']);
    expect(of('clock')).toEqual(['ok: that of the service and that of this machine agree']);
  });

  test('demo needs nothing, and nothing of it is started', async () => {
    const rig = await live();
    const { exitCode, of } = await doctor(rig, {}, 'doctor --profile demo');
    expect([exitCode, of('service')]).toEqual([0, ['ok: the built-in emulator: nothing is asked']]);
    expect(of('journal')).toEqual([expect.stringContaining('the first booking makes it')]);
  });

  test('an old Node, no printer and no completion are told, and are no reason to fail', async () => {
    const rig = await live();
    const env = { PATH: rig.folder, SHELL: '/bin/zsh' };
    const { exitCode, of } = await doctor(rig, { env });
    expect(exitCode).toBe(0);
    expect(of('node')).toEqual([expect.stringContaining('info: Node 20.0.0 gets no fixes since 2026-04-30')]);
    expect(of('printer')).toEqual([expect.stringContaining('info: there is no program lp here')]);
    expect(of('completion')).toEqual([
      'info: zsh does not have it. `waybill completion --help` says how to install it',
    ]);
    rig.file('.zfunc/_waybill', (await rig.run('completion zsh')).stdout);
    expect((await doctor(rig, { env })).of('completion')).toEqual([
      `ok: zsh has it in ${join(rig.folder, '.zfunc/_waybill')}`,
    ]);
  });

  test('a person reads a line for each check; a script asks for the exit code, and -q for what is wrong', async () => {
    const rig = await booked(UNKNOWN)();
    const env = { WAYBILL_MAX_PRICE: '20EUR' };
    const table = await rig.run('doctor', { env });
    expect(table.stdout).toMatch(/^warning +settings +the variable WAYBILL_MAX_PRICE is unknown/m);
    expect(table.stdout).toMatch(/^ok +service +http/m);
    expect(table.stderr).toBe(
      'error: doctor: 2 of 14 checks found what a person should mend: settings, bookings\n',
    );
    const quiet = await rig.run('doctor -q', { env });
    expect([quiet.exitCode, quiet.stdout]).toEqual([9, 'settings\nbookings\n']);
  });

  test('what was fetched to ask the service is not kept', async () => {
    const token = http(200, JSON.stringify({ token: 'fetched-token', expires_in: 3600 }));
    const rig = await servedRig(
      replying({
        'POST /token': token,
        'GET /v1/shipments/waybill-profile-test-0': http(404, '{}'),
        'POST /v1/carriers/proposal': http(201, '{"proposals":[]}'),
      }),
      { flags: ['--token-url', '/token', '--client-header', 'X-Client=@-'] },
    )();
    const { exitCode, of } = await doctor(rig);
    expect([exitCode, of('clock')]).toEqual([0, ['info: the service does not say its time']]);
  });

  test('while another process books nothing is changed; once that is killed its booking waits for a person', async () => {
    const answers: Reply = (socket, request) =>
      void (
        (request.startsWith('GET') && socket.write(http(404, '{}'))) ||
        (request.startsWith('POST /v1/carriers/proposal') && socket.write(http(201, '{"proposals":[]}')))
      );
    const { run, server, folder } = await slow(command, answers);
    const look = async () => {
      const before = contentOf(folder);
      const { code, stdout } = await run('doctor --json').ended;
      expect(contentOf(folder)).toEqual(before);
      return {
        code,
        bookings: (JSON.parse(stdout) as DoctorFinding[]).find(({ check }) => check === 'bookings')?.message,
      };
    };
    const booking = run(SHIP);
    await server.received(1);
    expect(await look()).toEqual({ code: 0, bookings: 'none waits for a person' });
    booking.child.kill('SIGKILL');
    await booking.ended;
    expect(await look()).toEqual({
      code: 9,
      bookings: expect.stringContaining('1 booking is unknown: it may exist'),
    });
    // What the killed one wrote last is beside the file, and a look does not merge it.
    rmSync(join(folder, 'state/journal.db-shm'));
    expect((await look()).code).toBe(10);
    expect((await run('history check').ended).code).toBe(0);
    expect((await look()).code).toBe(9);
  });
});

describe('A journal that machines share', () => {
  test.skipIf(noPostgres)(
    titled('is asked for its version, and gets no table and no row', noPostgres),
    async () => {
      const rig = inTime(liveRig('--token-stdin', { journal: 'shared', journalLost: true }));
      const empty = await rig();
      expect((await doctor(empty)).of('journal')).toEqual([
        expect.stringMatching(
          /^ok: there is none at postgres:.* yet \(PostgreSQL\): the first booking makes it/,
        ),
      ]);
      expect((await empty.run('ship order.json --key A-1')).exitCode).toBe(0);
      expect((await doctor(empty)).of('journal')).toEqual([
        expect.stringMatching(/^ok: postgres:.*: PostgreSQL \d+.*, 1 booking, /),
      ]);
    },
  );

  test('that cannot be reached is exit 10, with its address', async () => {
    const rig = await live();
    const env = { WAYBILL_JOURNAL: `postgres://waybill@127.0.0.1:${UNUSED_PORT}/waybill` };
    const { exitCode, of } = await doctor(rig, { env });
    expect([exitCode, of('state')[0]]).toEqual([10, expect.stringMatching(/^ok/)]);
    expect(of('journal')).toEqual([
      expect.stringContaining(`failed: the journal postgres://127.0.0.1:${UNUSED_PORT}/waybill`),
    ]);
  });

  test('a pooler that gives a session several connections is seen: another session takes the first one', async () => {
    const sessionOf = (process: () => number) =>
      ({ first: async () => ({ id: process() }) }) as unknown as Parameters<Parameters<Pooled['run']>[0]>[0];
    type Pooled = Parameters<typeof sharesSession>[0];
    const poolerOf = (isShared: boolean): Pooled => {
      let isTaken = false;
      const first = sessionOf(() => (isShared && isTaken ? 2 : 1));
      return {
        run: work => work(first),
        transaction: work => {
          isTaken = true;
          return work(sessionOf(() => (isShared ? 1 : 2)));
        },
      };
    };
    expect(await sharesSession(poolerOf(true))).toBe(true);
    expect(await sharesSession(poolerOf(false))).toBe(false);
  });
});
