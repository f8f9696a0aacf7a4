import fs, { existsSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { cannedService, errorOf, refused } from '../../rig/service.ts';
import { http, rawServer } from '../../rig/sockets.ts';

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

describe('the secret', () => {
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
    expect(changed).toMatchObject({ code: 'storage', message: expect.stringContaining('--show-secret') });
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
      expect(errorOf(ran).message).toContain(`the answer has no ${name}. The subscription sub_1 exists`);
    }
    expect(seen).toHaveLength(1);
    const [row] = await rig.json('history list');
    expect(row).toMatchObject({ state: 'partial', exitCode: 9, reason: `the answer has no ${name}` });
    expect(await rig.json('webhook list')).toMatchObject([{ id: 'sub_1' }]);
    const another = await rig.run(`${CREATE} --allow-duplicate --json`);
    expect([another.exitCode, seen.length]).toEqual([9, 2]);
    expect(errorOf(another).message).not.toContain('--allow-duplicate');
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
