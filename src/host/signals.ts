import { setMaxListeners } from 'node:events';
import { Failure } from '../errors.ts';

/** Aborted by the first SIGINT or SIGTERM; its reason is the signal's name. */
export function firstSignal(): AbortSignal {
  const controller = new AbortController();
  // Everything that runs at the moment may listen.
  setMaxListeners(0, controller.signal);
  // The listener stays. Without it a signal that arrives during its removal would be lost, and a prompt that is the only
  // listener would send the first signal on and so end the process.
  const stop = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) return controller.abort(name);
    // The second signal ends the process at once.
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.kill(process.pid, name);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}

/** The failure of a command that a signal stopped. */
export function interruption(interrupted: AbortSignal, consequence: string): Failure {
  const signal = String(interrupted.reason);
  return new Failure('interrupted', `stopped by ${signal}; ${consequence}`, {
    exitCode: signal === 'SIGTERM' ? 143 : 130,
  });
}
