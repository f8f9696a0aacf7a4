// The two streams, which record what is written.
import type { Output } from '../../src/host.ts';
import type { Streams } from '../../src/output/look.ts';

export interface Setting {
  env?: Record<string, string>;
  /** Width of both streams as a terminal; without it they are pipes. */
  terminal?: number;
}

export function recorded({ env = {}, terminal }: Setting = {}) {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr'): Output => ({
    isTerminal: terminal !== undefined,
    columns: terminal,
    write: async text => {
      written[name] += text;
    },
  });
  const host: Streams = { env, stdout: output('stdout'), stderr: output('stderr') };
  return { host, stdout: () => written.stdout, stderr: () => written.stderr };
}
