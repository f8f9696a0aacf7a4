import { asFailure } from './errors.ts';
import type { Host } from './host.ts';
import { VERSION } from './session/version.ts';
import type { Ran } from './shell/program.ts';

export { closeInputs, processHost } from './host.ts';

/** Runs one command line and gives its exit code; the only place where an error becomes a code. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  // For `--version` nothing else is loaded: it takes 1.1 times as long as `node -e 0`, not 1.6. If writing fails, the code below says so.
  if (argv.length === 1 && argv[0] === '--version' && (await written(host, `${VERSION}\n`))) return 0;
  if (argv[0] === '__complete') {
    const { completeLine } = await import('./shell/complete.ts');
    await written(host, await completeLine(argv.slice(1), host));
    return 0;
  }
  const { guessedSettings, printSettings, showsExchange } = await import('./session/globals.ts');
  const { runProgram, unsentBy } = await import('./shell/program.ts');
  const { createPrinter } = await import('./output/print.ts');
  const ran: Ran = {};
  try {
    const { exitCode, help } = await runProgram(argv, host, ran);
    await (ran.session?.printer ?? createPrinter(host, printSettings({}, undefined))).plain(help);
    return exitCode;
  } catch (error) {
    const failure = asFailure(error);
    const printer = ran.session?.printer ?? createPrinter(host, guessedSettings(argv, host));
    await printer.failure(failure, await unsentBy(ran, failure));
    // The command line is searched for --verbose: the command may have failed before its options were read.
    const isTraced = showsExchange({ verbose: argv.includes('--verbose') }, host.env);
    if (failure.code === 'internal' && error instanceof Error && isTraced && !printer.json)
      await printer.trace({ text: error.stack ?? '', json: {} });
    return failure.exitCode;
  }
}

const written = (host: Host, text: string): Promise<boolean> =>
  host.stdout.write(text).then(
    () => true,
    () => false,
  );

/** The work of the thread that reads labels. */
export async function readLabels(): Promise<void> {
  const { readEach } = await import('./pdf/reader.ts');
  readEach();
}
