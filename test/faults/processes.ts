// Faults of a whole process: streams, memory, file modes, a full disk.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { SECRET } from '../rig/oracles.ts';
import { createWorld, type Ended, QUOTE, SHIP, type Stage, seen, slow, stageOf } from '../rig/process.ts';
import { http } from '../rig/sockets.ts';
import type { Fault } from './fault.ts';

const PDF = `%PDF-1.7\n${'label '.repeat(100)}\n%%EOF\n`;

import { inputFaults } from './processes-inputs.ts';
import { placeFaults } from './processes-place.ts';
import { signalFaults } from './processes-signals.ts';

const mounts = spawnSync('unshare', ['-rm', 'true']).status === 0;
const noMounts = !mounts && 'no disk of its own can be given to a process here';
const _noRoot = process.getuid?.() !== 0 && 'only root can give a file to somebody else';

/** The rows. `command` gives the command after it is built. */
export function processFaults(command: () => string): readonly Fault[] {
  const world = async () => stageOf(command, await createWorld());
  const inShell = (
    when: string,
    script: string,
    exit: number,
    sees: Fault['sees'],
    then: (stage: Stage, ended: Ended) => void = () => {},
  ): Fault => ({
    when,
    sees,
    exit,
    async happen() {
      const stage = await world();
      const ended = await stage.shell(script);
      then(stage, ended);
      return seen(ended);
    },
  });
  return [
    ...signalFaults(command),
    ...placeFaults(command),
    ...inputFaults(command),
    inShell(
      'the file of a request has 100 MB, and there is little memory',
      `{ printf '{"note":"'; head -c 100000000 /dev/zero | tr '\\0' x; printf '"}'; } > big.json
       NODE_OPTIONS=--max-old-space-size=32 waybill quote -f big.json`,
      2,
      ['big.json is larger than 16 MiB', 'nothing was sent', 'waybill batch'],
    ),
    inShell(
      'the request on stdin has a gigabyte, and there is little memory',
      'head -c 1000000000 /dev/zero | NODE_OPTIONS=--max-old-space-size=32 waybill quote -f -',
      2,
      ['stdin is larger than 16 MiB', 'nothing was sent'],
    ),
    inShell(
      'a device gives a gigabyte as a request',
      'head -c 1000000000 /dev/zero | NODE_OPTIONS=--max-old-space-size=32 waybill quote -f /dev/stdin',
      2,
      ['/dev/stdin is larger than 16 MiB', 'nothing was sent'],
    ),
    inShell(
      'a record of a batch has 100 MB, and there is little memory',
      `{ printf '{"note":"'; head -c 100000000 /dev/zero | tr '\\0' x; printf '"}'; } > big.jsonl
       NODE_OPTIONS=--max-old-space-size=32 waybill batch quote big.jsonl`,
      2,
      ['big.jsonl, line 1', 'larger than 1 MiB', 'nothing was sent'],
    ),
    inShell('stdin is closed, and read', 'waybill quote -f - <&-', 2, ['stdin is empty', 'nothing was sent']),
    inShell('stdout is closed', `waybill ${SHIP} >&-; code=$?; waybill history list -q; exit $code`, 0, []),
    inShell('stderr is closed', `waybill ${SHIP} -q 2>&-`, 0, [], (_, { stdout }) =>
      expect(stdout).toMatch(/^\S+\n$/),
    ),
    inShell('no stream is open', `waybill ${SHIP} <&- >&- 2>&-`, 0, []),
    inShell(
      'the reader of stdout has gone',
      `waybill ${QUOTE} --json | true; exit "\${PIPESTATUS[0]}"`,
      0,
      [],
    ),
    inShell('nobody reads stderr any more', `waybill ${SHIP} --verbose -q 2> >(:)`, 0, []),
    inShell('the disk behind stdout is full, after a booking', `waybill ${SHIP} > /dev/full`, 10, [
      'did its work',
      'could not be written to stdout',
      'ENOSPC',
    ]),
    inShell(
      'the disk behind stderr is full, after a booking',
      `waybill ${SHIP} --verbose 2> /dev/full`,
      0,
      [],
    ),
    inShell(
      'the disk behind stderr is full, and the command line is wrong',
      'waybill quote --bogus 2> /dev/full',
      2,
      [],
    ),
    ...[0o000, 0o077].map(
      (mask): Fault =>
        inShell(
          `the umask is ${mask.toString(8).padStart(3, '0')}`,
          `umask ${mask.toString(8)}; echo ${SECRET} | waybill profile add shop --base-url https://a.example --token-stdin >/dev/null && waybill ${SHIP} -q`,
          0,
          [],
          ({ folder }) => {
            for (const name of ['config', 'state'])
              expect(statSync(join(folder, name)).mode & 0o777).toBe(0o700);
            for (const name of ['config/config.json', 'state/journal.db'])
              expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
          },
        ),
    ),
    {
      when: 'the process is killed while it fetches a label file, and the command runs again',
      sees: ['was made before', 'label saved: '],
      exit: 0,
      async happen() {
        const pdf = http(200, PDF);
        const { run, server, folder } = await slow(command, (socket, request, index) => {
          const label = { success: true, trackingNumber: 'T-1', label: `${server.url}l.pdf` };
          if (request.startsWith('POST'))
            socket.write(http(200, JSON.stringify({ success: true, international: label })));
          else socket.write(index > 1 ? pdf : pdf.slice(0, 300));
        });
        const make = 'label --international S-1 --download labels';
        const first = run(make);
        await server.received(2);
        first.child.kill('SIGKILL');
        await first.ended;
        expect(readdirSync(join(folder, 'labels'))).toEqual([]);
        const again = await run(make).ended;
        expect(readFileSync(join(folder, 'labels/S-1.pdf'), 'latin1')).toBe(PDF);
        expect(server.requests.filter(request => request.startsWith('POST'))).toHaveLength(1);
        return seen(again);
      },
    },
    {
      when: 'the disk for labels is full',
      sees: ['was made, but not saved', 'ENOSPC', 'Do not make it again', 'Its link is http'],
      exit: 9,
      skip: noMounts,
      async happen() {
        const large = http(200, PDF.replace('%%EOF', `${'x'.repeat(200_000)}\n%%EOF`));
        const { server, folder, shell } = await slow(command, (socket, request) => {
          const label = { success: true, trackingNumber: 'T-1', label: `${server.url}l.pdf` };
          if (request.startsWith('POST'))
            socket.write(http(200, JSON.stringify({ success: true, international: label })));
          else socket.write(large);
        });
        mkdirSync(join(folder, 'labels'));
        const make = '"$NODE" "$COMMAND" label --international S-1 --download labels';
        // Only these processes see the disk, and it disappears with them.
        const mounted = `mount -t tmpfs -o size=64k tmpfs labels && ${make}; code=$?; ls -A labels; exit $code`;
        const ended = await shell(`unshare -rm bash -c '${mounted}'`);
        expect(ended.stdout).not.toMatch(/^\S+\.(pdf|part)$/m);
        expect((await shell(make)).code).toBe(0);
        expect(readdirSync(join(folder, 'labels'))).toEqual(['S-1.pdf']);
        expect(server.requests.filter(request => request.startsWith('POST'))).toHaveLength(1);
        return seen(ended);
      },
    },
  ];
}
