// Faults of an id, a key, a header or the name of a profile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Ran } from '../rig/command.ts';
import { bodyOf, sent } from '../rig/service.ts';
import { type End, type Fault, QUOTE, row, runFaults, type Scene } from './fault.ts';

const LONG = 'x'.repeat(10_000);

// Ids that a server or a proxy may read as another path.
const IDS = [
  'a/b',
  '%2f',
  '%2e%2e',
  'a?b=c',
  'a#b',
  'a\\b',
  '..;/x',
  '//evil.example/x',
  'https://evil.example',
  '@evil',
  '/../../admin',
  '...',
  ';a=b',
  'domestic/é',
];
const LINES = ['a\nb', 'a\r\nHost: evil', 'a\0b', '\x1b[31mx', '\u202ex', LONG];

const at = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;

const ID_FAULTS: readonly Fault[] = [
  ...[...IDS, ...LINES].flatMap(id => {
    const name = JSON.stringify(id.slice(0, 30));
    return [
      row(`track ${name}`, ['track', id], [4, 'answered 404', 'shipment not found'], {
        after: ran => expect(sent(ran)).toEqual([`GET ${at('/v1/shipments', id)}`]),
      }),
      row(
        `label --international ${name}`,
        ['label', '--international', id, '--json'],
        [5, 'nothing was created'],
        {
          after(ran) {
            expect(sent(ran)).toEqual(['POST /v2/carriers/create']);
            expect(bodyOf(ran)).toMatchObject({ international: id });
          },
        },
      ),
    ].filter((_, index) => index === 0 || id !== LONG);
  }),
  ...['..', '.', '', '\ud800'].flatMap(id => [
    row(`track ${JSON.stringify(id)}`, ['track', id], [2, 'is not an id; nothing was sent']),
    row(`webhook get ${JSON.stringify(id)}`, ['webhook', 'get', id], [2, 'is not an id; nothing was sent']),
  ]),
  row('track a good id and ".."', ['track', 'S-1', '..'], [2, '".." is not an id; nothing was sent']),
  ...['', ' '].map(id =>
    row(
      `label of the id ${JSON.stringify(id)}`,
      ['label', '--international', id],
      [2, 'international  must not be empty'],
    ),
  ),
  row('track an id that looks like an option', ['track', '--', '--json'], [4], {
    after: ran => expect(sent(ran)).toEqual(['GET /v1/shipments/--json']),
  }),
];

const HOOK = [
  'webhook',
  'create',
  '--url',
  'https://shop.example/h',
  '--event',
  'shipment.status.updated',
  '--dry-run',
];
const header = (when: string, written: string, end: End, scene?: Scene): Fault =>
  row(`--header with ${when}`, [...HOOK, '--header', written], end, scene);
const NO_NAME = 'is not a header name that begins with X-';

const HEADERS: readonly Fault[] = [
  header('a second header behind CR LF', 'X-A: b\r\nEvil: 1', [
    2,
    'headers.X-A  must not hold line breaks or NUL',
    'b\\r\\nEvil',
  ]),
  header('a line feed in its value', 'X-A: b\nc', [2, 'headers.X-A  must not hold line breaks or NUL']),
  header('a NUL in its value', 'X-A: b\0c', [
    2,
    'headers.X-A  must not hold line breaks or NUL',
    '"b\\u0000c"',
  ]),
  header('CR LF in its name', 'X-A\r\nB: c', [2, NO_NAME]),
  header('a blank in its name', 'X-Bad Name: v', [2, `headers.X-Bad Name  ${NO_NAME}`]),
  header('brackets in its name', 'X-A(b): v', [2, NO_NAME]),
  header('an umlaut in its name', 'X-Ü: v', [2, NO_NAME]),
  header('nothing behind the X-', 'X-: v', [2, NO_NAME]),
  header('a name that is not ours to set', 'Authorization: x', [2, NO_NAME]),
  header('no colon', 'X-A', [2, "is not of the form 'X-Name: value'"]),
  header('no name', ': v', [2, "is not of the form 'X-Name: value'"]),
  header('10,000 letters and no colon', LONG, [2, "is not of the form 'X-Name: value'"]),
];

const isKept = (ran: Ran) => expect(ran.stdout).toMatch(/^\S+\n$/);

const KEYS: readonly Fault[] = [
  ...['\u202eabc', '🙂', '../../a', '__proto__', 'k'.repeat(1000)].map(key =>
    row(
      `--key ${JSON.stringify(key.slice(0, 30))} books once, and is shown without control characters`,
      ['ship', '-f', 'order.json', '-q', `--key=${key}`],
      [0],
      {
        async after(ran, rig) {
          isKept(ran);
          const again = await rig.run(['ship', '-f', 'order.json', `--key=${key}`, '-q']);
          expect(again).toMatchObject({ exitCode: 0, stdout: ran.stdout, requests: [] });
          const [listed] = JSON.parse((await rig.run('history list --json')).stdout);
          expect(listed.key).toBe(key);
          for (const format of ['table', 'csv', 'text'])
            expect((await rig.run(`history list -o ${format}`)).stdout.replaceAll('\r\n', '\n')).not.toMatch(
              /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/,
            );
        },
      },
    ),
  ),
  ...['a\x1b[31mb', 'a\nb', 'a\0b'].map(key =>
    row(
      `--key ${JSON.stringify(key)}, which has control characters`,
      ['ship', '-f', 'order.json', `--key=${key}`],
      [2, '--key', 'holds a line break or another control character'],
    ),
  ),
  ...['', ' '].map(key =>
    row(
      `--key ${JSON.stringify(key)}`,
      ['ship', '-f', 'order.json', '--key', key],
      [2, '--key is empty', 'such as an order number'],
    ),
  ),
  row(
    'a key with a path names no file in another folder',
    ['ship', '-f', 'order.json', '--key', '../../out', '--label', '--download', 'labels', '-q'],
    [0],
    {
      after(ran, rig) {
        for (const path of ran.stdout.split('\n').filter(line => line.endsWith('.pdf')))
          expect(join(rig.folder, path).startsWith(join(rig.folder, 'labels'))).toBe(true);
      },
    },
  ),
];

const NO_PROFILE = 'is not a name for a profile: a name has up to 64 letters, digits and . _ - @';
const add = (name: string) => ['profile', 'add', '--base-url', 'https://api.example', '--', name];

const PROFILES: readonly Fault[] = [
  ...[
    'a/b',
    '-x',
    '../../x',
    '',
    ' ',
    'a b',
    'a\nb',
    'a\0b',
    '\x1b[31m',
    '🙂',
    'ÿ',
    '__proto__',
    'p'.repeat(300),
  ].flatMap(name => [
    row(`profile add ${JSON.stringify(name.slice(0, 30))}`, add(name), [2, NO_PROFILE]),
    row(
      `--profile ${JSON.stringify(name.slice(0, 30))}`,
      [...QUOTE, '--profile', name],
      [2, 'there is no profile', '`waybill profile list`'],
    ),
  ]),
  ...['a.b', '..', 'constructor', 'toString', 'hasOwnProperty'].map(name =>
    row(`profile add ${name}, a name like any other`, add(name), [0, `profile ${name} saved`], {
      async after(_, rig) {
        const saved = JSON.parse(readFileSync(join(rig.folder, 'config', 'config.json'), 'utf8'));
        expect(Object.keys(saved.profiles)).toEqual([name]);
        expect((await rig.run(['profile', 'show', name])).stdout).toContain('https://api.example');
        expect((await rig.run(['profile', 'remove', name, '--yes'])).exitCode).toBe(0);
      },
    }),
  ),
  ...['toString', 'constructor', '__proto__'].map(name =>
    row(
      `--profile ${name}, which is not saved`,
      [...QUOTE, '--profile', name],
      [2, `there is no profile "${name}"`],
    ),
  ),
  row('--receiver @__proto__', 'ship -f order.json --receiver @__proto__', [2, 'has no party "__proto__"']),
  row('the demo as the name of a profile', add('demo'), [2, 'the profile demo exists already']),
];

runFaults('a name', [...ID_FAULTS, ...HEADERS, ...KEYS, ...PROFILES]);
