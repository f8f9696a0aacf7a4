// The print program of a profile, and what its end says about the paper.

import { messageOf } from '../errors.ts';
import { stoppedBy } from '../host/signals.ts';
import type { Means } from '../order/order.ts';

/** Why a file was not printed. `isCutOff`: a signal ended the program, so that it may have been. */
export interface NotPrinted {
  why: string;
  isCutOff: boolean;
}

/** Runs the print command on a file, unless a signal has come. Gives why it was not printed, if it was not. */
export async function printFile(
  file: string,
  { host, printCommand, secretVariables }: Pick<Means, 'host' | 'printCommand' | 'secretVariables'>,
): Promise<NotPrinted | undefined> {
  const stop = stoppedBy(host);
  if (stop) return { why: stop.what, isCutOff: false };
  const [program = 'lp', ...args] = printCommand.split(/\s+/).filter(Boolean);
  // stdout has only the result.
  const code = await host
    .run(program, [...args, file], { output: 'stderr', without: secretVariables })
    .catch(messageOf);
  if (code === 0) return undefined;
  if (typeof code === 'string') return { why: `${program} cannot be run (${code})`, isCutOff: false };
  // A program may turn the signal that stopped this command into a code of its own.
  const isCutOff = isOfSignal(code) || stoppedBy(host) !== undefined;
  return { why: `${program} ended with ${code}${isCutOff ? ', by a signal' : ''}`, isCutOff };
}

/** What `timeout` ends with when it has ended a program. */
const TIMED_OUT = 124;

/** 128 + n is what a shell ends with after signal n, and `Host.run` gives; no system has more than 64 signals. */
const isOfSignal = (code: number): boolean => code === TIMED_OUT || (code > 128 && code <= 128 + 64);
