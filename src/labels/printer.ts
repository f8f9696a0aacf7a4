// The print program of a profile, and what its end says about the paper.

import { basename } from 'node:path';
import { messageOf, systemCode } from '../errors.ts';
import { stoppedBy } from '../host/signals.ts';
import type { Means } from '../order/order.ts';
import { commandText } from '../text.ts';

/**
 * Why a file was not printed. `isCutOff`: a signal ended the program, so that it may have been. `isForAll`: the program cannot be run,
 * and why says how to name another one.
 */
export interface NotPrinted {
  why: string;
  isCutOff: boolean;
  isForAll?: true;
}

type PrinterMeans = Pick<Means, 'host' | 'origin' | 'printCommand' | 'secretVariables'>;

const wordsOfCommand = (printCommand: string): string[] => printCommand.split(/\s+/).filter(Boolean);

/** Runs the print command on a file, unless a signal has come. Gives why it was not printed, if it was not. */
export async function printFile(
  file: string,
  { host, origin, printCommand, secretVariables }: PrinterMeans,
): Promise<NotPrinted | undefined> {
  const stop = stoppedBy(host);
  if (stop) return { why: stop.what, isCutOff: false };
  const [program = 'lp', ...args] = wordsOfCommand(printCommand);
  try {
    // stdout has only the result.
    const code = await host.run(program, [...args, file], { output: 'stderr', without: secretVariables });
    if (code === 0) return undefined;
    // A program may turn the signal that stopped this command into a code of its own.
    const isCutOff = isOfSignal(code) || stoppedBy(host) !== undefined;
    return { why: `${program} ended with ${code}${isCutOff ? ', by a signal' : ''}`, isCutOff };
  } catch (error) {
    const isMissing = systemCode(error) === 'ENOENT';
    const why = isMissing
      ? `there is no program ${program} here`
      : `${program} cannot be run (${messageOf(error)})`;
    return { why: `${why}. ${otherProgram(origin.profile)}`, isCutOff: false, isForAll: true };
  }
}

/** How to name another print program. */
function otherProgram(profile: string | null): string {
  if (profile === null)
    return 'Only a profile can name another one, as printCommand: `waybill profile add NAME` makes a profile';
  const set = commandText(['waybill', 'profile', 'set', profile, 'printCommand=PROGRAM']);
  return `\`${set}\` names another one`;
}

/** The option of a print program that names the printer. */
const PRINTER_OPTIONS: Readonly<Record<string, string>> = { lp: '-d', lpr: '-P' };

/** The printer that a print command means. */
export function printerOf(printCommand: string): string {
  const [program = 'lp', ...args] = wordsOfCommand(printCommand);
  const option = PRINTER_OPTIONS[basename(program)];
  if (option === undefined) return `the printer by \`${printCommand}\``;
  const at = args.findIndex(word => word.startsWith(option));
  const printer = args[at] === option ? args[at + 1] : args[at]?.slice(option.length);
  return printer ? `the printer ${printer}` : 'the default printer';
}

/** What `timeout` ends with when it has ended a program. */
const TIMED_OUT = 124;

/** 128 + n is what a shell ends with after signal n, and `Host.run` gives; no system has more than 64 signals. */
const isOfSignal = (code: number): boolean => code === TIMED_OUT || (code > 128 && code <= 128 + 64);
