// Files in the way of a label file, and names that a label file must not get.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createRig } from '../rig/command.ts';
import { cannedService, SHIPMENT } from '../rig/service.ts';
import { http, rawServer, script } from '../rig/sockets.ts';
import { type Fault, runFaults } from './fault.ts';
import { at, download, leftAlone, makePipe, PDF } from './files-rig.ts';

const FIRST = 'S-1.pdf';
const SECOND = 'S-1-2.pdf';

/** The name of the label file is taken: the label gets a number, and the other file does not change. */
const inTheWay = (what: string, put: (path: string, folder: string) => void): Fault => ({
  when: `${what} has the name of the label`,
  sees: [/^label saved: \S+S-1-2\.pdf$/m],
  exit: 0,
  async happen() {
    let before: unknown;
    return download({
      before(folder) {
        put(join(folder, FIRST), folder);
        before = at(join(folder, FIRST));
      },
      after(folder) {
        expect(at(join(folder, FIRST))).toEqual(before);
        expect(at(join(folder, SECOND))).toEqual({ text: PDF });
      },
    });
  },
});

/** A name that a file must not have, from the shipment id of the service or from the key of the user. */
const named = (what: string, name: string, as: RegExp, by: 'id' | 'key' = 'id'): Fault => ({
  when: `${by === 'id' ? 'the service names a shipment' : 'a key is'} ${what}`,
  sees: [/^label saved: /m],
  exit: 0,
  async happen() {
    const server = await rawServer(script(http(200, PDF)));
    const label = { success: true, label: server.url.href, trackingNumber: 'T-1' };
    const { env } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: by === 'id' ? name : 'S-1' } },
      '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
    });
    const rig = await createRig({ env });
    const argv = ['ship', '-f', '-', '--label', '--download', 'a/labels'];
    if (by === 'key') argv.push(`--key=${name}`);
    const ran = await rig.run(argv, { stdin: JSON.stringify(SHIPMENT) });
    const [file = '', ...others] = readdirSync(join(rig.folder, 'a/labels'));
    expect([others, readdirSync(join(rig.folder, 'a')), file]).toEqual([
      [],
      ['labels'],
      expect.stringMatching(as),
    ]);
    expect(readFileSync(join(rig.folder, 'a/labels', file), 'latin1')).toBe(PDF);
    return ran;
  },
});

const noFolder = (when: string, folder: string, put: (path: string) => void, argv: string): Fault =>
  leftAlone({
    when: `labels are saved in ${when}`,
    exit: 10,
    sees: ['labels cannot be saved in', 'nothing was sent'],
    path: folder,
    argv: `${argv} --download ${folder}`,
    put,
  });

runFaults('files of labels', [
  inTheWay('a file of other bytes', path => writeFileSync(path, 'mine')),
  inTheWay('an empty file', path => writeFileSync(path, '')),
  inTheWay('half of the same label', path => writeFileSync(path, PDF.slice(0, 100))),
  inTheWay('a folder', path => mkdirSync(path)),
  inTheWay('a pipe that nobody writes to', path => makePipe(path)),
  inTheWay('a symbolic link to nothing', (path, folder) => symlinkSync(join(folder, '../out.pdf'), path)),
  inTheWay('a symbolic link to the same label', (path, folder) => {
    writeFileSync(join(folder, '../kept.pdf'), PDF);
    symlinkSync('../kept.pdf', path);
  }),
  {
    when: 'the same label is saved already',
    sees: [/^label saved: \S+S-1\.pdf$/m],
    exit: 0,
    happen: () =>
      download({
        before: folder => writeFileSync(join(folder, FIRST), PDF),
        after: folder => expect(readdirSync(folder)).toEqual([FIRST]),
      }),
  },
  {
    when: 'a thousand files have the name of the label',
    sees: ['there are too many files named S-1 in', 'Do not make it again', 'Its link is http'],
    exit: 9,
    happen: () =>
      download({
        before(folder) {
          writeFileSync(join(folder, FIRST), '');
          for (let number = 2; number < 1000; number += 1)
            writeFileSync(join(folder, `S-1-${number}.pdf`), '');
        },
        after: folder => expect(readdirSync(folder)).toHaveLength(999),
      }),
  },
  named('..', '..', /^_\.pdf$/),
  named('as a path', '../../../evil', /^_[\w.]*evil\.pdf$/),
  named('as a path from the root', '/etc/passwd', /^_etc_passwd\.pdf$/),
  named('as a path of Windows', '..\\..\\evil', /^_[\w.]*evil\.pdf$/),
  named('as a device', 'CON', /^_CON\.pdf$/),
  named('as a device with an ending', 'nul.txt', /^_nul\.txt\.pdf$/),
  named('in 200 characters', 'x'.repeat(200), /^x{100}\.pdf$/),
  named('with marks that turn text around', 'S\u202efdp.exe', /^S_fdp\.exe\.pdf$/),
  named('with a dot before it', '.bashrc', /^_bashrc\.pdf$/),
  named('with a dot and a blank after it', 'S-1. ', /^S-1\._?\.pdf$/),
  named('as a flag of a program', '-rf', /^-rf\.pdf$/),
  named('a path', '2026/03/17', /^2026_03_17\.pdf$/, 'key'),
  named('..', '..', /^_\.pdf$/, 'key'),
  named('letters of another script', 'заказ-7', /^_{5}-7\.pdf$/, 'key'),
  noFolder('a file', 'labels', path => writeFileSync(path, ''), 'label --international S-1'),
  noFolder('a file, by ship', 'labels', path => writeFileSync(path, ''), 'ship -f - --label'),
  {
    when: 'labels are saved in a folder of the system',
    sees: ['labels cannot be saved in /sys/labels', 'nothing was sent'],
    exit: 10,
    skip: !existsSync('/sys') && 'there is no folder that root cannot write to',
    happen: async () => (await createRig()).run('label --international S-1 --download /sys/labels'),
  },
  noFolder(
    'a symbolic link to nothing',
    'labels',
    path => symlinkSync('gone', path),
    'label --international S-1',
  ),
]);
