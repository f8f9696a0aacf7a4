// Signals during reads, waits and bookings.
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { createWorld, QUOTE, SHIP, seen, slow, stageOf, start } from '../rig/process.ts';
import { http } from '../rig/sockets.ts';
import type { Fault } from './fault.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const codeOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const BOOKED = http(201, JSON.stringify({ id: 'S-1' }));

/** The rows. `command` gives the command after it is built. */
export function signalFaults(command: () => string): readonly Fault[] {
  /** A shell starts it so that it survives its terminal. */
  const ignored = (how: string): Fault => ({
    when: `SIGHUP, which was ignored from the start (${how}), while a booking waits for its answer`,
    sees: [],
    exit: 0,
    skip: !existsSync('/proc/self/status') && 'only Linux shows what a process ignores',
    async happen() {
      const { server, env, folder } = await slow(command);
      const script = `${how} "$NODE" "$COMMAND" ${SHIP} -q & echo $!; wait $!`;
      const { firstLine, ended } = start('bash', ['-c', script], {
        env: { ...env, NODE: process.execPath, COMMAND: command() },
        cwd: folder,
      });
      await server.received(1);
      process.kill(Number(await firstLine()), 'SIGHUP');
      server.each(socket => socket.write(BOOKED));
      expect((await ended).stdout).toMatch(/^\d+\nS-1\n$/);
      return seen(await ended);
    },
  });

  return [
    ...SIGNALS.flatMap((signal): Fault[] => [
      {
        when: `${signal} while the command reads stdin`,
        sees: [`stopped by ${signal}`, 'nothing was sent'],
        exit: codeOf[signal],
        async happen() {
          const { run } = stageOf(command, await createWorld());
          const { child, ended } = run('quote -f -', { stdin: { open: true } });
          await new Promise(done => child.stdin.write(' '.repeat(1_000_000), done));
          child.kill(signal);
          return seen(await ended);
        },
      },
      {
        when: `${signal} while a read waits for its answer`,
        sees: [`stopped by ${signal}`],
        exit: codeOf[signal],
        async happen() {
          const { run, server } = await slow(command);
          const { child, ended } = run(QUOTE);
          await server.received(1);
          child.kill(signal);
          return seen(await ended);
        },
      },
    ]),
    ...SIGNALS.flatMap((signal): Fault[] => [
      {
        when: `${signal} while a booking waits for its answer, and the answer comes`,
        sees: ['a second signal leaves it unknown', `stopped by ${signal}`, 'their result is above'],
        exit: codeOf[signal],
        async happen() {
          const { run, server } = await slow(command);
          const { child, firstLine, ended } = run(SHIP);
          await server.received(1);
          child.kill(signal);
          await firstLine('stderr');
          server.each(socket => socket.write(BOOKED));
          const first = await ended;
          const again = await run(`${SHIP} --query id -o text`).ended;
          expect([again.code, again.stdout, server.requests.length]).toEqual([0, 'S-1\n', 1]);
          return seen(first);
        },
      },
    ]),
    ...(['SIGINT', 'SIGTERM'] as const).flatMap((signal): Fault[] => [
      {
        when: `${signal} twice while a booking waits for its answer, and the command runs again`,
        sees: ['waybill history resolve'],
        exit: 8,
        async happen() {
          const { run, server } = await slow(command);
          const { child, firstLine, ended } = run(SHIP);
          await server.received(1);
          child.kill(signal);
          await firstLine('stderr');
          child.kill(signal);
          expect((await ended).signal).toBe(signal);
          const again = await run(SHIP).ended;
          expect(server.requests).toHaveLength(1);
          return seen(again);
        },
      },
    ]),
    {
      when: 'SIGHUP three times, as closing terminals send it, while a booking waits for its answer',
      sees: ['stopped by SIGHUP', 'their result is above'],
      exit: 129,
      async happen() {
        const { run, server } = await slow(command);
        const { child, firstLine, ended } = run(`${SHIP} --query id -o text`);
        await server.received(1);
        for (let count = 0; count < 3; count += 1) child.kill('SIGHUP');
        await firstLine('stderr');
        child.kill('SIGHUP');
        server.each(socket => socket.write(BOOKED));
        expect((await ended).stdout).toBe('S-1\n');
        return seen(await ended);
      },
    },
    ignored('nohup'),
    ignored("trap '' HUP;"),
    {
      when: 'a read is stopped (SIGSTOP) for longer than its deadline and continues',
      sees: [],
      exit: 0,
      async happen() {
        const { run, server } = await slow(command, (socket, _, index) => {
          if (index > 0) socket.write(http(200, JSON.stringify({ id: 'S-1', status: [] })));
        });
        const { child, ended } = run('track S-1 --timeout 0.3');
        await server.received(1);
        child.kill('SIGSTOP');
        await new Promise(done => setTimeout(done, 500));
        child.kill('SIGCONT');
        return seen(await ended);
      },
    },
    {
      when: 'a booking is stopped (SIGSTOP) for longer than its deadline and answered meanwhile',
      sees: [],
      exit: 0,
      async happen() {
        const { run, server } = await slow(command);
        // Long enough for a busy machine to stop the process in time.
        const { child, ended } = run(`${SHIP} --timeout 2 -q`);
        await server.received(1);
        child.kill('SIGSTOP');
        server.each(socket => socket.write(BOOKED));
        await new Promise(done => setTimeout(done, 2200));
        child.kill('SIGCONT');
        expect((await ended).stdout).toBe('S-1\n');
        return seen(await ended);
      },
    },
    {
      when: 'a booking is stopped (SIGSTOP) for longer than its deadline, continues, and the command runs again',
      sees: ['waybill history resolve'],
      exit: 8,
      async happen() {
        const { run, server } = await slow(command);
        const { child, ended } = run(`${SHIP} --timeout 0.3`);
        await server.received(1);
        child.kill('SIGSTOP');
        await new Promise(done => setTimeout(done, 500));
        child.kill('SIGCONT');
        expect((await ended).code).toBe(8);
        const again = await run(SHIP).ended;
        expect(server.requests).toHaveLength(1);
        return seen(again);
      },
    },
  ];
}
