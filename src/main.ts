import { guessedSettings } from './commands/globals.ts';
import { runProgram } from './commands/program.ts';
import { Failure, messageOf } from './errors.ts';
import type { Host } from './host.ts';
import { createPrinter } from './output/print.ts';

export { processHost } from './host.ts';

/** Runs one command line and gives its exit code; the only place where an error becomes a code. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  let printer = createPrinter(host, guessedSettings(argv, host.env));
  try {
    const { exitCode, help } = await runProgram(argv, host, session => {
      printer = session.printer;
    });
    await printer.plain(help);
    return exitCode;
  } catch (error) {
    const failure =
      error instanceof Failure
        ? error
        : new Failure('internal', `a defect of waybill: ${messageOf(error)}`, {}, { cause: error });
    await printer.failure(failure);
    if (failure.code === 'internal' && error instanceof Error && !printer.json)
      await printer.note(error.stack ?? '');
    return failure.exitCode;
  }
}
