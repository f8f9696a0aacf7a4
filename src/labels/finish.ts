// After the answer is shown: merges and prints the saved labels, and reports everything that failed.
import type { Operation } from '../contract/operations.ts';
import { Failure, messageOf } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';
import { type LabelPages, type MissingLabel, mergeLabels, newIn } from './merge.ts';
import type { LabelFiles, SavedLabels } from './save.ts';

/** Throws if a label was not made, not saved, not merged or not printed. */
export async function finishLabels(
  session: Session,
  operation: Operation,
  files: LabelFiles | undefined,
  labels: SavedLabels,
): Promise<void> {
  const failure = failureOf(operation, labels, await outputLabels(session, files, [labels.pages]));
  const { interrupted } = session.host;
  if (failure?.code === 'partial' && interrupted.aborted) {
    const { message, exitCode } = interruption(interrupted, failure.message);
    throw new Failure('interrupted', message, { ...failure.facts, exitCode });
  }
  if (failure) throw failure;
}

/** Of one of many: prints its labels, unless all of them are one file. Gives everything that failed as one failure. */
export const finishOne = async (
  session: Session,
  operation: Operation,
  files: LabelFiles | undefined,
  labels: SavedLabels,
): Promise<Failure | undefined> =>
  failureOf(operation, labels, files?.merged ? [] : await outputLabels(session, files, [labels.pages]));

function failureOf(
  { command }: Operation,
  { problems, failure }: SavedLabels,
  unfinished: readonly string[],
): Failure | undefined {
  const sentences = [...(failure ? [failure.message] : []), ...problems, ...unfinished];
  if (sentences.length === 0) return undefined;
  const message = `${failure ? '' : `${command}: `}${sentences.join('. ')}`;
  return new Failure(failure?.code ?? 'partial', message, { operation: command, ...failure?.facts });
}

/** Merges and prints labels as it is wanted, in the order given. Gives a sentence for everything that failed. */
export async function outputLabels(
  session: Session,
  files: LabelFiles | undefined,
  labels: readonly LabelPages[],
): Promise<string[]> {
  if (files === undefined) return [];
  const { merged, print } = files;
  const toPrint = labels.map(one => ({
    name: one.name,
    files: one.files.filter(({ isNew }) => print === 'all' || (isNew && print === 'new')),
  }));
  const paths = toPrint.flatMap(one => one.files.map(({ path }) => path));
  const old = labels.reduce((sum, one) => sum + one.files.length, 0) - paths.length;
  if (print !== undefined && old > 0) await session.printer.note(notPrinted(old));
  if (merged === undefined) return printFiles(session, paths);
  try {
    const { missing, count } = await mergeLabels(merged, labels, session.host);
    const problems = missing.length > 0 ? [lacks(merged.name, missing)] : [];
    if (count > 0) await session.printer.note(`labels merged: ${merged.path}`);
    if (count === 0 || paths.length === 0) return problems;
    const job = old === 0 ? merged : newIn(merged);
    if (job !== merged) await mergeLabels(job, toPrint, session.host);
    return [...problems, ...(await printFiles(session, [job.path]))];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [`the labels were made and saved, but not merged: ${error.message}`];
  }
}

export const notPrinted = (count: number): string =>
  count === 1
    ? '1 label was made before, and is not printed again; --reprint prints it'
    : `${count} labels were made before, and are not printed again; --reprint prints them`;

/** How many are named. */
const MOST_NAMED = 50;

function lacks(name: string, missing: readonly MissingLabel[]): string {
  const named = missing.slice(0, MOST_NAMED).map(one => `${one.name} (${one.why})`);
  const more = missing.length - named.length;
  return `${name} lacks ${missing.length === 1 ? 'a label' : `${missing.length} labels`}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Runs the print command on each file; a sentence for each file that was not printed. */
async function printFiles({ host, target }: Session, files: readonly string[]): Promise<string[]> {
  const [program = 'lp', ...args] = (target().profile.printCommand ?? 'lp').split(/\s+/).filter(Boolean);
  const problems: string[] = [];
  for (const file of files) {
    const code = await host.run(program, [...args, file]).catch(messageOf);
    if (code === 0) continue;
    const why = typeof code === 'number' ? `ended with ${code}` : `cannot be run (${code})`;
    problems.push(
      `the label was made and saved as ${file}, but not printed: ${program} ${why}. \`${[program, ...args, file].map(shellWord).join(' ')}\` prints it`,
    );
  }
  return problems;
}
