import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';

/** The host with a stdin that can be read once: a second reader would get nothing. Throws `usage`. */
export function readOnce(host: Host): Host {
  const { stdin } = host;
  let isRead = false;
  const once = <T>(read: () => T): T => {
    if (isRead)
      throw new Failure(
        'usage',
        'stdin is named twice, but it can be read only once. Put one of the two inputs into a file and name that file. Nothing was sent',
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
