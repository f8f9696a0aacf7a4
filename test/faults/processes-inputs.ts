// Pipes whose other end is kept open, or never comes.
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorld, seen, stageOf } from '../rig/process.ts';
import type { Fault } from './fault.ts';

const BAD_HEADER = 'nonsense;x\n1;2\n';
const REFUSED = ['the header of', 'has 2 problems', 'nothing was sent'];

/** The rows. `command` gives the command after it is built. */
export function inputFaults(command: () => string): readonly Fault[] {
  const world = async () => stageOf(command, await createWorld());
  return [
    {
      when: 'a batch from a pipe is refused, and the writer of the pipe keeps it open',
      ...{ exit: 2, sees: REFUSED },
      async happen() {
        const { shell } = await world();
        const script = `mkfifo orders.csv; exec 9<>orders.csv; printf '${BAD_HEADER}' >&9; waybill batch quote orders.csv`;
        return seen(await shell(script));
      },
    },
    {
      when: 'a batch from stdin is refused, and stdin stays open',
      ...{ exit: 2, sees: REFUSED },
      async happen() {
        const { run } = await world();
        const { child, ended } = run('batch quote - --format csv', { stdin: { open: true } });
        child.stdin.write(BAD_HEADER);
        return seen(await ended);
      },
    },
    {
      when: 'SIGTERM while a request is read from a pipe that stays open',
      ...{ exit: 143, sees: ['stopped by SIGTERM', 'nothing was sent'] },
      async happen() {
        const { run, folder } = await world();
        execFileSync('mkfifo', [join(folder, 'order')]);
        const { child, ended } = run('quote -f order');
        // It has opened the pipe as soon as this can be opened, too.
        const writer = await open(join(folder, 'order'), 'w');
        child.kill('SIGTERM');
        const stopped = seen(await ended);
        await writer.close();
        return stopped;
      },
    },
    {
      when: 'bookings are imported from a pipe that nobody writes to',
      ...{ exit: 2, sees: ['it is not a plain file', 'nothing was imported'] },
      async happen() {
        const { shell } = await world();
        return seen(await shell('mkfifo bookings; waybill history import bookings'));
      },
    },
    {
      when: 'the results of a batch go to a pipe that nobody reads',
      ...{ exit: 10, sees: ['results cannot be written', 'a pipe that no program reads'] },
      async happen() {
        const { shell } = await world();
        const records = `{"from":"TR"}`;
        return seen(
          await shell(
            `mkfifo results; echo '${records}' | waybill batch quote - --results results --format jsonl`,
          ),
        );
      },
    },
  ];
}
