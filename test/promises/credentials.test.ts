import { describe, expect, test } from 'vitest';
import type { RigOptions } from '../rig/command.ts';
import { gated } from '../rig/gate.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, savedIn } from '../rig/profile.ts';
import { http, script } from '../rig/sockets.ts';
import { each, promises } from './promise.ts';
import { arrivedWith, arrivedWithout, liveRig, ORDER, servedRig } from './rigs.ts';

const READ = 'track gone';
const ADD = 'profile add live --base-url https://api.example.com';
// In two parts, so that no argument of a program has it.
const PRINTS = ['--token-command', `printf %s%s ${SECRET.slice(0, 9)} ${SECRET.slice(9)}`];
const KEY = { SHOP_KEY: SECRET };
const FILE: RigOptions = { files: { 'key.txt': `${SECRET}\n` } };

const BEARER = arrivedWith({ authorization: `Bearer ${SECRET}` });

promises('What is sent of a credential', [
  ...each({ run: READ, exit: 4 }, [
    { says: 'a token from stdin, as Authorization: Bearer', rig: liveRig(), also: BEARER },
    {
      says: 'the token in the header that the profile names',
      rig: liveRig('--token-stdin --auth-header X-Api-Key'),
      also: ran => {
        arrivedWith({ 'x-api-key': `Bearer ${SECRET}` })(ran);
        arrivedWithout(['authorization'])(ran);
      },
    },
    {
      says: 'the word of the profile before the token',
      rig: liveRig('--token-stdin --auth-scheme Token'),
      also: arrivedWith({ authorization: `Token ${SECRET}` }),
    },
    ...[
      { rig: liveRig(['--token-stdin', '--auth-scheme', '']) },
      { rig: liveRig('--token-stdin --auth-scheme none') },
      { env: { WAYBILL_AUTH_SCHEME: 'none' } },
    ].map(how => ({ says: 'the bare token', ...how, also: arrivedWith({ authorization: SECRET }) })),
    { says: 'the token that a program prints', rig: liveRig(PRINTS), also: BEARER },
    {
      says: 'the token that a program prints, in the header and with the word of the profile',
      rig: liveRig([...PRINTS, '--auth-header', 'X-Api-Key', '--auth-scheme', 'Key']),
      also: arrivedWith({ 'x-api-key': `Key ${SECRET}` }),
    },
    {
      says: 'a header from a variable',
      rig: liveRig('--header X-Key=@env:SHOP_KEY', { env: KEY }),
      also: arrivedWith({ 'x-key': SECRET }),
    },
    {
      says: 'a header from a file, which is read for each command',
      rig: liveRig('--header X-Key=@key.txt', { files: { 'key.txt': 'an-earlier-key\n' } }),
      after: [{ write: { 'key.txt': `${SECRET}\n` } }],
      also: arrivedWith({ 'x-key': SECRET }),
    },
    {
      says: 'a header from stdin, and only what the profile says',
      rig: liveRig('--header X-Key=@-'),
      also: ran => {
        arrivedWith({ 'x-key': SECRET })(ran);
        arrivedWithout(['authorization'])(ran);
      },
    },
    {
      says: 'several headers',
      rig: liveRig('--header X-Id=@env:SHOP_ID --header X-Key=@-', { env: { SHOP_ID: 'shop-7' } }),
      also: arrivedWith({ 'x-id': 'shop-7', 'x-key': SECRET }),
    },
  ]),
  { says: 'a booking gets the same', rig: liveRig(), run: 'ship order.json --key A-1', also: BEARER },
  {
    says: 'the sandbox gets the same',
    rig: liveRig(),
    run: `${READ} --sandbox`,
    exit: 4,
    sent: ['GET /sandbox/v1/shipments/gone'],
    also: BEARER,
  },
]);

promises('Beside a profile that has none', [
  {
    says: 'a variable with a token is not used, and named',
    rig: liveRig(''),
    env: { WAYBILL_TOKEN_FILE: 'gone.txt' },
    run: `${READ} --profile live`,
    exit: 3,
    stderr: /the profile live has no credentials.* --profile does not use WAYBILL_TOKEN_FILE/,
    sent: [],
  },
]);

promises('Without a profile', [
  {
    says: 'WAYBILL_SANDBOX_BASE_URL is the address of the sandbox',
    run: `${READ} --sandbox`,
    exit: 4,
    sent: ['GET /sandbox/v1/shipments/gone'],
  },
  {
    says: 'a file of the token that is not there is told before anything is sent',
    env: { WAYBILL_TOKEN: '', WAYBILL_TOKEN_FILE: 'gone.txt' },
    run: READ,
    exit: 3,
    stderr: 'WAYBILL_TOKEN_FILE',
    sent: [],
  },
  ...each({ run: READ, exit: 4, sent: ['GET /v1/shipments/gone'] }, [
    { says: 'WAYBILL_BASE_URL and WAYBILL_TOKEN are enough', also: BEARER },
    {
      says: 'WAYBILL_TOKEN_FILE names the file of the token',
      rig: FILE,
      env: { WAYBILL_TOKEN: '', WAYBILL_TOKEN_FILE: 'key.txt' },
      also: BEARER,
    },
    {
      says: 'WAYBILL_AUTH_HEADER names the header',
      env: { WAYBILL_AUTH_HEADER: 'X-Api-Key' },
      also: arrivedWith({ 'x-api-key': `Bearer ${SECRET}` }),
    },
    {
      says: 'WAYBILL_AUTH_SCHEME is the word before the token',
      env: { WAYBILL_AUTH_SCHEME: 'Key' },
      also: arrivedWith({ authorization: `Key ${SECRET}` }),
    },
    {
      says: 'an empty variable is none',
      rig: liveRig(),
      env: { WAYBILL_BASE_URL: '', WAYBILL_TOKEN: '' },
      also: BEARER,
    },
  ]),
  {
    says: 'header and word of the token go together, and the word may be in capitals',
    env: { WAYBILL_AUTH_HEADER: 'X-Api-Key', WAYBILL_AUTH_SCHEME: 'NONE' },
    run: READ,
    exit: 4,
    also: arrivedWith({ 'x-api-key': SECRET }),
  },
]);

promises('A credential that cannot be had', [
  ...each({ says: 'is exit 3 before anything is sent', exit: 3, sent: [] }, [
    { run: READ, rig: liveRig('--header X-Key=@env:SHOP_KEY'), stderr: 'SHOP_KEY' },
    { run: READ, rig: liveRig('--header X-Key=@gone.txt'), stderr: 'gone.txt' },
    { run: READ, rig: liveRig('--token-command false'), stderr: 'exit code 1' },
    { run: READ, rig: liveRig('--token-command no-such-program'), stderr: 'no-such-program' },
    { run: 'ship order.json --key A-1', rig: liveRig('--token-command false'), stderr: 'nothing was sent' },
  ]),
  {
    says: 'the next command is about the profile that was used',
    rig: liveRig('--token-stdin', { tokens: new Map([['another-token', 'all']]) }),
    run: `${READ} --profile live --json`,
    exit: 3,
    error: {
      message: expect.stringContaining('`waybill profile set live --token-stdin` sets another one'),
      next: [['waybill', 'profile', 'whoami', '--profile', 'live']],
    },
  },
]);

promises('No secret is taken from the command line', [
  ...each({ exit: 2, lacks: 'hunter-2222' }, [
    ...each(
      { says: 'and nothing is saved', rig: () => bareRig(FILE), files: { 'config/config.json': null } },
      [
        `${ADD} --token hunter-2222`,
        `${ADD} --token-stdin hunter-2222`,
        `${ADD} --header X-Key=hunter-2222`,
        `${ADD} --token-url /token --client-header X-Key=hunter-2222`,
        'profile add live --base-url https://me:hunter-2222@api.example.com',
        'profile add live --base-url https://api.example.com/?key=hunter-2222',
      ],
    ),
    ...each({ says: 'and nothing is changed', rig: liveRig() }, [
      'profile set live credentials=hunter-2222',
      'profile set live journal=postgres://me:hunter-2222@db.example.com/w',
      'profile set live baseUrl=https://me:hunter-2222@api.example.com',
    ]),
  ]),
]);

promises('A secret is never printed', [
  ...each({ says: 'but masked', rig: liveRig(), lacks: SECRET }, [
    { run: 'profile show live', stdout: '••••' },
    { run: 'profile show live --json', stdout: '••••' },
    { run: `${READ} --verbose`, exit: 4, stderr: 'GET ' },
    { run: `${READ} --json --verbose`, exit: 4 },
    'ship order.json --key A-1 --dry-run --json',
    'history list --json',
  ]),
  {
    says: 'also of a header from stdin',
    rig: liveRig('--header X-Key=@-'),
    run: 'profile show live --json',
    json: { credentials: { headers: { 'X-Key': '••••' } } },
    lacks: SECRET,
  },
  {
    says: 'a header from a variable is shown by the name of the variable',
    rig: liveRig('--header X-Key=@env:SHOP_KEY', { env: KEY }),
    run: 'profile show live --json',
    json: { credentials: { headers: { 'X-Key': '@env:SHOP_KEY' } } },
    lacks: SECRET,
  },
  {
    says: 'nor one that the service repeats',
    rig: servedRig(() => script(http(400, `{"message":"no such token: ${SECRET}"}`))),
    run: READ,
    exit: 5,
    stderr: 'no such token: ••••',
    lacks: SECRET,
  },
]);

describe('A token that is fetched', () => {
  test('is asked for by POST with the headers of the client, and is sent as any other token', async () => {
    const rig = await servedRig(
      () => (socket, request) =>
        socket.write(
          request.startsWith('POST') ? http(200, `{"access_token":"${SECRET}"}`) : http(404, '{}'),
        ),
      {
        flags: '--token-url /token --client-header X-Id=@env:SHOP_ID',
        env: { SHOP_ID: 'shop-7' },
      },
    )();
    const ran = await rig.run(READ);
    expect(ran.requests[0]).toMatchObject({ method: 'POST', path: '/token' });
    arrivedWith({ 'x-id': 'shop-7' }, 0)(ran);
    arrivedWith({ authorization: `Bearer ${SECRET}` }, 1)(ran);
    arrivedWithout(['x-id'], 1)(ran);
  });

  test('is used again by the next command', async () => {
    const { rig, service } = await gated();
    for (let times = 0; times < 3; times += 1) await rig.run(READ);
    expect([service.fetches.length, service.calls.length]).toEqual([1, 3]);
  });

  test('is fetched again once after a 401, and the call goes on', async () => {
    const { rig, service } = await gated();
    await rig.run(READ);
    service.revoke();
    expect((await rig.run(READ)).exitCode).toBe(4);
    expect(service.calls.map(call => call.split(' ').at(-1))).toEqual(['token-0', 'token-0', 'token-1']);
  });

  test('is not fetched a third time if the new one is not accepted either', async () => {
    const { rig, service } = await gated({ takes: false });
    expect((await rig.run(READ)).exitCode).toBe(3);
    expect([service.fetches.length, service.calls.length]).toEqual([2, 2]);
  });

  test('books once, also where the first one was not accepted', async () => {
    const { rig, service } = await gated();
    rig.file('order.json', ORDER.files['order.json']);
    await rig.run(READ);
    service.revoke();
    expect((await rig.run('ship order.json --key A-1')).exitCode).toBe(0);
    expect(service.calls.filter(call => call.startsWith('POST'))).toHaveLength(2);
    expect(await rig.json('history list')).toMatchObject([{ key: 'A-1', state: 'created' }]);
  });

  test('is no longer kept when the credential of the profile changes', async () => {
    const { rig } = await gated();
    await rig.run(READ);
    expect(JSON.stringify(savedIn(rig))).toContain(SECRET);
    await rig.run(['profile', 'set', 'live', '--token-command', 'pass show shop']);
    expect(JSON.stringify(savedIn(rig))).not.toContain(SECRET);
  });
});
