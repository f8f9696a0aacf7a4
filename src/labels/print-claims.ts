// Which labels may be printed: the journal is asked, a print is claimed in it, and how the print ended is recorded.

import type { LegShipment } from '../booking/booking.ts';
import type { PrintedLabel } from '../booking/questions.ts';
import { Failure, innerOf } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { Host } from '../host.ts';
import type { HeldPrint, PrintClaim } from '../journal/prints.ts';
import { indexedShipment } from '../journal/tables.ts';
import type { Desk } from '../order/desk.ts';
import { targetFlags } from '../order/options.ts';
import { type LabelProblem, type PrintFault, type PrintPlace, printPlaceWords } from '../say/labels.ts';
import type { CommandWords } from '../say/sentence.ts';
import { EXAMPLES } from '../text.ts';
import type { LabelFile, LabelOutput, OrderLabels } from './save.ts';

export const isNew = (file: LabelFile): boolean => file.printed === undefined;

export const hasFiles = (label: OrderLabels): boolean => label.files.length > 0;

export const isIn = (files: readonly LegShipment[]) => {
  const words = new Set(files.map(indexedShipment));
  return (file: LegShipment) => words.has(indexedShipment(file));
};

/** The labels as the journal has them now: another machine may have printed some while this command made the others. */
export async function asOfNow(labels: readonly OrderLabels[], desk: Desk): Promise<OrderLabels[]> {
  const printed = await desk.journal.printedAmong(
    desk.scope(),
    labels.flatMap(({ files }) => files),
  );
  return labels.map(pages => ({
    ...pages,
    files: pages.files.map(file => ({ ...file, printed: printed.get(indexedShipment(file)) })),
  }));
}

/** Two orders may be one shipment, with one label: the first order keeps the label, the second loses it. */
export function withoutTwins(labels: readonly OrderLabels[]): OrderLabels[] {
  const words = new Set<string>();
  return labels.map(pages => ({
    ...pages,
    files: pages.files.filter(file => words.size < words.add(indexedShipment(file)).size),
  }));
}

/** Labels that were printed earlier, grouped by what printed them: the printer, or a file. */
export function byPlace(files: readonly LabelFile[]): { place: PrintPlace; labels: LabelFile[] }[] {
  const inFiles = new Set(files.map(({ printed }) => printed?.file).filter(file => file !== null));
  const places = new Map<string, { place: PrintPlace; labels: LabelFile[] }>();
  const placeOf = (label: PrintedLabel): PrintPlace => {
    if (label.file === null) return { place: 'printer' };
    return label.file === '' || inFiles.size > EXAMPLES
      ? { place: 'files' }
      : { place: 'file', file: label.file, at: label.at };
  };
  for (const label of files) {
    if (label.printed === undefined) continue;
    const place = placeOf(label.printed);
    // Labels that were merged into one file in the same minute are one group.
    const group = places.get(printPlaceWords(place)) ?? { place, labels: [] };
    group.labels.push(label);
    places.set(printPlaceWords(place), group);
  }
  return [...places.values()];
}

/** The pause between two looks at a label that another process prints. */
const LOOK_MS = 100;

/** Repeats `ask` until no other process prints one of the labels. The process that waits has claimed nothing, so the wait ends. */
async function whenNoneIsPrinting<T>(
  ask: () => Promise<T>,
  heldIn: (answer: T) => readonly HeldPrint[],
  host: Host,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (!heldIn(answer).some(({ state }) => state === 'printing')) return answer;
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

/** Claims the prints of labels, as soon as no other process prints one of them. */
export const claimAll = (files: readonly LabelFile[], isAgain: boolean, desk: Desk): Promise<PrintClaim> =>
  whenNoneIsPrinting(
    () => desk.journal.claimPrints(desk.scope(), files, isAgain),
    ({ held }) => held,
    desk.host,
  );

/** The prints that could not be claimed now, as soon as no other process prints one of the labels. */
export const heldNow = (files: readonly LabelFile[], isAgain: boolean, desk: Desk): Promise<HeldPrint[]> =>
  whenNoneIsPrinting(
    () => desk.journal.heldPrints(desk.scope(), files, isAgain),
    prints => prints,
    desk.host,
  );

/** The problems of labels that are not printed: their order was cancelled, or nobody knows whether they were printed before. */
export function heldProblems(
  prints: readonly HeldPrint[],
  labels: readonly OrderLabels[],
  output: LabelOutput,
  desk: Desk,
): LabelProblem[] {
  const named = prints.map(print => ({
    print,
    name: labels.find(({ files }) => files.some(isIn([print])))?.name ?? print.shipment,
  }));
  const abandoned = named.filter(({ print }) => print.state === 'abandoned');
  const cancelled = named.filter(({ print }) => print.state === 'cancelled');
  return [
    ...abandonedPrints(abandoned, [...output.flags, ...targetFlags(desk)]),
    ...(cancelled.length > 0 ? [{ problem: 'cancelled', ...namedLabels(cancelled) } as const] : []),
  ];
}

interface NamedPrint {
  print: HeldPrint;
  name: string;
}

const namedLabels = (prints: readonly NamedPrint[]) => ({
  labels: prints.map(({ print: { leg, shipment } }) => ({ leg, shipment })),
  orders: prints.map(({ name }) => name),
});

/** The problem of labels whose prints began, and of which nobody knows how they ended. */
export function abandonedPrints(prints: readonly NamedPrint[], flags: readonly string[]): LabelProblem[] {
  const [first] = prints;
  if (first === undefined) return [];
  const { by } = first.print;
  return [
    {
      problem: 'print-unknown',
      ...namedLabels(prints),
      because: { fault: 'abandoned', by: by && { process: by.process, host: by.host, user: by.user } },
      reprint: reprintCommand(flags),
    },
  ];
}

/** Records labels as printed. Gives a problem if the journal could not record the print. */
export async function recordPrinted(
  claim: PrintClaim,
  labels: readonly OrderLabels[],
  path: string,
  output: LabelOutput,
  desk: Desk,
): Promise<LabelProblem[]> {
  const files = labels.flatMap(pages => pages.files);
  if (output.print) output.done.printed.push(...labels.flatMap(pages => pages.files.map(() => pages.name)));
  try {
    await desk.journal.endPrints(claim, files, 'printed', output.print ? null : path);
    return [];
  } catch (error) {
    const isPrinted = output.print !== undefined;
    return [{ problem: 'print-unrecorded', path, isPrinted, why: innerOf(error) }];
  }
}

/** Records that nobody knows whether these labels were printed. The problem that is given sends a person to the printer. */
export async function recordCutOff(
  claim: PrintClaim,
  labels: readonly OrderLabels[],
  because: PrintFault,
  output: LabelOutput,
  desk: Desk,
): Promise<LabelProblem[]> {
  const files = labels.flatMap(pages => pages.files);
  // If the journal cannot record this, the claim is that of a process that has ended, which means the same.
  await desk.journal.endPrints(claim, files, 'cut-off').catch(() => {});
  return [
    {
      problem: 'print-unknown',
      labels: files.map(({ leg, shipment }) => ({ leg, shipment })),
      orders: labels.map(({ name }) => name),
      because,
      reprint: reprintCommand([...output.flags, ...targetFlags(desk)]),
    },
  ];
}

/** The command that prints labels which a person did not find at the printer. The names of the orders are added to it. */
const reprintCommand = (flags: readonly string[]): CommandWords => [
  'waybill',
  'label',
  '--print',
  '--reprint',
  ...flags,
];

/** Keeps the labels that are not printed again, for the note at the end of the command. */
export function noteLater(output: LabelOutput, labels: readonly OrderLabels[]): void {
  for (const { name, files } of labels) {
    const earlier = files.filter(({ printed }) => printed);
    if (earlier.length > 0) output.done.earlier.push({ name, files: earlier });
  }
}

export function notDone(problem: 'none-merged' | 'none-printed', error: unknown): LabelProblem {
  if (!(error instanceof Failure)) throw error;
  return { problem, why: innerOf(error) };
}
