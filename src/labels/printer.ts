// The print program of a profile, and what its exit code says about the print.

import { basename } from 'node:path';
import { innerOf } from '../errors.ts';
import { interruptionOf } from '../host/signals.ts';
import type { Desk } from '../order/desk.ts';
import { secretVariables } from '../profile/secrets.ts';
import { recordedProfile, type Target } from '../profile/target.ts';
import type { PrintFault } from '../say/labels.ts';
import { messageOf, systemCode } from '../system-errors.ts';

/** `isCutOff`: a signal ended the program, so that the file may have been printed. `isForAll`: the program cannot be run. */
export interface NotPrinted {
  because: PrintFault;
  isCutOff: boolean;
  isForAll?: true;
}

const printCommandOf = (desk: Desk): string => desk.target().profile.printCommand ?? USUAL_PROGRAM;

const USUAL_PROGRAM = 'lp';

const printCommandWords = (printCommand: string): string[] => printCommand.split(/\s+/).filter(Boolean);

/** The program that prints for a target. */
export const printProgram = (target: Target): string =>
  printCommandWords(target.profile.printCommand ?? USUAL_PROGRAM)[0] ?? USUAL_PROGRAM;

/** Runs the print command on a file, unless a signal has come. Gives why it was not printed, if it was not. */
export async function printFile(file: string, desk: Desk): Promise<NotPrinted | undefined> {
  const { host } = desk;
  const stop = interruptionOf(host);
  if (stop) return { because: { fault: 'failed', why: innerOf(stop) }, isCutOff: false };
  const [program = 'lp', ...args] = printCommandWords(printCommandOf(desk));
  const target = desk.target();
  try {
    // The program writes to stderr: stdout has only the result of the command.
    const without = secretVariables(target.profile);
    const code = await host.run(program, [...args, file], { output: 'stderr', without });
    if (code === 0) return undefined;
    // A program that was stopped by the signal to this command may end with any exit code.
    const isCutOff = isOfSignal(code) || interruptionOf(host) !== undefined;
    return { because: { fault: 'ended', program, exitCode: code, isBySignal: isCutOff }, isCutOff };
  } catch (error) {
    const profile = recordedProfile(target);
    const because: PrintFault =
      systemCode(error) === 'ENOENT'
        ? { fault: 'no-program', program, profile }
        : { fault: 'unstartable', program, why: messageOf(error), profile };
    return { because, isCutOff: false, isForAll: true };
  }
}

/** The option of a print program that names the printer. */
const PRINTER_OPTIONS: Readonly<Record<string, string>> = { lp: '-d', lpr: '-P' };

/** The printer that the print command names, if any; or the command itself, if nobody knows how its program names a printer. */
export function printerOf(desk: Desk): { printer?: string | undefined; by?: string } {
  const printCommand = printCommandOf(desk);
  const [program = 'lp', ...args] = printCommandWords(printCommand);
  const option = PRINTER_OPTIONS[basename(program)];
  if (option === undefined) return { by: printCommand };
  const at = args.findIndex(word => word.startsWith(option));
  const printer = args[at] === option ? args[at + 1] : args[at]?.slice(option.length);
  return { printer };
}

/** The exit code of `timeout`, if it has ended the program that it ran. */
const TIMED_OUT = 124;

/** A shell, and `Host.run`, give 128 + n for a program that signal n ended; no system has more than 64 signals. */
const isOfSignal = (code: number): boolean => code === TIMED_OUT || (code > 128 && code <= 128 + 64);
