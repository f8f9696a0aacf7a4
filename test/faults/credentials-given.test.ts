// Credentials that are given wrongly, are missing, or are refused. That no secret is shown is checked for every row; a
// service or a proxy that repeats them is in network-*.ts and secrets.test.ts, and addresses are in input-lines.ts.

import { chmodSync } from 'node:fs';
import { expect } from 'vitest';
import type { RigOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, savedIn } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { add, withProfile } from './credentials-rig.ts';
import { type End, type Fault, fault, runFaults } from './fault.ts';

/** `profile add new` with these flags, which saves nothing. */
const refused = (when: string, sees: End[1][], flags: string[], stdin = ''): Fault =>
  fault(when, [2, ...sees], async () => {
    const rig = await bareRig();
    const argv = ['profile', 'add', 'new', '--base-url', 'https://api.example.com', ...flags];
    const ran = await rig.run(argv, { stdin });
    expect(ran.requests).toEqual([]);
    expect(() => savedIn(rig)).toThrow('ENOENT');
    return ran;
  });

/** A read with this environment and no profile; an address of `null` is none. */
const environment = (
  when: string,
  end: End,
  { WAYBILL_BASE_URL, ...env }: Record<string, string | null>,
): Fault =>
  fault(when, end, async () => {
    const rig = await bareRig();
    const address = WAYBILL_BASE_URL === undefined ? { WAYBILL_BASE_URL: rig.address } : {};
    const ran = await rig.run('track gone', { env: { ...address, ...(env as Record<string, string>) } });
    expect(ran.requests.length).toBe(ran.stderr.includes('answered 401') ? 1 : 0);
    return ran;
  });

/** Runs a booking with a profile whose token the service answers as given. */
async function booking(tokens: RigOptions['tokens'], elsewhere?: string) {
  const rig = await bareRig(tokens && { tokens });
  await add(rig, elsewhere ?? rig.address, ['--token-stdin'], { stdin: SECRET });
  return rig.run(['ship', '-f', rig.file('order.json', SHIPMENT)]);
}

const NO_HEADER = '--header accepts NAME=@env:VARIABLE, NAME=@FILE or NAME=@-';
const ALONE = { WAYBILL_BASE_URL: null };

runFaults('credentials that are given', [
  environment(
    'there is no profile and no variable in the environment',
    [3, 'profile add NAME --base-url URL', 'WAYBILL_BASE_URL and WAYBILL_TOKEN', '--profile demo'],
    ALONE,
  ),
  environment(
    'the names of the variables are misspelled',
    [3, 'WAYBILL_API_URL (did you mean WAYBILL_BASE_URL?)', 'WAYBIL_TOKEN (did you mean WAYBILL_TOKEN?)'],
    { ...ALONE, WAYBILL_API_URL: 'https://api.example.com', WAYBIL_TOKEN: SECRET },
  ),
  environment('WAYBILL_TOKEN is blank', [3, 'WAYBILL_TOKEN is not set'], { WAYBILL_TOKEN: ' ' }),
  environment(
    'WAYBILL_TOKEN is set without an address',
    [3, 'WAYBILL_BASE_URL is not', 'is never sent to the address of a profile', 'Set both'],
    { ...ALONE, WAYBILL_TOKEN: SECRET },
  ),
  environment(
    'WAYBILL_TOKEN and WAYBILL_TOKEN_FILE are both set',
    [2, 'WAYBILL_TOKEN and WAYBILL_TOKEN_FILE are both set', 'Unset one of them'],
    { WAYBILL_TOKEN: SECRET, WAYBILL_TOKEN_FILE: 'token.txt' },
  ),
  environment(
    'WAYBILL_TOKEN_FILE is set without an address',
    [3, 'WAYBILL_TOKEN_FILE is set, but WAYBILL_BASE_URL is not', 'never sent to the address of a profile'],
    { ...ALONE, WAYBILL_TOKEN_FILE: 'token.txt' },
  ),
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
  refused(
    'a header has the name of that of the token',
    ['--header gives the header AUTHORIZATION, which carries the token', 'another name'],
    ['--token-stdin', '--header', 'AUTHORIZATION=@env:KEY'],
    SECRET,
  ),
  environment(
    'WAYBILL_TOKEN contains a line break and another header',
    [3, 'the credential for the header authorization contains', 'line break', 'nothing was sent'],
    { WAYBILL_TOKEN: `${SECRET}\r\nX-Admin: yes` },
  ),
  ...['\0', '\x7f', '\u{1F511}', 'ş'].map(sign =>
    environment(
      `WAYBILL_TOKEN contains ${JSON.stringify(sign)}`,
      [3, 'the credential for the header authorization contains', 'nothing was sent'],
      { WAYBILL_TOKEN: `${SECRET}${sign}` },
    ),
  ),
  ...['Bearer', 'bearer'].map(word =>
    environment(
      `WAYBILL_TOKEN begins with ${word}, which is sent before it`,
      [3, 'the token begins with "Bearer ", which is sent before it anyway: give the token alone'],
      { WAYBILL_TOKEN: `${word} ${SECRET}` },
    ),
  ),
  environment(
    'WAYBILL_TOKEN begins with the word of WAYBILL_AUTH_SCHEME',
    [3, 'the token begins with "Token ", which is sent before it anyway'],
    { WAYBILL_TOKEN: `Token ${SECRET}`, WAYBILL_AUTH_SCHEME: 'Token' },
  ),
  environment(
    'WAYBILL_AUTH_HEADER is no valid header name',
    [3, '"x auth" is not the name of a header', 'such as X-Api-Key'],
    { WAYBILL_TOKEN: SECRET, WAYBILL_AUTH_HEADER: 'X Auth' },
  ),
  environment(
    'WAYBILL_PROFILE=demo is set together with a token',
    [3, 'contradicts the address or token', 'unset one of them'],
    { WAYBILL_TOKEN: SECRET, WAYBILL_PROFILE: 'demo' },
  ),
  fault(
    'the named profile does not exist',
    [2, 'there is no profile "liv" (named by --profile)', 'there are live, demo', 'waybill profile list'],
    () => withProfile(['--token-stdin'], 'track gone --profile liv'),
  ),
  fault(
    'the profile has no credentials',
    [3, 'the profile live has no credentials', 'waybill profile set live --token-stdin'],
    () => withProfile([]),
  ),
  refused(
    'stdin has two lines in place of a token',
    ['stdin has more than one line'],
    ['--token-stdin'],
    `${SECRET}\n${SECRET}\n`,
  ),
  ...['', '\n', ' \r\n'].map(stdin =>
    refused(
      `stdin has ${JSON.stringify(stdin)} in place of a token`,
      ['no secret was given: stdin is empty'],
      ['--token-stdin'],
      stdin,
    ),
  ),
  refused(
    'a pasted token has the paste marks of a terminal around it',
    ['the secret on stdin contains characters that are not allowed in a header'],
    ['--token-stdin'],
    `\x1b[200~${SECRET}\x1b[201~\n`,
  ),
  ...[
    `X-Key=${SECRET}`,
    `X-Key: ${SECRET}`,
    SECRET,
    `X Key=@${SECRET}`,
    `=@${SECRET}`,
    'X-Key=@',
    'X-Key=@env:',
  ].map((given, index) =>
    refused(
      `a secret is given on the command line, or nothing names its place: ${index}`,
      [NO_HEADER, 'does not belong on a command line'],
      ['--header', given],
    ),
  ),
  refused(
    'a credential is given as a header that HTTP itself needs',
    ['--header: the header Content-Length cannot carry a credential'],
    ['--header', 'Content-Length=@env:KEY'],
  ),
  refused(
    'one header is given twice',
    ['--header gives the header x-key twice'],
    ['--header', 'X-Key=@env:A', '--header', 'x-key=@env:B'],
  ),
  refused(
    'two headers are both read from stdin',
    ['stdin is named twice'],
    ['--header', 'A=@-', '--header', 'B=@-'],
    SECRET,
  ),
  refused(
    'two tokens are given',
    [
      '--token-stdin and --token-command give 2 tokens, but one is sent',
      '--token-stdin, --token-command, --token-url',
    ],
    ['--token-stdin', '--token-command', 'pass show x'],
    SECRET,
  ),
  fault(
    'the variable of a header is not set',
    [
      3,
      'the credential for the header X-Key: the environment variable SHOP_KEY is not set',
      'nothing was sent',
    ],
    () => withProfile(['--header', 'X-Key=@env:SHOP_KEY']),
  ),
  fault(
    'the file of a header does not exist, and saving the profile warns of it',
    [3, 'the credential for the header X-Key: ENOENT', 'key.txt', 'nothing was sent'],
    async () => {
      const rig = await bareRig();
      const { stderr } = await add(rig, rig.address, ['--header', 'X-Key=@key.txt']);
      expect(stderr).toContain('key.txt does not exist yet');
      return rig.run('track gone');
    },
  ),
  fault(
    'the file of a header is empty',
    [3, /the credential for the header X-Key: the file .*key\.txt is empty; nothing was sent/],
    async () => {
      const rig = await bareRig({ files: { 'key.txt': '\n' } });
      await add(rig, rig.address, ['--header', 'X-Key=@key.txt']);
      return rig.run('track gone');
    },
  ),
  fault(
    'other users can read the file of a secret',
    [0, /warning: the file (.*key\.txt) can be read by other users of this machine: run `chmod 600 \1`/],
    async () => {
      const rig = await bareRig();
      chmodSync(rig.file('key.txt', SECRET), 0o640);
      return add(rig, rig.address, ['--header', 'X-Key=@key.txt']);
    },
  ),
  refused(
    'the file of a secret does not exist yet, with --strict',
    ['key.txt does not exist yet. --strict makes this an error. Nothing was saved'],
    ['--header', 'X-Key=@key.txt', '--strict'],
  ),
  fault(
    'the service does not know the token of a profile',
    [3, '401', 'profile live (a token) is not accepted', 'waybill profile set live --token-stdin', 'whoami'],
    () => withProfile(['--token-stdin'], 'track gone', { stdin: `${SECRET}-old` }),
  ),
  environment(
    'the service does not know the token of the environment: it is asked once',
    [3, '401', 'the credential of WAYBILL_TOKEN is not accepted; set another one'],
    { WAYBILL_TOKEN: `${SECRET}-old` },
  ),
  fault(
    'the token lacks the scope for a booking',
    [3, '401', 'profile live (a token) is not accepted, or lacks the scope shipment:write'],
    () => booking(new Map([[SECRET, new Set(['shipment:label'])]])),
  ),
  fault(
    'the service knows the token but does not allow this',
    [3, '403', 'profile live (a token) is known, but may not do this: ship needs the scope shipment:write'],
    async () => booking(undefined, (await rawServer(socket => socket.write(http(403)))).url.origin),
  ),
]);
