import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';

/** The host with a stdin that one thing is read from: for the next there would be nothing left. Throws `usage`. */
export function readOnce(host: Host): Host {
  const { stdin } = host;
  let isRead = false;
  const once = <T>(read: () => T): T => {
    if (isRead)
      throw new Failure(
        'usage',
        'two things are to be read from stdin, which holds one; put one of them into a file and name that. Nothing was sent',
      );
    isRead = true;
    return read();
  };
  return {
    ...host,
    stdin: {
      get isTerminal() {
        return stdin.isTerminal;
      },
      read: async () => once(() => stdin.read()),
      chunks: () => once(() => stdin.chunks()),
    },
  };
}
