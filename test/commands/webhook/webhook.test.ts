import fs, { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { bodyOf, cannedService, errorOf, refused } from '../../rig/service.ts';
import { http, rawServer, served } from '../../rig/sockets.ts';

const HOOK = 'https://shop.example.test/hook';
const CREATE = `webhook create --url ${HOOK} --event shipment.status.updated`;
const KEYED = `${CREATE} --key hook`;
const FILED = `${CREATE} --secret-file hook.json`;
const PATH = '/webhooks/subscriptions';

/** From now on, until the test ends, no text can be written to an open file. */
function fillDisk(): void {
  const write = fs.writeFileSync;
  const patch = (writeFileSync: typeof write) => {
    fs.writeFileSync = writeFileSync;
    syncBuiltinESMExports();
  };
  patch((file, ...rest) => {
    if (typeof file === 'number') throw new Error('ENOSPC: no space left on device, write');
    write(file, ...rest);
  });
  onTestFinished(() => patch(write));
}

/** A rig whose service answers a new subscription with this body. */
async function answering(body: unknown, status = 201) {
  const { env, seen } = await cannedService({ [PATH]: { status, body } });
  return { rig: await createRig({ env }), seen };
}

describe('what is sent', () => {
  test('every flag lands in its field', async () => {
    const rig = await createRig();
    const retries = '--max-retries 8 --initial-delay-ms 2500 --backoff-multiplier 1.5 --max-delay-ms 60000';
    const headers = "--header 'X-Shop: one: two' --header X-Key:abc";
    const ran = await rig.run(`${CREATE} --event shipment.milestone.updated ${headers} ${retries}`);
    expect([ran.exitCode, ran.requests.map(({ path }) => path)]).toEqual([0, [PATH]]);
    expect(bodyOf(ran)).toEqual({
      url: HOOK,
      events: ['shipment.status.updated', 'shipment.milestone.updated'],
      headers: { 'X-Shop': 'one: two', 'X-Key': 'abc' },
      retryPolicy: { maxRetries: 8, initialDelayMs: 2500, backoffMultiplier: 1.5, maxDelayMs: 60000 },
    });
  });

  test('--dry-run sends nothing, and makes no secret file', async () => {
    const rig = await createRig();
    const ran = await rig.run(`${FILED} --dry-run --json`);
    expect([ran.exitCode, ran.requests, existsSync(join(rig.folder, 'hook.json'))]).toEqual([0, [], false]);
    const shown = { method: 'POST', url: `${rig.address}${PATH}`, body: { url: HOOK }, unresolved: [] };
    expect(JSON.parse(ran.stdout)).toMatchObject(shown);
  });
});

describe('what is refused before anything is sent', () => {
  test.each([
    ['an http address', '--set url=http://shop.example.test/hook', 'url', 'https'],
    ['no URL at all', '--set url=shop', 'url', 'https'],
    ['an event that is none', '--event shipment.status.update', 'events[1]', 'shipment.status.updated'],
    ['a header that does not begin with X-', "--header 'Authorization: x'", 'headers', 'X-'],
    ['a header value with a line break', "--header 'X-A: b\r\nX-C: d'", 'headers', ''],
    ['a negative retry count', '--max-retries -1', 'retryPolicy.maxRetries', '-1'],
    ['a delay that is no number', '--initial-delay-ms soon', 'retryPolicy.initialDelayMs', 'soon'],
    ['a field that is in no document', '--set retryPolicy.maxRetry=1', 'retryPolicy.maxRetry', 'not a field'],
  ])('%s', async (_, more, path, words) => {
    const { code, issues } = await refused(await createRig(), `${CREATE} ${more}`);
    expect([code, issues[0]?.path]).toEqual(['invalid_request', expect.stringContaining(path)]);
    expect(JSON.stringify(issues[0])).toContain(words);
  });

  test('a header that is given twice, in any case', async () => {
    const { message } = await refused(await createRig(), `${CREATE} --header X-A:1 --header X-a:2`);
    expect(message).toContain('X-a is given twice');
  });

  test('an http address on loopback, unless the service is on loopback too', async () => {
    const rig = await createRig();
    const local = `${CREATE.replace(HOOK, 'http://127.0.0.1:9/hook')} --dry-run`;
    expect((await rig.run(local)).exitCode).toBe(0);
    const live = { WAYBILL_BASE_URL: 'https://api.example.test' };
    expect((await rig.run(local, { env: live })).exitCode).toBe(2);
  });

  test.each([CREATE, 'webhook get sub_1'])(
    '%s with --sandbox, which never becomes production',
    async argv => {
      const rig = await createRig();
      const env = { WAYBILL_SANDBOX: '1' };
      expect((await refused(rig, `${argv} --sandbox`)).code).toBe('sandbox_unavailable');
      expect((await refused(rig, argv, { env })).code).toBe('sandbox_unavailable');
      expect((await rig.run(`${argv} --no-sandbox`, { env })).requests).toHaveLength(1);
    },
  );
});

describe('the retry policy', () => {
  test('that ends within an hour is warned of with the cure, and refused with --strict', async () => {
    const rig = await createRig();
    const warned = await rig.run(CREATE);
    expect(warned.stdout).toMatch(/Retries +5, covers 5 min 10 s/);
    expect(warned.stderr).toContain(
      'warning: the retry policy covers 5 min 10 s: an event is lost if the receiver is away for longer; --max-retries 9 covers 1 h 25 min',
    );
    const none = await rig.run(`${CREATE} --allow-duplicate --initial-delay-ms 0`);
    expect(none.stderr).toContain('is away for longer; a longer initialDelayMs');
    expect((await refused(rig, `${CREATE} --strict`)).code).toBe('invalid_request');
  });
});

describe('the secret', () => {
  test('goes into a new file of mode 0600 with --secret-file, and stdout names the file', async () => {
    const rig = await createRig();
    const { exitCode, stdout } = await rig.run(`${FILED} --json`);
    const file = join(rig.folder, 'hook.json');
    const { id, secret, token } = JSON.parse(readFileSync(file, 'utf8'));
    expect([exitCode, statSync(file).mode & 0o777]).toEqual([0, 0o600]);
    expect(JSON.parse(stdout).data).toMatchObject({ id, secret: `(in ${file})`, token: `(in ${file})` });
    for (const hidden of [secret, token])
      expect([hidden.length > 8, stdout.includes(hidden)]).toEqual([true, false]);
  });

  test('never goes over a file that is there, and has to have a place, before anything is sent', async () => {
    const rig = await createRig();
    rig.file('hook.json', 'mine');
    rig.file('left.json', '');
    for (const [file, words] of [
      ['hook.json', 'nothing was sent. Name a file that does not exist yet'],
      ['no/such/folder/hook.json', 'nothing was sent. Name a file that does not exist yet, in a folder'],
      ['left.json', 'nothing was sent. It is empty: the command that made it still runs, or was killed.'],
    ]) {
      const ran = await rig.run(`${CREATE} --secret-file ${file} --json`);
      expect([ran.exitCode, ran.requests, errorOf(ran).code]).toEqual([10, [], 'storage']);
      expect(errorOf(ran).message).toContain(words);
    }
    expect(readFileSync(join(rig.folder, 'hook.json'), 'utf8')).toBe('mine');
  });

  test('is in the file of the first run when the command runs again, and in no file of another subscription', async () => {
    const rig = await createRig();
    const again = `${KEYED} --secret-file hook.json --json`;
    const first = await rig.run(again);
    const kept = readFileSync(join(rig.folder, 'hook.json'), 'utf8');
    expect(await rig.run(again)).toMatchObject({ exitCode: 0, stdout: first.stdout, requests: [] });
    for (const other of ['--key other', '--key other --allow-duplicate', '--allow-duplicate']) {
      const ran = await rig.run(`${FILED} --json --url ${HOOK}/2 ${other}`.replace(`--url ${HOOK} `, ''));
      expect([ran.exitCode, ran.requests, errorOf(ran).code]).toEqual([10, [], 'storage']);
      expect(errorOf(ran).message).toContain('the secret of another subscription');
    }
    expect(readFileSync(join(rig.folder, 'hook.json'), 'utf8')).toBe(kept);
    expect((await refused(rig, FILED)).code).toBe('duplicate');
    rig.file('hook.json', kept.replace(/"secret": "./, '"secret": "?'));
    const changed = errorOf(await rig.run(again));
    expect([changed.code, changed.message]).toEqual([
      'storage',
      expect.stringMatching(/`waybill history show bk_\w+ --show-secret` shows its secret/),
    ]);
    rig.file('hook.json', kept);
    expect((await rig.run('history prune hook --yes')).exitCode).toBe(0);
    expect(await rig.run(again)).toMatchObject({ exitCode: 0, requests: [] });
    expect(readFileSync(join(rig.folder, 'hook.json'), 'utf8')).toBe(kept);
  });

  test('that its file cannot hold is in the journal; if the journal has not got it either, it is shown', async () => {
    const rig = await createRig({ journalLost: true });
    const create = `${FILED} --allow-duplicate --json --no-sandbox`;
    const kept = await rig.run(create, { onRequest: fillDisk });
    expect([kept.exitCode, existsSync(join(rig.folder, 'hook.json'))]).toEqual([10, false]);
    const { message } = errorOf(kept);
    const [, again = ''] =
      /created, and `waybill (history show \w+ --no-sandbox --show-secret)` shows its/.exec(message) ?? [];
    expect(JSON.parse(kept.stdout).data.secret).toBe(`(in the journal: waybill ${again})`);
    expect((await rig.json(again)).answer.data.secret).toMatch(/^\w{8}/);
    const lost = await rig.run(create, {
      onRequest() {
        fillDisk();
        rmSync(join(rig.folder, 'state', 'journal.db'));
      },
    });
    expect(errorOf(lost).message).toContain('and its secret is shown here only');
    expect(JSON.parse(lost.stdout).data.secret).toMatch(/^\w{8}/);
  });

  test('leaves no empty file if nothing was created', async () => {
    const rig = await createRig({ env: { WAYBILL_TOKEN: 'wrong' } });
    const { exitCode, requests } = await rig.run(FILED);
    expect([exitCode, requests.length, existsSync(join(rig.folder, 'hook.json'))]).toEqual([3, 1, false]);
  });
});

describe('an answer without secret or token', () => {
  test.each([
    ['secret', { id: 'sub_1', token: 'tok_1' }],
    ['token', { id: 'sub_1', secret: 'sec_1', token: '' }],
  ])('no %s: exit 9 with what to do, now and again', async (name, data) => {
    const body = { success: true, data };
    const { rig, seen } = await answering(body);
    for (const _ of [1, 2]) {
      const ran = await rig.run(`${KEYED} --json`);
      expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([9, body]);
      const { code, message } = errorOf(ran);
      expect(code).toBe('partial');
      expect(message).toContain(`the answer has no ${name}. The subscription exists: it is sub_1`);
      expect(message).toContain('ask the provider of the service for them, or to delete this subscription');
      expect(message).not.toContain('do not book it again');
    }
    expect(seen).toHaveLength(1);
    const [row] = await rig.json('history list');
    expect(row).toMatchObject({ state: 'partial', exitCode: 9, reason: `the answer has no ${name}` });
    expect(await rig.json('webhook list')).toMatchObject([{ id: 'sub_1' }]);
    const other = await rig.run(`${CREATE} --allow-duplicate --json`);
    expect([other.exitCode, seen.length]).toEqual([9, 2]);
    expect(errorOf(other).message).not.toContain('--allow-duplicate');
  });

  test('makes no secret file of one that a person resolved, and says so', async () => {
    const { rig } = await answering({}, 500);
    expect((await rig.run(KEYED)).exitCode).toBe(8);
    const page = await rig.run('history show hook');
    expect(page.stdout).toContain('history resolve hook --created SUBSCRIPTION_ID');
    expect((await rig.run('history resolve hook --created sub_1 --unchecked')).exitCode).toBe(0);
    expect((await rig.run(KEYED)).exitCode).toBe(0);
    const ran = await rig.run(`${KEYED} --secret-file hook.json --json`);
    expect([ran.exitCode, existsSync(join(rig.folder, 'hook.json'))]).toEqual([9, false]);
    expect(errorOf(ran).message).toContain('its record has no secret and no token');
  });

  test('may have them as numbers in an envelope: secret and token are whole', async () => {
    const data = { id: 5, secret: 12345678, token: 't-87654321' };
    const { rig } = await answering({ result: { success: true, data } });
    const { result } = await rig.json(FILED);
    const file = join(rig.folder, 'hook.json');
    const kept = { id: '5', secret: '12345678', token: 't-87654321' };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(kept);
    expect(result.data).toEqual({ id: 5, secret: `(in ${file})`, token: `(in ${file})` });
  });

  test.each([
    ['at its place', (data: object) => ({ data, note: 'PLANTED-key' })],
    ['in an envelope', (data: object) => ({ result: { data }, note: 'PLANTED-key' })],
  ])('may have them %s with the credential in them: they stay as they came', async (_, body) => {
    const given = { id: 'W1', secret: 'PLANTED-key-hook', token: 'new-token' };
    const canned = await cannedService({ [PATH]: { status: 201, body: body(given) } });
    // The journal has the answer with the credential masked.
    const rig = await createRig({ env: { CREDENTIAL: 'PLANTED-key' }, journalLost: true });
    const url = canned.env.WAYBILL_BASE_URL;
    await rig.run(`profile add shop --base-url ${url} --header X-Key=@env:CREDENTIAL`);
    const ran = await rig.run(`${KEYED} --profile shop --json`);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ ...body(given), note: '••••' });
  });

  test('that has them in another place names them, and advises no second subscription', async () => {
    const body = { data: { id: 'w1' }, secret: 's-12345678', token: 't-12345678' };
    const { rig } = await answering(body);
    const ran = await rig.run(`${KEYED} --json`);
    expect([ran.exitCode, JSON.parse(ran.stdout)]).toEqual([9, body]);
    const { message } = errorOf(ran);
    expect(message).toContain(
      'The answer has secret and token, and is in the journal: `waybill history show ',
    );
    expect(message).not.toContain('create another');
  });
});

describe('with --secret-file no secret is shown, and the journal has it, of an answer', () => {
  const both = { secret: 'whsec_PLANTED', token: 'tok_PLANTED' };
  test.each([
    ['without a secret', 9, { success: true, data: { id: 'w1', token: 'tok_PLANTED' } }],
    ['that has them outside', 9, { data: { id: 'w1' }, ...both }],
    ['that also says no', 9, { success: false, message: 'no: whsec_PLANTED', data: { id: 'w1', ...both } }],
    ['that has them in another envelope', 8, { data: { subscription: { uuid: 'w1', ...both } } }],
    ['without an envelope', 8, { name: 'w1', webhookSecret: both.secret, apiToken: both.token }],
    ['with an object', 8, { data: { url: HOOK, secret: { value: both.secret } }, note: both.secret }],
    ['that is a list', 8, ['w1', both.secret, both.token]],
    ['that is text', 8, JSON.stringify({ success: true, data: { id: 'w1', ...both } })],
  ])('%s', async (_, exitCode, body) => {
    const { rig, seen } = await answering(body);
    for (const format of ['--json', '--json', '-otable', '-q']) {
      const ran = await rig.run(`${KEYED} --secret-file hook.json ${format}`);
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
      const ran = await rig.run(`${KEYED} --secret-file hook.json --json`);
      expect(ran.exitCode).toBe(8);
      expect(ran.stdout + ran.stderr).not.toContain('PLANTED');
      expect(ran.stderr).toContain('--show-secret');
      expect((await rig.run('history show hook --json')).stdout).not.toContain('PLANTED');
      expect((await rig.run('history show hook --json --show-secret')).stdout).toContain('tok_PL');
    }
  });
});

test.each([
  ['nothing', { success: true }],
  ['a list', { data: [] }],
  ['no id', { data: { url: HOOK } }],
])('webhook get that is answered with %s is 7', async (_, body) => {
  const { env } = await cannedService({ [`${PATH}/sub_1`]: { status: 200, body } });
  const ran = await (await createRig({ env })).run('webhook get sub_1 --json --retries 0');
  expect([ran.exitCode, ran.stdout, errorOf(ran).code]).toEqual([7, '', 'unavailable']);
});

test('the limit of 20 a minute is waited out as Retry-After says, or is 6 if the retries are used up', async () => {
  const { run } = await createRig();
  const another = `${CREATE} --allow-duplicate`;
  for (let done = 0; done < 20; done += 1) expect((await run(another)).exitCode).toBe(0);
  const given = await run(`${another} --retries 0 --json`);
  expect([given.stdout, given.requests.length]).toEqual(['', 1]);
  expect(errorOf(given)).toMatchObject({ code: 'rate_limited', exitCode: 6, operation: 'webhook-create' });
  const { exitCode, waits, requests } = await run(another);
  expect([exitCode, requests.map(({ answered }) => answered), waits]).toEqual([0, [429, 201], [60_000]]);
});

test('a secret in an unclear answer is shown: 9', async () => {
  // The emulator never contradicts itself like this.
  const body = { success: false, data: { id: 'sub_1', secret: 'sec_1', token: 'tok_1' } };
  const { env, seen } = await cannedService({ [PATH]: { status: 201, body } });
  const { run } = await createRig({ env });
  const { exitCode, stdout } = await run(`${CREATE} --json`);
  expect([exitCode, JSON.parse(stdout), seen]).toEqual([9, body, [`POST ${PATH}`]]);
});

test('a secret that the journal could not record is not said to be in it', async () => {
  const rig = await createRig({ journalLost: true });
  const state = join(rig.folder, 'state');
  const address = await served(async (request, response) => {
    await request.toArray();
    for (const name of readdirSync(state)) if (/^journal\.db/.test(name)) rmSync(join(state, name));
    response.writeHead(201).end(JSON.stringify({ success: true, data: { id: 'W-1', secret: 'only-here' } }));
  });
  const ran = await rig.run(
    'webhook create --url https://shop.example.com/hook --event shipment.status.updated --no-input',
    { env: { WAYBILL_BASE_URL: address } },
  );
  expect(ran.exitCode).toBe(10);
  expect(ran.stdout).toContain('only-here');
  expect(ran.stderr).toContain('could not record');
  expect(ran.stderr).not.toContain('is in the journal');
});
