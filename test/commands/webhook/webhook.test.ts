import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../../rig/command.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { cannedService } from '../../rig/service.ts';
import { http, rawServer } from '../../rig/sockets.ts';

const HOOK = 'https://shop.example.test/hook';
const CREATE = ['webhook', 'create', '--url', HOOK, '--event', 'shipment.status.updated'];

const sentBody = (requests: { body: string }[]) => JSON.parse(requests[0]?.body ?? 'null');
const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

describe('what is sent', () => {
  test('every flag lands in its field', async () => {
    const { run } = await createRig();
    const { exitCode, requests } = await run([
      ...CREATE,
      ...['--event', 'shipment.milestone.updated', '--header', 'X-Shop: one: two', '--header', 'X-Key:abc'],
      ...[
        '--max-retries',
        '8',
        '--initial-delay-ms',
        '2500',
        '--backoff-multiplier',
        '1.5',
        '--max-delay-ms',
        '60000',
      ],
    ]);
    expect([exitCode, requests.length, requests[0]?.path]).toEqual([0, 1, '/webhooks/subscriptions']);
    expect(sentBody(requests)).toEqual({
      url: HOOK,
      events: ['shipment.status.updated', 'shipment.milestone.updated'],
      headers: { 'X-Shop': 'one: two', 'X-Key': 'abc' },
      retryPolicy: { maxRetries: 8, initialDelayMs: 2500, backoffMultiplier: 1.5, maxDelayMs: 60000 },
    });
  });

  test('flags go over the file, and --set over flags', async () => {
    const rig = await createRig();
    const file = rig.file('hook.json', {
      url: 'https://file.example.test',
      events: ['shipment.status.updated'],
    });
    const { requests } = await rig.run([
      'webhook',
      'create',
      '-f',
      file,
      '--url',
      HOOK,
      '--set',
      'retryPolicy.maxRetries=0',
    ]);
    expect(requests).toHaveLength(1);
    expect(sentBody(requests)).toEqual({
      url: HOOK,
      events: ['shipment.status.updated'],
      retryPolicy: { maxRetries: 0 },
    });
  });

  test('--dry-run sends nothing, makes no secret file and shows no token', async () => {
    const rig = await createRig();
    const { exitCode, stdout, stderr, requests } = await rig.run([
      ...CREATE,
      '--dry-run',
      '--secret-file',
      'kept',
      '--json',
    ]);
    expect([exitCode, requests, existsSync(join(rig.folder, 'kept'))]).toEqual([0, [], false]);
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: `${rig.address}/webhooks/subscriptions`,
      body: { url: HOOK },
      unresolved: [],
    });
    expect(stdout + stderr).not.toContain('Bearer');
  });
});

describe('what is refused before anything is sent', () => {
  const withLive = { WAYBILL_BASE_URL: 'https://api.example.test' };

  test.each([
    ['an http address', ['--set', 'url=http://shop.example.test/hook'], 'url'],
    ['no URL at all', ['--set', 'url=shop'], 'url'],
    ['an event that is none', ['--event', 'shipment.status.update'], 'events[1]'],
    ['a header that does not begin with X-', ['--header', 'Authorization: x'], 'headers'],
    ['a header value with a line break', ['--header', 'X-A: b\r\nX-C: d'], 'headers'],
    ['a negative retry count', ['--max-retries', '-1'], 'retryPolicy.maxRetries'],
    ['a delay that is no number', ['--initial-delay-ms', 'soon'], 'retryPolicy.initialDelayMs'],
    ['a field that is in no document', ['--set', 'retryPolicy.maxRetry=1'], 'retryPolicy.maxRetry'],
  ])('%s', async (_, more, path) => {
    const { run } = await createRig();
    const { exitCode, stdout, stderr, requests } = await run([...CREATE, ...more, '--json']);
    expect([exitCode, stdout, requests]).toEqual([2, '', []]);
    const { code, issues } = errorOf(stderr);
    expect([code, issues[0].path]).toEqual(['invalid_request', expect.stringContaining(path)]);
  });

  test('a near miss of an event is suggested', async () => {
    const { run } = await createRig();
    const { stderr, requests } = await run([
      'webhook',
      'create',
      '--url',
      HOOK,
      '--event',
      'shipment.status.update',
    ]);
    expect(stderr).toContain('did you mean shipment.status.updated?');
    expect(requests).toEqual([]);
  });

  test('a header that is given twice, in any case', async () => {
    const { run } = await createRig();
    const { exitCode, stderr, requests } = await run([...CREATE, '--header', 'X-A: 1', '--header', 'X-a: 2']);
    expect([exitCode, requests]).toEqual([2, []]);
    expect(stderr).toContain('X-a is given twice');
  });

  test('an http address on loopback, unless the service is on loopback too', async () => {
    const { run } = await createRig();
    const local = [
      'webhook',
      'create',
      '--url',
      'http://127.0.0.1:9/hook',
      '--event',
      'shipment.status.updated',
      '--dry-run',
    ];
    expect(await run(local)).toMatchObject({ exitCode: 0, requests: [] });
    expect(await run(local, { env: withLive })).toMatchObject({ exitCode: 2, requests: [] });
  });

  test.each([
    ['create', CREATE],
    ['get', ['webhook', 'get', 'sub_1']],
  ])('webhook %s with --sandbox, which never becomes production', async (_, argv) => {
    const { run } = await createRig();
    for (const options of [
      [...argv, '--sandbox', '--json'],
      [...argv, '--json'],
    ]) {
      const env: Record<string, string> = options.includes('--sandbox') ? {} : { WAYBILL_SANDBOX: '1' };
      const { exitCode, stderr, requests } = await run(options, { env });
      expect([exitCode, errorOf(stderr).code, requests]).toEqual([2, 'sandbox_unavailable', []]);
    }
    expect((await run([...argv, '--no-sandbox'], { env: { WAYBILL_SANDBOX: '1' } })).requests).toHaveLength(
      1,
    );
  });
});

describe('the secret', () => {
  test('is shown once, by create and never by get', async () => {
    const { run } = await createRig();
    const ran = await run([...CREATE, '--json']);
    expect(ran.requests).toHaveLength(1);
    const created = JSON.parse(ran.stdout).data;
    expect([typeof created.secret, typeof created.token]).toEqual(['string', 'string']);
    const got = await run(['webhook', 'get', created.id, '--json']);
    expect(JSON.parse(got.stdout).data).toMatchObject({ id: created.id, url: HOOK, isActive: true });
    expect(got.stdout).not.toContain(created.secret);
    expect(got.stdout).not.toContain(created.token);
  });

  test('goes into a new file of mode 0600 with --secret-file, and stdout names the file', async () => {
    const rig = await createRig();
    const { exitCode, stdout, requests } = await rig.run([...CREATE, '--secret-file', 'hook.json', '--json']);
    const file = join(rig.folder, 'hook.json');
    const { id, secret, token } = JSON.parse(readFileSync(file, 'utf8'));
    expect([exitCode, requests.length, statSync(file).mode & 0o777]).toEqual([0, 1, 0o600]);
    expect(JSON.parse(stdout).data).toMatchObject({ id, secret: `(in ${file})`, token: `(in ${file})` });
    for (const hidden of [secret, token])
      expect([hidden.length > 8, stdout.includes(hidden)]).toEqual([true, false]);
  });

  test('never goes over a file that is there: that is refused before anything is sent', async () => {
    const rig = await createRig();
    const file = rig.file('hook.json', 'mine');
    const { exitCode, stderr, requests } = await rig.run([...CREATE, '--secret-file', file, '--json']);
    expect([exitCode, requests, readFileSync(file, 'utf8')]).toEqual([10, [], 'mine']);
    expect(errorOf(stderr)).toMatchObject({
      code: 'storage',
      message: expect.stringContaining('nothing was sent'),
    });
  });

  test('is whole when its file appears, and never goes over one that appeared meanwhile', async () => {
    const rig = await createRig();
    const file = join(rig.folder, 'hook.json');
    const create = (onRequest: () => void, ...more: string[]) =>
      rig.run([...CREATE, '--secret-file', 'hook.json', '--json', ...more], { onRequest });
    const taken = await create(() => writeFileSync(file, 'mine'));
    expect([taken.exitCode, readFileSync(file, 'utf8')]).toEqual([10, 'mine']);
    expect(errorOf(taken.stderr).message).toContain('--show-secret` shows its secret');
    expect(JSON.parse(taken.stdout).data.secret).toContain('(in the journal: waybill history show ');
    rmSync(file);
    const seen: boolean[] = [];
    const { exitCode } = await create(() => seen.push(existsSync(file)), '--allow-duplicate');
    expect([exitCode, seen, readdirSync(rig.folder).filter(name => name.includes('hook'))]).toEqual([
      ...[0, [false]],
      ['hook.json'],
    ]);
  });

  test('has to have a place before anything is sent', async () => {
    const { run } = await createRig();
    const { exitCode, stderr, requests } = await run([
      ...CREATE,
      '--secret-file',
      'no/such/folder/hook.json',
    ]);
    expect([exitCode, requests]).toEqual([10, []]);
    expect(stderr).toContain('nothing was sent');
  });

  test('leaves no empty file if nothing was created', async () => {
    const rig = await createRig({ env: { WAYBILL_TOKEN: 'wrong' } });
    const { exitCode, requests } = await rig.run([...CREATE, '--secret-file', 'hook.json']);
    expect([exitCode, requests.length, existsSync(join(rig.folder, 'hook.json'))]).toEqual([3, 1, false]);
  });
});

describe('an answer without secret or token', () => {
  const answered = async (data: object, envelope?: string) => {
    const subscription = { success: true, data };
    const body = envelope ? { [envelope]: subscription } : subscription;
    const { env, seen } = await cannedService({ '/webhooks/subscriptions': { status: 201, body } });
    return { rig: await createRig({ env }), seen, body };
  };

  test.each([
    ['secret', { id: 'sub_1', token: 'tok_1' }],
    ['token', { id: 'sub_1', secret: 'sec_1', token: '' }],
  ])('no %s: exit 9 with what to do, now and again', async (name, data) => {
    const { rig, seen, body } = await answered(data);
    for (const _ of [1, 2]) {
      const ran = await rig.run([...CREATE, '--key', 'hook', '--json']);
      expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([9, body]);
      const { code, message } = errorOf(ran.stderr);
      expect(code).toBe('partial');
      expect(message).toContain(`the answer has no ${name}. The subscription exists: it is sub_1`);
      expect(message).toContain('ask the provider of the service for them, or to delete this subscription');
      expect(message).not.toContain('do not book it again');
    }
    expect(seen).toHaveLength(1);
    const [row] = JSON.parse((await rig.run('history list --json')).stdout);
    expect(row).toMatchObject({ state: 'partial', exitCode: 9, reason: `the answer has no ${name}` });
    expect(JSON.parse((await rig.run('webhook list --json')).stdout)).toMatchObject([{ id: 'sub_1' }]);
    const other = await rig.run([...CREATE, '--allow-duplicate', '--json']);
    expect([other.exitCode, seen.length]).toEqual([9, 2]);
    expect(errorOf(other.stderr).message).not.toContain('--allow-duplicate');
  });

  test('makes no secret file of one that a person resolved, and says so', async () => {
    const { env } = await cannedService({ '/webhooks/subscriptions': { status: 500, body: {} } });
    const rig = await createRig({ env });
    expect((await rig.run([...CREATE, '--key', 'hook'])).exitCode).toBe(8);
    expect((await rig.run('history resolve hook --created sub_1 --unchecked')).exitCode).toBe(0);
    const again = [...CREATE, '--key', 'hook', '--json'];
    expect((await rig.run(again)).exitCode).toBe(0);
    const { exitCode, stderr } = await rig.run([...again, '--secret-file', 'hook.json']);
    expect([exitCode, existsSync(join(rig.folder, 'hook.json'))]).toEqual([9, false]);
    expect(errorOf(stderr).message).toContain('its record has no secret and no token');
  });

  test('may be numbers in an envelope: secret and token are whole', async () => {
    const { rig } = await answered({ id: 5, secret: 12345678, token: 't-87654321' }, 'result');
    const { exitCode, stdout } = await rig.run([...CREATE, '--secret-file', 'hook.json', '--json']);
    const file = join(rig.folder, 'hook.json');
    expect([exitCode, JSON.parse(readFileSync(file, 'utf8'))]).toEqual([
      0,
      { id: '5', secret: '12345678', token: 't-87654321' },
    ]);
    expect(JSON.parse(stdout).result.data).toEqual({ id: 5, secret: `(in ${file})`, token: `(in ${file})` });
    expect(readdirSync(rig.folder).filter(name => name.includes('.part'))).toEqual([]);
  });
});

describe('with --secret-file no secret is shown, and the journal has it, of an answer', () => {
  const both = { secret: 'whsec_PLANTED', token: 'tok_PLANTED' };
  test.each([
    ['without a secret', 9, { success: true, data: { id: 'w1', token: 'tok_PLANTED' } }],
    ['that has them outside', 9, { data: { id: 'w1' }, ...both }],
    ['that also says no', 9, { success: false, message: 'no: whsec_PLANTED', data: { id: 'w1', ...both } }],
    ['that has them in another envelope', 8, { data: { subscription: { uuid: 'w1', ...both } } }],
    [
      'that has no envelope and other names',
      8,
      { name: 'w1', webhookSecret: both.secret, apiToken: both.token },
    ],
    [
      'that has them in an object',
      8,
      { data: { url: HOOK, secret: { value: both.secret } }, note: both.secret },
    ],
    ['that is a list', 8, ['w1', both.secret, both.token]],
    ['that is text', 8, JSON.stringify({ success: true, data: { id: 'w1', ...both } })],
  ])('%s', async (_, exitCode, body) => {
    const { env, seen } = await cannedService({ '/webhooks/subscriptions': { status: 201, body } });
    const rig = await createRig({ env });
    for (const format of ['--json', '--json', '-otable', '-q']) {
      const ran = await rig.run([...CREATE, '--key', 'hook', '--secret-file', 'hook.json', format]);
      expect(ran.exitCode).toBe(exitCode);
      expect(ran.stdout + ran.stderr).not.toContain('PLANTED');
      const isSaved = existsSync(join(rig.folder, 'hook.json'));
      rmSync(join(rig.folder, 'hook.json'), { force: true });
      expect(isSaved || /`waybill history show \w+ --show-secret`/.test(ran.stderr)).toBe(true);
    }
    expect(seen).toHaveLength(1);
    expect((await rig.run('history show hook --json')).stdout).not.toContain('tok_PLANTED');
    expect((await rig.run('history show hook --json --show-secret')).stdout).toContain('_PLANTED');
  });

  test('that is cut off, or comes with 500', async () => {
    const text = JSON.stringify({ success: true, data: { id: 'w1', ...both } });
    for (const reply of [http(500, text.slice(0, -5)), http(201, text.slice(0, -5)), http(500, text)]) {
      const { url } = await rawServer(socket => void socket.write(reply));
      const rig = await createRig({ env: { WAYBILL_BASE_URL: url.origin } });
      const ran = await rig.run([...CREATE, '--key', 'hook', '--secret-file', 'hook.json', '--json']);
      expect(ran.exitCode).toBe(8);
      expect(ran.stdout + ran.stderr).not.toContain('PLANTED');
      expect(ran.stderr).toContain('--show-secret');
      expect((await rig.run('history show hook --json')).stdout).not.toContain('PLANTED');
      expect((await rig.run('history show hook --json --show-secret')).stdout).toContain('tok_PL');
    }
  });
});

test('secret and token in another place are named, and no second subscription is advised', async () => {
  const body = { data: { id: 'w1' }, secret: 's-12345678', token: 't-12345678' };
  const { env } = await cannedService({ '/webhooks/subscriptions': { status: 201, body } });
  const { run } = await createRig({ env });
  const { exitCode, stdout, stderr } = await run([...CREATE, '--key', 'hook', '--json']);
  expect([exitCode, JSON.parse(stdout)]).toEqual([9, body]);
  const { message } = errorOf(stderr);
  expect(message).toContain('The answer has secret and token, and is in the journal: `waybill history show ');
  expect(message).not.toContain('create another');
});

test('history show of an unknown subscription says how to resolve it', async () => {
  const { env } = await cannedService({ '/webhooks/subscriptions': { status: 500, body: {} } });
  const { run } = await createRig({ env });
  await run([...CREATE, '--key', 'hook']);
  expect((await run('history show hook')).stdout).toContain('history resolve hook --created SUBSCRIPTION_ID');
});

test('the table says of a subscription what the answer says, else the request, and nothing else', async () => {
  const data = { id: 'sub_1', secret: 's', token: 't', retryPolicy: { initialDelayMs: '1000' } };
  const { env } = await cannedService({
    '/webhooks/subscriptions': { status: 201, body: { data } },
    '/webhooks/subscriptions/sub_1': { status: 200, body: { data: { id: 'sub_1' } } },
  });
  const { run } = await createRig({ env });
  const part = await run([...CREATE, '--max-retries', '9']);
  expect(part.stdout).toMatch(/URL +https:\/\/shop\.example\.test\/hook\nEvents +shipment\.status\.updated/);
  expect(part.stdout).toMatch(/Active +-\nRetry maxRetries +9\nRetry initialDelayMs +1000\nRetries +-\n/);
  const whole = [...CREATE, '--max-retries', '9', '--backoff-multiplier', '2', '--max-delay-ms', '1000000'];
  expect((await run([...whole, '--allow-duplicate'])).stdout).toMatch(/Retries +9, covers 8 min 31 s/);
  const { stdout } = await run('webhook get sub_1');
  expect(stdout.replace(/\S+ +-\n/g, '')).toMatch(/^Subscription +sub_1\n$/);
});

test.each([
  ['nothing', { success: true }],
  ['a list', { data: [] }],
  ['no id', { data: { url: HOOK } }],
])('webhook get that is answered with %s is 7', async (_, body) => {
  const { env } = await cannedService({ '/webhooks/subscriptions/sub_1': { status: 200, body } });
  const { run } = await createRig({ env });
  const { exitCode, stdout, stderr } = await run('webhook get sub_1 --json --retries 0');
  expect([exitCode, stdout, errorOf(stderr).code]).toEqual([7, '', 'unavailable']);
});

describe('the limit of 20 a minute', () => {
  const ANOTHER = [...CREATE, '--allow-duplicate'];

  async function exhausted(): Promise<Rig> {
    const rig = await createRig();
    for (let done = 0; done < 20; done += 1) expect((await rig.run(ANOTHER)).exitCode).toBe(0);
    return rig;
  }

  test('is waited out as Retry-After says, and then it is created once', async () => {
    const rig = await exhausted();
    const { exitCode, waits, requests } = await rig.run(ANOTHER);
    expect([exitCode, requests.map(({ answered }) => answered), waits]).toEqual([0, [429, 201], [60_000]]);
  });

  test('is 6 if the retries are used up', async () => {
    const rig = await exhausted();
    const { exitCode, stdout, stderr, requests } = await rig.run([...ANOTHER, '--retries', '0', '--json']);
    expect([exitCode, stdout, requests.length]).toEqual([6, '', 1]);
    expect(errorOf(stderr)).toMatchObject({
      code: 'rate_limited',
      httpStatus: 429,
      operation: 'webhook-create',
    });
  });

  test('that never ends is asked four times and is 6', async () => {
    const { run } = await createRig({ faults: [{ kind: 429, probability: 1 }] });
    const { exitCode, waits, requests } = await run(CREATE);
    expect([exitCode, requests.length, waits.length, waits.every(ms => ms >= 1000)]).toEqual([6, 4, 3, true]);
  });
});

describeBoth('what becomes of it', journal => {
  test('-q shows the id alone', async () => {
    const { run } = await createRig({ journal });
    const { stdout, stderr, requests } = await run([...CREATE, '-q']);
    expect(stdout).toMatch(/^\S+\n$/);
    expect([stderr, requests.length]).toEqual(['', 1]);
    expect((await run(['webhook', 'get', stdout.trim(), '-q'])).stdout).toBe(stdout);
  });

  test('an unknown subscription is 4', async () => {
    const { run } = await createRig({ journal });
    const { exitCode, stderr } = await run(['webhook', 'get', 'no/such', '--json']);
    expect([exitCode, errorOf(stderr)]).toMatchObject([4, { code: 'not_found', operation: 'webhook-get' }]);
  });

  test('a secret in an unclear answer is shown: 9', async () => {
    // The emulator never contradicts itself like this.
    const body = { success: false, data: { id: 'sub_1', secret: 'sec_1', token: 'tok_1' } };
    const { env, seen } = await cannedService({ '/webhooks/subscriptions': { status: 201, body } });
    const { run } = await createRig({ journal, env });
    const { exitCode, stdout } = await run([...CREATE, '--json']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([9, body]);
    expect(seen).toEqual(['POST /webhooks/subscriptions']);
  });
});

test('a list at a terminal of 80 columns cuts no id, date or URL', async () => {
  const { run } = await createRig();
  const id = (await run([...CREATE, '-q'])).stdout.trim();
  const { stdout } = await run('webhook list', { terminal: true, columns: 80 });
  expect(stdout).toContain(id);
  expect(stdout).toContain(HOOK);
  expect(stdout).not.toContain('…');
});
