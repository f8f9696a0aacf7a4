// What stands behind the link of a label, files in the way of its own, and names that a file must not get. Each link that is not
// followed is in test/service/network.test.ts; a file of other bytes and one of the same are in save.test.ts.
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { cannedService, SHIPMENT } from '../rig/service.ts';
import { http, type Raw, type Reply, rawServer, script } from '../rig/sockets.ts';

const PDF = `%PDF-1.7\n${'label '.repeat(100)}\n%%EOF\n`;
const DOWNLOAD = 'label --international S-1 --download labels';

interface Desk {
  rig: Rig;
  /** The server of the label. */
  server: Raw;
  labels: string;
}

/** A service whose label is at a server that answers so, and an empty folder for it. */
async function desk(reply: Reply = script(http(200, PDF)), shipment = 'S-1'): Promise<Desk> {
  const server = await rawServer(reply);
  const label = { success: true, trackingNumber: 'T-1', label: new URL('/l.pdf', server.url).href };
  const { env } = await cannedService({
    '/v1/shipments': { status: 201, body: { id: shipment } },
    '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
  });
  const rig = await createRig({ env, files: { 'order.json': SHIPMENT } });
  const labels = join(rig.folder, 'labels');
  mkdirSync(labels);
  return { rig, server, labels };
}

/** It exists, must not be made again, and can be had later. */
const NOT_SAVED = [
  /was made, but not saved/,
  /Do not make it again/,
  /saves this one|ask the service for its file/,
];

const endless: Reply = socket => socket.write(http(200, PDF, { 'content-length': '999999' }));
const large: Reply = socket => {
  socket.write('HTTP/1.1 200 Word\r\ncontent-length: 22000000\r\n\r\n%PDF-1.7\n');
  socket.write(Buffer.alloc(22_000_000));
};

test.each<[does: string, reply: Reply, times: number, why: RegExp]>([
  ['fails', script(http(503)), 4, /answered with 503/],
  ['ends in the middle', socket => socket.end(http(200, PDF).slice(0, 200)), 4, /closed|reset/],
  ['does not answer until the deadline', () => {}, 1, /no complete answer within 30 s/],
  ['does not end until the deadline', endless, 1, /no complete answer within 30 s/],
  ['gives more than 20 MiB', large, 1, /larger than 20971520 bytes/],
])(
  'a label whose server %s is shown and not saved, and is not made again',
  async (does, reply, times, why) => {
    const { rig, server, labels } = await desk(reply);
    const late = does.includes('deadline') && { patience: server.received(1) };
    const ran = await rig.run(`${DOWNLOAD}${times === 1 ? ' --retries 0' : ''}`, { ...late });
    expect({ exit: ran.exitCode, stdout: ran.stdout }).toEqual({
      exit: 9,
      stdout: expect.stringContaining('T-1'),
    });
    for (const words of [...NOT_SAVED, why]) expect(ran.stderr).toMatch(words);
    expect([server.requests.length, readdirSync(labels)]).toEqual([times, []]);
    for (const request of server.requests) expect(request).not.toMatch(/authorization|demo|cookie/i);
  },
);

test('who presses Ctrl-C while a label is waited for has it shown, and no part of its file', async () => {
  const { rig, labels } = await desk(script(http(503)));
  const ran = await rig.run(DOWNLOAD, { onWait: ({ interrupt }) => interrupt('SIGINT') });
  expect([ran.exitCode, ran.stdout]).toEqual([130, expect.stringContaining('T-1')]);
  for (const words of NOT_SAVED) expect(ran.stderr).toMatch(words);
  expect(readdirSync(labels)).toEqual([]);
});

/** What is at a path: the target of a link, the text of a file, or something else. */
function at(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  return stat.isFile() ? readFileSync(path, 'latin1') : 'no file';
}

test.each<[what: string, put: (path: string) => void]>([
  ['a pipe that nobody writes to', path => void execFileSync('mkfifo', [path])],
  ['a link to nothing', path => symlinkSync('../out.pdf', path)],
  [
    'a link to the same label',
    path => {
      writeFileSync(join(dirname(path), '../kept.pdf'), PDF);
      symlinkSync('../kept.pdf', path);
    },
  ],
])('where %s has the name of a label, the label gets a number', async (_, put) => {
  const { rig, labels } = await desk();
  const [named, numbered] = ['S-1.pdf', 'S-1-2.pdf'].map(name => join(labels, name)) as [string, string];
  put(named);
  const before = at(named);
  expect((await rig.run(DOWNLOAD)).exitCode).toBe(0);
  expect([at(named), at(numbered)]).toEqual([before, PDF]);
});

test.each([
  ['id', '..', '_.pdf'],
  ['id', '../../../evil', '__.._.._evil.pdf'],
  ['id', '..\\..\\evil', '__.._evil.pdf'],
  ['id', 'x'.repeat(200), `${'x'.repeat(100)}.pdf`],
  ['id', 'S\u202efdp.exe', 'S_fdp.exe.pdf'],
  ['id', '-rf', '-rf.pdf'],
  ['key', '2026/03/17', '2026_03_17.pdf'],
  ['key', 'заказ-7', '_____-7.pdf'],
])('a label with the %s %j is saved as %s', async (by, name, file) => {
  const { rig } = await desk(undefined, by === 'id' ? name : 'S-1');
  const key = by === 'key' ? [`--key=${name}`] : [];
  const ran = await rig.run(['ship', '-f', 'order.json', '--label', '--download', 'a/labels', ...key]);
  expect(ran.exitCode).toBe(0);
  expect(readdirSync(join(rig.folder, 'a'), { recursive: true })).toEqual(['labels', `labels/${file}`]);
});
