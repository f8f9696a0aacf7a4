import { setMaxListeners } from 'node:events';
import { Failure } from '../errors.ts';
import { ignoresHangUp } from './hang-up.ts';

const EXITS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Aborted by the first SIGINT, SIGTERM or SIGHUP; its reason is the signal's name. */
export function firstSignal(): AbortSignal {
  const controller = new AbortController();
  // Everything that runs at the moment may listen.
  setMaxListeners(0, controller.signal);
  // The listener stays. Without it a signal that arrives during its removal would be lost, and a prompt that is the only
  // listener would send the first signal on and so end the process.
  const stop = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) return controller.abort(name);
    // A terminal that closes sends it more than once: from the shell, and from the system.
    if (name === 'SIGHUP') return;
    // The second signal ends the process at once.
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.kill(process.pid, name);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // Without a listener it would end the process.
  process.on('SIGHUP', ignoresHangUp() ? () => {} : stop);
  return controller.signal;
}

/** The failure of a command that a signal stopped. */
export function interruption(interrupted: AbortSignal, consequence: string): Failure {
  const signal = String(interrupted.reason);
  return new Failure('interrupted', `stopped by ${signal}; ${consequence}`, {
    exitCode: EXITS[signal] ?? 130,
  });
}
