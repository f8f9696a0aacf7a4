// The labels of an answer: read, kept as files, and told of when something failed.
import type { Outcome } from '../booking/outcome.ts';
import type { Leg, Operation } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure, type FailureCode, messageOf } from '../errors.ts';
import { bookOnce, failureFor, labelCommand, quoted } from './booking.ts';
import { type LabelFileOptions, LEGS, printLabels, type Saved, saveLabels } from './label-files.ts';
import type { Session } from './session.ts';

/** What became of the labels of an answer. */
interface Kept {
  saved: Saved;
  /** What could not be saved, a sentence each. */
  problems: readonly string[];
  failure?: Failure | undefined;
}

/** Saves the labels of an outcome where a folder is given. */
export const keepLabels = async (
  session: Session,
  folder: string | undefined,
  { labels }: Outcome,
  nameOf: (leg: Leg) => string,
): Promise<Kept> =>
  folder === undefined ? { saved: {}, problems: [] } : saveLabels(session, folder, labels, nameOf);

/** After the answer was shown: prints what was saved, then tells at once all that failed. */
export async function finishLabels(
  session: Session,
  { command }: Operation,
  options: LabelFileOptions,
  { saved, problems, failure }: Kept,
): Promise<void> {
  const unprinted = options.print ? await printLabels(session, Object.values(saved)) : [];
  const told = [...(failure ? [failure.message] : []), ...problems, ...unprinted];
  if (told.length === 0) return;
  const message = `${failure ? '' : `${command}: `}${told.join('. ')}`;
  throw new Failure(failure?.code ?? 'partial', message, { operation: command, ...failure?.facts });
}

/** The label of a shipment that was just created. Whatever fails, the shipment exists, so that nothing is thrown. */
export async function labelAfter(
  session: Session,
  id: string,
  folder: string | undefined,
): Promise<Kept & { body?: unknown }> {
  const booking = { operation: OPERATIONS.createLabels, body: { international: id } };
  try {
    const outcome = await bookOnce(session, booking, undefined);
    const failure = failureFor(session, booking, outcome);
    if (failure) throw failure;
    return { body: outcome.body, ...(await keepLabels(session, folder, outcome, () => id)) };
  } catch (error) {
    return { saved: {}, problems: [], failure: unlabelled(session, id, error) };
  }
}

// An exit code that says more than that the label is not there.
const TELLING: readonly FailureCode[] = ['outcome_unknown', 'interrupted'];

function unlabelled(session: Session, id: string, error: unknown): Failure {
  const { code, facts } = error instanceof Failure ? error : { code: 'partial' as const, facts: {} };
  const look = code === 'outcome_unknown' ? ` \`waybill track ${quoted(id)}\` tells what is known.` : '';
  return new Failure(
    TELLING.includes(code) ? code : 'partial',
    `ship: the shipment ${id} was created, but there is no label of it to show: ${messageOf(error)}. Do not book the shipment again.${look} To make the label: ${labelCommand(session, { international: id })}`,
    { ...facts, operation: 'ship' },
  );
}

interface LegLabel {
  leg: Leg;
  carrier: string | undefined;
  trackingNumber: string | undefined;
  /** The file that it was saved as, else its link. */
  where: string | undefined;
}

/** The labels of an answer of `label`, or of the legs of `ship-dual`. */
export function labelsIn(body: unknown, saved: Saved): LegLabel[] {
  return LEGS.flatMap(leg => {
    const found = getAt(body, [leg, 'label']);
    const label = typeof found === 'object' ? found : getAt(body, [leg]);
    if (label === undefined) return [];
    return {
      leg,
      carrier: textAt(label, ['carrier']),
      trackingNumber: textAt(label, ['trackingNumber']),
      where: saved[leg] ?? textAt(label, ['label']) ?? textAt(label, ['labelPdf']),
    };
  });
}
