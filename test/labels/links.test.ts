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
import { expect } from 'vitest';
import { createRig, type Ran, type RunOptions } from '../rig/command.ts';
import { type End, type Fault, fault, runFaults } from '../rig/fault.ts';
import { cannedService, SHIPMENT } from '../rig/service.ts';
import { http, type Raw, type Reply, rawServer, script } from '../rig/sockets.ts';

const PDF = `%PDF-1.7\n${'label '.repeat(100)}\n%%EOF\n`;
const MAKE = 'POST /v2/carriers/create';

interface Download {
  /** What the label server answers; else the PDF. */
  reply?: string | Reply;
  /** Prepares the folder of labels. */
  before?(folder: string): void;
  after?(folder: string, server: Raw): void;
  options?(server: Raw): RunOptions;
  more?: string;
}

/** Runs `label --download` and checks its output and its folder. */
async function download({
  reply = http(200, PDF),
  before,
  after,
  options,
  more = '',
}: Download): Promise<Ran> {
  const server = await rawServer(typeof reply === 'string' ? script(reply) : reply);
  const label = { success: true, trackingNumber: 'T-1', label: new URL('/l.pdf', server.url).href };
  const body = { success: true, international: label };
  const { env, seen } = await cannedService({ '/v2/carriers/create': { status: 200, body } });
  const rig = await createRig({ journalLost: true, env });
  const folder = join(rig.folder, 'labels');
  mkdirSync(folder);
  before?.(folder);
  const ran = await rig.run(`label --international S-1 --download labels ${more}`, options?.(server));
  // The label is paid for, so it is shown even if its file is not saved.
  expect(ran.stdout).toContain('T-1');
  expect(seen).toEqual([MAKE]);
  for (const request of server.requests) expect(request).not.toMatch(/authorization|demo|cookie/i);
  // No incomplete file remains.
  expect(readdirSync(folder).filter(name => name.includes('waybill'))).toEqual([]);
  after?.(folder, server);
  return ran;
}

/** The label exists, must not be made again, and can be had later. */
const MADE: End = [
  9,
  'the international label was made, but not saved',
  'Do not make it again',
  /`waybill label --international S-1 --download \S+` saves this one|ask the service for its file/,
];

/** What the label server does, so many times. */
const answered = (
  when: string,
  reply: string | Reply,
  times: number,
  why: string | RegExp,
  more: Download = {},
): Fault =>
  fault(`the link of a label ${when}`, [...MADE, why], () =>
    download({
      reply,
      after(folder, server) {
        expect(server.requests).toHaveLength(times);
        expect(readdirSync(folder)).toEqual([]);
      },
      ...more,
    }),
  );
const LATE = { more: '--retries 0', options: (server: Raw) => ({ patience: server.received(1) }) };

runFaults('links of labels', [
  answered('is a server that fails', http(503), 4, 'its link was answered with 503'),
  answered('is half of a PDF', socket => socket.end(http(200, PDF).slice(0, 200)), 4, /closed|reset/),
  answered('does not answer until the deadline', () => {}, 1, 'no complete answer within 30 s', LATE),
  answered(
    'does not end until the deadline',
    socket => socket.write(http(200, PDF, { 'content-length': '999999' })),
    1,
    'no complete answer within 30 s',
    LATE,
  ),
  answered(
    'is more than 20 MiB',
    socket => {
      socket.write('HTTP/1.1 200 Word\r\ncontent-length: 22000000\r\n\r\n%PDF-1.7\n');
      socket.write(Buffer.alloc(22_000_000));
    },
    1,
    'larger than 20971520 bytes',
    { more: '--retries 0' },
  ),
  {
    ...answered('fails, and the user presses Ctrl-C', http(503), 1, 'stopped by SIGINT', {
      options: () => ({ onWait: ({ interrupt }) => interrupt('SIGINT') }),
    }),
    exit: 130,
  },
]);

/** What is at a path: the target of a link, the text of a file, or something else. */
function at(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  return stat.isFile() ? readFileSync(path, 'latin1') : 'no file';
}

/** The name of the file is taken: the label gets a number, and what is there does not change. */
const taken = (what: string, put: (path: string) => void): Fault =>
  fault(`${what} has the name of the label`, [0, /^label saved: \S+S-1-2\.pdf$/m], () => {
    let before = '';
    return download({
      before(folder) {
        put(join(folder, 'S-1.pdf'));
        before = at(join(folder, 'S-1.pdf'));
      },
      after: folder =>
        expect(['S-1.pdf', 'S-1-2.pdf'].map(name => at(join(folder, name)))).toEqual([before, PDF]),
    });
  });

/** A name that a file must not have, from the shipment id of the service or from the key of the user. */
const named = (by: 'id' | 'key', name: string, file: string): Fault =>
  fault(
    `the ${by} ${JSON.stringify(name.slice(0, 30))} is saved as ${file.slice(0, 30)}`,
    [0, /^label saved: /m],
    async () => {
      const server = await rawServer(script(http(200, PDF)));
      const label = { success: true, label: server.url.href, trackingNumber: 'T-1' };
      const { env } = await cannedService({
        '/v1/shipments': { status: 201, body: { id: by === 'id' ? name : 'S-1' } },
        '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
      });
      const rig = await createRig({ env, files: { 'order.json': SHIPMENT } });
      const key = by === 'key' ? [`--key=${name}`] : [];
      const ran = await rig.run(['ship', '-f', 'order.json', '--label', '--download', 'a/labels', ...key]);
      const made = readdirSync(join(rig.folder, 'a'), { recursive: true });
      expect(made).toEqual(['labels', `labels/${file}`]);
      return ran;
    },
  );

runFaults('files of labels', [
  taken('a pipe that nobody writes to', path => void execFileSync('mkfifo', [path])),
  taken('a link to nothing', path => symlinkSync('../out.pdf', path)),
  taken('a link to the same label', path => {
    writeFileSync(join(dirname(path), '../kept.pdf'), PDF);
    symlinkSync('../kept.pdf', path);
  }),
  fault(
    'a thousand files have its name',
    [9, 'there are too many files named S-1 in', 'Its link is http'],
    () =>
      download({
        before(folder) {
          for (let number = 1; number < 1000; number += 1)
            writeFileSync(join(folder, number === 1 ? 'S-1.pdf' : `S-1-${number}.pdf`), '');
        },
      }),
  ),
  named('id', '..', '_.pdf'),
  named('id', '../../../evil', '__.._.._evil.pdf'),
  named('id', '..\\..\\evil', '__.._evil.pdf'),
  named('id', 'x'.repeat(200), `${'x'.repeat(100)}.pdf`),
  named('id', 'S\u202efdp.exe', 'S_fdp.exe.pdf'),
  named('id', '-rf', '-rf.pdf'),
  named('key', '2026/03/17', '2026_03_17.pdf'),
  named('key', 'заказ-7', '_____-7.pdf'),
]);
