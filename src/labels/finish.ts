// After the answer is shown: prints the saved labels, and reports everything that failed.
import type { Operation } from '../contract/operations.ts';
import { Failure, messageOf } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Session } from '../session/session.ts';
import type { SavedLabels } from './save.ts';

/** Throws if a label was not made, not saved or not printed. */
export async function finishLabels(
  session: Session,
  operation: Operation,
  labels: SavedLabels,
): Promise<void> {
  const failure = await printLabels(session, operation, labels);
  const { interrupted } = session.host;
  if (failure?.code === 'partial' && interrupted.aborted) {
    const { message, exitCode } = interruption(interrupted, failure.message);
    throw new Failure('interrupted', message, { ...failure.facts, exitCode });
  }
  if (failure) throw failure;
}

/** Prints the saved labels, if that is wanted. Gives everything that failed as one failure. */
export async function printLabels(
  session: Session,
  { command }: Operation,
  { saved, print, problems, failure }: SavedLabels,
): Promise<Failure | undefined> {
  const unprinted = print ? await printFiles(session, Object.values(saved)) : [];
  const sentences = [...(failure ? [failure.message] : []), ...problems, ...unprinted];
  if (sentences.length === 0) return undefined;
  const message = `${failure ? '' : `${command}: `}${sentences.join('. ')}`;
  return new Failure(failure?.code ?? 'partial', message, { operation: command, ...failure?.facts });
}

/** Runs the print command on each file; a sentence for each file that was not printed. */
async function printFiles({ host, target }: Session, files: readonly string[]): Promise<string[]> {
  const [program = 'lp', ...args] = (target().profile.printCommand ?? 'lp').split(/\s+/).filter(Boolean);
  const problems: string[] = [];
  for (const file of files) {
    const code = await host.run(program, [...args, file]).catch(messageOf);
    if (code === 0) continue;
    const why = typeof code === 'number' ? `ended with ${code}` : `cannot be run (${code})`;
    problems.push(`the label was made and saved as ${file}, but not printed: ${program} ${why}`);
  }
  return problems;
}
