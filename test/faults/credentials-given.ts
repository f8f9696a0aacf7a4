// Credentials that are given wrongly, are missing, or are refused.
import { chmodSync } from 'node:fs';
import { expect } from 'vitest';
import { bareRig, savedIn } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { add, withProfile } from './credentials-rig.ts';
import { type Fault, SECRET } from './fault.ts';

const BASE = ['--base-url', 'https://api.example.com'];

/** `profile add new` with these flags, which saves nothing. */
async function refusedAdd(flags: string[], stdin = '') {
  const rig = await bareRig();
  const ran = await rig.run(['profile', 'add', 'new', ...flags], { stdin });
  expect(ran.requests).toEqual([]);
  expect(() => savedIn(rig)).toThrow('ENOENT');
  return ran;
}

/** A read with this environment and no profile. */
async function withEnvironment(env: Record<string, string>, argv = 'track gone') {
  const rig = await bareRig();
  const ran = await rig.run(argv, { env: { WAYBILL_BASE_URL: rig.address, ...env } });
  return ran;
}

export const GIVEN: readonly Fault[] = [
  {
    when: 'there is no profile and no variable in the environment',
    sees: ['profile add NAME --base-url URL', 'WAYBILL_BASE_URL and WAYBILL_TOKEN', '--profile demo'],
    exit: 3,
    happen: async () => (await bareRig()).run('track gone'),
  },
  {
    when: 'the names of the variables are misspelled',
    sees: ['WAYBILL_API_URL (did you mean WAYBILL_BASE_URL?)', 'WAYBIL_TOKEN (did you mean WAYBILL_TOKEN?)'],
    exit: 3,
    happen: async () =>
      (await bareRig()).run('track gone', {
        env: { WAYBILL_API_URL: 'https://api.example.com', WAYBIL_TOKEN: SECRET },
      }),
  },
  {
    when: 'WAYBILL_TOKEN is blank',
    sees: ['WAYBILL_TOKEN is not set'],
    exit: 3,
    happen: () => withEnvironment({ WAYBILL_TOKEN: ' ' }),
  },
  {
    when: 'WAYBILL_TOKEN is set without an address',
    sees: ['WAYBILL_BASE_URL is not', 'is never sent to the address of a profile', 'Set both'],
    exit: 3,
    happen: async () => (await bareRig()).run('track gone', { env: { WAYBILL_TOKEN: SECRET } }),
  },
  {
    when: 'WAYBILL_TOKEN and WAYBILL_TOKEN_FILE are both set',
    sees: ['WAYBILL_TOKEN and WAYBILL_TOKEN_FILE are both set', 'Unset one of them'],
    exit: 2,
    happen: () => withEnvironment({ WAYBILL_TOKEN: SECRET, WAYBILL_TOKEN_FILE: 'token.txt' }),
  },
  {
    when: 'WAYBILL_TOKEN_FILE is set without an address',
    sees: [
      'WAYBILL_TOKEN_FILE is set, but WAYBILL_BASE_URL is not',
      'never sent to the address of a profile',
    ],
    exit: 3,
    happen: async () => (await bareRig()).run('track gone', { env: { WAYBILL_TOKEN_FILE: 'token.txt' } }),
  },
  ...(
    [
      ['does not exist', undefined, 'there is no such file'],
      ['is empty', ' \n', 'it is empty'],
      ['has two lines', `${SECRET}\n${SECRET}\n`, 'its text contains characters that are not allowed'],
      ['is a key in PEM', '-----BEGIN PRIVATE KEY-----\nx\n', 'its text contains characters'],
    ] as const
  ).map(
    ([when, text, why]): Fault => ({
      when: `the file of WAYBILL_TOKEN_FILE ${when}`,
      sees: [
        /WAYBILL_TOKEN_FILE names \/\S+\/token\.txt, but /,
        why,
        'nothing was sent. Write the token into it, or set WAYBILL_TOKEN',
      ],
      exit: 3,
      async happen() {
        const rig = await bareRig();
        if (text !== undefined) rig.file('token.txt', text);
        const env = { WAYBILL_BASE_URL: rig.address, WAYBILL_TOKEN_FILE: 'token.txt' };
        const ran = await rig.run('track gone', { env });
        expect(ran.requests).toEqual([]);
        const { trouble } = JSON.parse((await rig.run('profile whoami --json', { env })).stdout);
        expect(trouble).toContain(why);
        return ran;
      },
    }),
  ),
  {
    when: 'a header has the name of that of the token',
    sees: ['--header gives the header AUTHORIZATION, which carries the token', 'another name'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--token-stdin', '--header', 'AUTHORIZATION=@env:KEY'], SECRET),
  },
  {
    when: 'WAYBILL_TOKEN contains a line break and another header',
    sees: ['the credential for the header authorization contains', 'line break', 'nothing was sent'],
    exit: 3,
    async happen() {
      const ran = await withEnvironment({ WAYBILL_TOKEN: `${SECRET}\r\nX-Admin: yes` });
      expect(ran.requests).toEqual([]);
      return ran;
    },
  },
  {
    when: 'WAYBILL_AUTH_HEADER is no valid header name',
    sees: ['"x auth" is not the name of a header', 'such as X-Api-Key'],
    exit: 3,
    happen: () => withEnvironment({ WAYBILL_TOKEN: SECRET, WAYBILL_AUTH_HEADER: 'X Auth' }),
  },
  {
    when: 'WAYBILL_PROFILE=demo is set together with a token',
    sees: ['contradicts the address or token', 'unset one of them'],
    exit: 3,
    happen: () => withEnvironment({ WAYBILL_TOKEN: SECRET, WAYBILL_PROFILE: 'demo' }),
  },
  {
    when: 'WAYBILL_BASE_URL contains a password',
    sees: ['WAYBILL_BASE_URL: the address must not contain a user name or password'],
    exit: 2,
    happen: () => withEnvironment({ WAYBILL_BASE_URL: `https://me:${SECRET}@api.example.com` }),
  },
  {
    when: 'the named profile does not exist',
    sees: ['there is no profile "liv" (named by --profile)', 'there are live, demo', 'waybill profile list'],
    exit: 2,
    happen: () => withProfile(['--token-stdin'], 'track gone --profile liv'),
  },
  {
    when: 'WAYBILL_PROFILE names a profile that does not exist',
    sees: ['there is no profile "nobody" (named by WAYBILL_PROFILE)'],
    exit: 2,
    happen: async () => (await bareRig()).run('track gone', { env: { WAYBILL_PROFILE: 'nobody' } }),
  },
  {
    when: 'the profile has no credentials',
    sees: ['the profile live has no credentials', 'waybill profile set live --token-stdin'],
    exit: 3,
    happen: () => withProfile([]),
  },
  {
    when: 'stdin has two lines in place of a token',
    sees: ['stdin has more than one line'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--token-stdin'], `${SECRET}\n${SECRET}\n`),
  },
  {
    when: 'stdin has no token',
    sees: ['no secret was given: stdin is empty'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--token-stdin'], ' \n'),
  },
  {
    when: 'a pasted token has the paste marks of a terminal around it',
    sees: ['the secret on stdin contains characters that are not allowed in a header'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--token-stdin'], `\x1b[200~${SECRET}\x1b[201~\n`),
  },
  {
    when: 'a secret is given on the command line',
    sees: ['--header accepts NAME=@env:VARIABLE, NAME=@FILE or NAME=@-', 'does not belong on a command line'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--header', `X-Key=${SECRET}`]),
  },
  {
    when: 'the name of a header has a space',
    sees: ['--header accepts NAME=@env:VARIABLE'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--header', 'X Key=@env:KEY']),
  },
  {
    when: 'a credential is given as a header that HTTP itself needs',
    sees: ['--header: the header Content-Length cannot carry a credential'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--header', 'Content-Length=@env:KEY']),
  },
  {
    when: 'one header is given twice',
    sees: ['--header gives the header x-key twice'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--header', 'X-Key=@env:A', '--header', 'x-key=@env:B']),
  },
  {
    when: 'two headers are both read from stdin',
    sees: ['stdin is named twice'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--header', 'A=@-', '--header', 'B=@-'], SECRET),
  },
  {
    when: 'the profile and its token are both read from stdin',
    sees: ['stdin is named twice'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '-f', '-', '--token-stdin'], '{}'),
  },
  {
    when: 'two tokens are given',
    sees: [
      '--token-stdin and --token-command give 2 tokens, but one is sent',
      '--token-stdin, --token-command, --token-url',
    ],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--token-stdin', '--token-command', 'pass show x'], SECRET),
  },
  {
    when: 'the address of a new profile contains a password',
    sees: ['the address must not contain a user name or password'],
    exit: 2,
    happen: () => refusedAdd(['--base-url', `https://me:${SECRET}@api.example.com`]),
  },
  {
    when: 'the variable of a header is not set',
    sees: [
      'the credential for the header X-Key: the environment variable SHOP_KEY is not set',
      'nothing was sent',
    ],
    exit: 3,
    happen: () => withProfile(['--header', 'X-Key=@env:SHOP_KEY']),
  },
  {
    when: 'the file of a header does not exist, and saving the profile warns of it',
    sees: ['the credential for the header X-Key: ENOENT', 'key.txt', 'nothing was sent'],
    exit: 3,
    async happen() {
      const rig = await bareRig();
      const { stderr } = await add(rig, rig.address, ['--header', 'X-Key=@key.txt']);
      expect(stderr).toContain('key.txt does not exist yet');
      return rig.run('track gone');
    },
  },
  {
    when: 'the file of a header is empty',
    sees: [/the credential for the header X-Key: the file .*key\.txt is empty; nothing was sent/],
    exit: 3,
    async happen() {
      const rig = await bareRig();
      rig.file('key.txt', '\n');
      await add(rig, rig.address, ['--header', 'X-Key=@key.txt']);
      return rig.run('track gone');
    },
  },
  {
    when: 'other users can read the file of a secret',
    sees: [/warning: the file (.*key\.txt) can be read by other users of this machine: run `chmod 600 \1`/],
    exit: 0,
    async happen() {
      const rig = await bareRig();
      chmodSync(rig.file('key.txt', SECRET), 0o640);
      return add(rig, rig.address, ['--header', 'X-Key=@key.txt']);
    },
  },
  {
    when: 'the file of a secret does not exist yet, with --strict',
    sees: ['key.txt does not exist yet. --strict makes this an error. Nothing was saved'],
    exit: 2,
    happen: () => refusedAdd([...BASE, '--header', 'X-Key=@key.txt', '--strict']),
  },
  {
    when: 'the service does not know the token of a profile',
    sees: [
      '401',
      'profile live (a token) is not accepted',
      'waybill profile set live --token-stdin',
      'whoami',
    ],
    exit: 3,
    happen: () => withProfile(['--token-stdin'], 'track gone', { stdin: `${SECRET}-old` }),
  },
  {
    when: 'the service does not know the token of the environment',
    sees: ['401', 'the credential of WAYBILL_TOKEN is not accepted; set another one'],
    exit: 3,
    happen: () => withEnvironment({ WAYBILL_TOKEN: `${SECRET}-old` }),
  },
  {
    when: 'the token lacks the scope for a booking',
    sees: ['401', 'profile live (a token) is not accepted, or lacks the scope shipment:write'],
    exit: 3,
    async happen() {
      const rig = await bareRig({ tokens: new Map([[SECRET, new Set(['shipment:label'])]]) });
      await add(rig, rig.address, ['--token-stdin'], { stdin: SECRET });
      return rig.run(['ship', '-f', rig.file('order.json', SHIPMENT)]);
    },
  },
  {
    when: 'the service knows the token but does not allow this',
    sees: [
      '403',
      'profile live (a token) is known, but may not do this: ship needs the scope shipment:write',
    ],
    exit: 3,
    async happen() {
      const { url } = await rawServer(socket => socket.write(http(403)));
      const rig = await bareRig();
      await add(rig, url.origin, ['--token-stdin'], { stdin: SECRET });
      return rig.run(['ship', '-f', rig.file('order.json', SHIPMENT)]);
    },
  },
  {
    when: 'the service repeats the credential in its refusal',
    sees: ['401', 'the key •••• is not known'],
    exit: 3,
    async happen() {
      const { url } = await rawServer(socket =>
        socket.write(http(401, JSON.stringify({ message: `the key ${SECRET} is not known`, given: SECRET }))),
      );
      const rig = await bareRig();
      await add(rig, url.origin, ['--header', 'X-Key=@-'], { stdin: SECRET });
      return rig.run('track gone --verbose --json');
    },
  },
  {
    when: 'the proxy has a password and cannot be reached',
    sees: ['no answer from https://api.example.com'],
    exit: 7,
    happen: () =>
      withEnvironment(
        {
          WAYBILL_BASE_URL: 'https://api.example.com',
          WAYBILL_TOKEN: SECRET,
          HTTPS_PROXY: `http://me:${SECRET}@127.0.0.1:1`,
        },
        'track gone --retries 0 --verbose',
      ),
  },
  {
    when: 'the proxy has a password and is no valid address',
    sees: ['HTTPS_PROXY is not the address of a proxy'],
    exit: 7,
    happen: () =>
      withEnvironment(
        {
          WAYBILL_BASE_URL: 'https://api.example.com',
          WAYBILL_TOKEN: SECRET,
          HTTPS_PROXY: `http://me:${SECRET}@:port`,
        },
        'track gone --retries 0 --verbose',
      ),
  },
];
