// What is said of labels and papers: made, saved, merged and printed.
import { KIND_WORDS } from '../contract/content.ts';
import type { Leg } from '../contract/operations.ts';
import { commandText, EXAMPLES, numbered, operandWords, someOf } from '../text.ts';
import {
  type CommandWords,
  command,
  flag,
  type Inner,
  next,
  pattern,
  type Saying,
  say,
  sentences,
  stranger,
  type Tell,
  type Text,
  wholeText,
} from './sentence.ts';
import { OTHER_STATE_FOLDER } from './session.ts';
import { timeWords } from './words.ts';

/** What a person does about a label without a file. */
export const ASK_SERVICE = 'Do not make it again: ask the service for its file';

// What is wrong with the file of a label.

/** Why a file is no label, although its kind is known. */
export type ImageFault =
  | { fault: 'cut-off' | 'damaged' | 'no-pixels' | 'blank' }
  | { fault: 'too-large'; width: number; height: number; most: number };

function imageFaultWords(fault: ImageFault): string {
  switch (fault.fault) {
    case 'cut-off':
      return 'is cut off';
    case 'damaged':
      return 'is damaged';
    case 'no-pixels':
      return 'has no pixels';
    case 'blank':
      return 'has nothing on its pages';
    case 'too-large':
      return `has ${fault.width} × ${fault.height} pixels, and at most ${fault.most / 1e6} million are read`;
  }
}

/** Why a label cannot be a page of a PDF. `file`: `a PNG image`. */
export type PageFault =
  | { fault: 'unreadable'; why?: string }
  | { fault: 'no-page-kind'; file?: string | undefined }
  | { fault: 'image'; file: string; image: ImageFault }
  | { fault: 'pdf-damaged' | 'encrypted' | 'no-page' | 'unpacks-too-far' }
  | { fault: 'too-many-pages'; most: number }
  | { fault: 'page-size'; width: number; height: number };

export function pageFaultWords(fault: PageFault): string {
  switch (fault.fault) {
    case 'unreadable':
      return `it cannot be read${fault.why === undefined ? '' : `: ${fault.why}`}`;
    case 'no-page-kind':
      return `${fault.file ?? 'it'} cannot be a page of a PDF`;
    case 'image':
      return `it is ${fault.file} that ${imageFaultWords(fault.image)}`;
    case 'pdf-damaged':
      return 'its PDF is damaged';
    case 'encrypted':
      return 'its PDF is encrypted';
    case 'no-page':
      return 'its PDF has no page';
    case 'unpacks-too-far':
      return 'its PDF unpacks to more than can be read';
    case 'too-many-pages':
      return `its PDF has more than ${fault.most} pages`;
    case 'page-size':
      return `a page of its PDF has ${fault.width} × ${fault.height} points`;
  }
}

/** What came in place of a label. */
type FileFault =
  | { fault: 'unknown-kind' }
  /** Without the mark at its end. */
  | { fault: 'no-end'; file: string; bytes: number; mark: string }
  | { fault: 'image'; file: string; image: ImageFault };

function fileFaultWords(fault: FileFault): string {
  switch (fault.fault) {
    case 'unknown-kind':
      return `none of ${KIND_WORDS}`;
    case 'no-end':
      return `${fault.file} that is cut off: ${fault.bytes} bytes without ${fault.mark} at their end`;
    case 'image':
      return `${fault.file} that ${imageFaultWords(fault.image)}`;
  }
}

// Printing.

/** Why a file was not printed, or may not have been. */
export type PrintFault =
  /** By a signal, or by the journal. */
  | { fault: 'failed'; why: Inner }
  | { fault: 'ended'; program: string; exitCode: number; isBySignal: boolean }
  | { fault: 'no-program'; program: string; profile: string | null }
  | { fault: 'unstartable'; program: string; why: string; profile: string | null };

const otherProgram = (profile: string | null): Text =>
  profile === null
    ? say`Only a profile can name another one, as printCommand: ${pattern('waybill profile add NAME')} makes a profile`
    : say`${pattern(commandText(['waybill', 'profile', 'set', profile, 'printCommand=PROGRAM']))} names another one`;

export function printFaultText(fault: PrintFault, tell: Tell): Text {
  switch (fault.fault) {
    case 'failed':
      return wholeText(tell(fault.why));
    case 'ended':
      return say`${fault.program} ended with ${fault.exitCode}${fault.isBySignal ? ', by a signal' : ''}`;
    case 'no-program':
      return say`there is no program ${fault.program} here. ${otherProgram(fault.profile)}`;
    case 'unstartable':
      return say`${fault.program} cannot be run (${fault.why}). ${otherProgram(fault.profile)}`;
  }
}

/** What printed labels that count as printed: a printer, or a person from a merged file; `files`: from several. */
export type PrintPlace = { place: 'printer' | 'files' } | { place: 'file'; file: string; at: number };

export function printPlaceWords(print: PrintPlace): string {
  switch (print.place) {
    case 'printer':
      return 'printed before';
    case 'files':
      return 'in earlier merged files';
    case 'file':
      return `in ${print.file} (merged ${timeWords(print.at)})`;
  }
}

const pagesWords = (first: number, last: number): string =>
  first === last ? `page ${first}` : `pages ${first} to ${last}`;

interface LabelOf {
  leg: Leg;
  shipment: string;
}

/** Labels of which nobody knows whether they were printed. */
interface PrintsUnknown {
  labels: readonly LabelOf[];
  orders: readonly string[];
  /** An earlier command began the print, and did not record its end. */
  because:
    | PrintFault
    | { fault: 'abandoned'; by: { process: number; host: string; user?: string | undefined } | null };
  /** Prints orders that are named behind it once more. */
  reprint: CommandWords;
}

/** A command of more names is longer than a screen. */
export const MOST_NAMED = 10;

function printsUnknownText({ labels, orders, because, reprint }: PrintsUnknown, tell: Tell): Text {
  const [first] = labels;
  const isOne = labels.length === 1;
  const [was, is, them] = isOne ? ['was', 'the label is', 'it'] : ['were', 'they are', 'them'];
  const many =
    because.fault === 'abandoned'
      ? `${numbered(labels.length, 'label')} (${someOf(orders, EXAMPLES)})`
      : `these ${labels.length} labels`;
  const typed =
    orders.length <= MOST_NAMED
      ? command(...reprint, ...operandWords(orders))
      : pattern(`${commandText(reprint)} REF...`);
  return say`whether ${isOne ? `the ${first?.leg} label of ${first?.shipment}` : many} ${was} printed is not known: ${
    because.fault === 'abandoned' ? abandonedWords(because.by, isOne) : printFaultText(because, tell)
  }. Look at the printer; if ${is} not there, ${typed} prints ${them}`;
}

function abandonedWords(
  by: { process: number; host: string; user?: string | undefined } | null,
  isOne: boolean,
): string {
  if (!isOne) return 'their prints were begun, and their end was not recorded';
  const who = by && ` by process ${by.process} of ${by.user === undefined ? '' : `${by.user}@`}${by.host}`;
  return `its print was begun${who ?? ''}, and its end was not recorded`;
}

/** A label that is not in a merged file; without a fault: the failure of its order says why. */
export interface MissingLabel {
  name: string;
  fault?: { fault: 'no-file' } | (PageFault & { path: string });
}

function missingWords({ name, fault }: MissingLabel): string {
  if (fault === undefined) return name;
  return `${name} (${fault.fault === 'no-file' ? 'the service gave no label to save' : `${pageFaultWords(fault)}; it is in ${fault.path}`})`;
}

/** How to get a label that was made and not saved. */
type WayToLabel =
  /** `show`: has the answer as it came. */
  | { way: 'ask'; show: CommandWords }
  | { way: 'link'; link?: string | undefined }
  | { way: 'download'; download: CommandWords; link?: string | undefined };

function wayToLabelText(way: WayToLabel): Text {
  if (way.way === 'ask') return say`${ASK_SERVICE}. ${next(...way.show)} has the answer as it came`;
  const itsLink = way.link && `. Its link is ${way.link}`;
  if (way.way === 'link') return say`Do not make it again${itsLink}`;
  return say`Do not make it again: ${next(...way.download)} saves this one and makes no other${itsLink}`;
}

/** Why an order has no papers behind its label. */
type NoPapers = { because: 'not-booked' } | { because: 'unreadable'; why: Inner };

/** What was not done with a label or a paper that exists. */
export type LabelProblem =
  | { problem: 'no-file'; leg: Leg; trackingNumber?: string | undefined }
  | { problem: 'not-saved'; leg: Leg; why: Inner; way: WayToLabel }
  /** Of all labels. */
  | { problem: 'none-merged' | 'none-printed'; why: Inner }
  | { problem: 'cancelled'; leg: Leg; shipment: string; order: string }
  | ({ problem: 'print-unknown' } & PrintsUnknown)
  | { problem: 'missing'; file: string; missing: readonly MissingLabel[] }
  | { problem: 'not-printed'; path: string; because: PrintFault; again: CommandWords }
  /** None can be printed. */
  | { problem: 'no-printer'; because: PrintFault }
  /** `again`: if all of them are new. */
  | { problem: 'file-not-printed'; path: string; count: number; because: PrintFault; again?: CommandWords }
  | { problem: 'print-unrecorded'; path: string; isPrinted: boolean; why: Inner }
  | ({ problem: 'no-papers'; shipment: string } & NoPapers)
  | { problem: 'papers-refused'; why: Inner }
  | {
      problem: 'paper-print-unknown' | 'paper-not-printed';
      paper: string;
      path: string;
      because: PrintFault;
      again: CommandWords;
    }
  | { problem: 'papers-not-saved'; order: string; why: Inner; again: CommandWords };

/** Problems that the same command does not solve: another one does, or a person who looks at the printer. */
export const LEFT_TO_OTHERS: readonly LabelProblem['problem'][] = [
  'print-unknown',
  'paper-print-unknown',
  'paper-not-printed',
  'papers-not-saved',
];

export function labelProblemText(problem: LabelProblem, tell: Tell): Text {
  switch (problem.problem) {
    case 'no-file': {
      const { leg, trackingNumber } = problem;
      return say`the ${leg} label${trackingNumber && ` (tracking number ${trackingNumber})`} cannot be saved: the service gave no file, or it was pruned. ${ASK_SERVICE}`;
    }
    case 'not-saved':
      return say`the ${problem.leg} label was made, but not saved: ${wholeText(tell(problem.why))}. ${wayToLabelText(problem.way)}`;
    case 'none-merged':
    case 'none-printed':
      return say`the labels were made and saved, but not ${problem.problem === 'none-merged' ? 'merged' : 'printed'}: ${wholeText(tell(problem.why))}`;
    case 'cancelled':
      return say`the ${problem.leg} label of ${problem.shipment} was not printed: the order ${stranger(problem.order)} was cancelled`;
    case 'print-unknown':
      return printsUnknownText(problem, tell);
    case 'missing': {
      const { file, missing } = problem;
      return say`${file} lacks ${missing.length === 1 ? 'a label' : `${missing.length} labels`}: ${someOf(missing.map(missingWords))}`;
    }
    case 'not-printed':
      return say`the label was made and saved as ${problem.path}, but not printed: ${printFaultText(problem.because, tell)}. ${command(...problem.again)} prints it, and makes no other`;
    case 'no-printer':
      return say`the label was made and saved, but not printed: ${printFaultText(problem.because, tell)}; then ${command('waybill', 'label', '--unprinted', '--print')} prints it`;
    case 'file-not-printed': {
      const { count, path, because, again } = problem;
      const [was, them] = count === 1 ? ['was', 'it'] : ['were', 'them'];
      return say`the ${numbered(count, 'label')} in ${path} ${was} made and saved, but not printed: ${printFaultText(because, tell)}. The same command prints ${them}${again && say`, and so does ${command(...again)}`}`;
    }
    case 'print-unrecorded':
      return say`${problem.path} ${problem.isPrinted ? 'went to the printer' : 'was merged'}, but the journal could not record that: ${wholeText(tell(problem.why))}. The next ${flag('--print')} says that it may be printed`;
    case 'no-papers':
      return say`${problem.shipment} has no papers: ${problem.because === 'not-booked' ? 'it was not booked here' : wholeText(tell(problem.why))}`;
    case 'papers-refused':
      return wholeText(tell(problem.why));
    case 'paper-print-unknown':
      return say`whether the ${problem.paper} in ${problem.path} was printed is not known: ${printFaultText(problem.because, tell)}. Look at the printer; if it is not there, ${next(...problem.again)} prints it`;
    case 'paper-not-printed':
      return say`the ${problem.paper} was saved as ${problem.path}, but not printed: ${printFaultText(problem.because, tell)}. ${next(...problem.again)} prints it`;
    case 'papers-not-saved':
      return say`the papers of ${problem.order} were not saved: ${wholeText(tell(problem.why))}. ${next(...problem.again)} makes them`;
  }
}

export const labelProblemsText = (problems: readonly LabelProblem[], tell: Tell): Text =>
  sentences(...problems.map(problem => labelProblemText(problem, tell)));

/** A label, and the order that has it. */
interface LabelOfOrder {
  shipment: string;
  key?: string | undefined;
}

const labelOfOrder = ({ shipment, key }: LabelOfOrder): string =>
  key === undefined ? shipment : `${shipment} (order ${stranger(key)})`;

const pairText = (shipments: readonly string[]): Text =>
  say`ship-dual: the pair ${shipments.join(' and ')} was created; do not book it again`;

const shows = (show: CommandWords): Text => say`${next(...show)} shows it`;

/** A shipment whose label is not there. `make`: makes it. */
interface Unlabelled {
  shipment: string;
  why: Inner;
  make: CommandWords;
}

export const LABELS = {
  'labels-unfinished': (
    { command: typed, problems }: { command: string; problems: readonly LabelProblem[] },
    tell: Tell,
  ): Saying => ({ what: say`${typed}: ${labelProblemsText(problems, tell)}` }),
  'reprint-without-print': (): Saying => ({ what: say`${flag('--reprint')} needs ${flag('--print')}` }),
  /** `isOwn`: of waybill itself. */
  'label-folder-unwritable': (folder: { path: string; why: string; isOwn: boolean }): Saying => ({
    what: say`labels cannot be saved in ${folder.path}: ${folder.why}`,
    toDo: folder.isOwn ? OTHER_STATE_FOLDER : [],
  }),
  'label-file-unusable': ({ from, ...fault }: FileFault & { from: 'answer' | 'link' }): Saying => ({
    what: say`what ${from === 'answer' ? 'the answer has in its place' : 'its link leads to'} is ${fileFaultWords(fault)}`,
  }),
  'no-link-to-domestic-label': (): Saying => ({
    what: say`the domestic label cannot be saved: the service gave no link to it`,
  }),
  'label-is-no-pdf': ({ leg, file, path }: { leg: Leg; file: string; path: string }): Saying => ({
    what: say`the ${leg} label is ${file}, not a PDF: ${path}`,
  }),
  'label-of-pruned-order': ({ path }: { path: string }): Saying => ({
    what: say`the order was pruned meanwhile: delete ${path} once it is printed, because it has the address`,
  }),
  'two-labels-alike': ({ label, other }: { label: LabelOfOrder; other: LabelOfOrder }): Saying => ({
    what: say`the label of ${labelOfOrder(label)} is, byte for byte, that of ${labelOfOrder(other)}: two parcels would have one sticker`,
    toDo: say`Use it for neither before the service says whose it is`,
  }),
  'label-saved': ({ path }: { path: string }): Saying => ({ what: say`label saved: ${path}` }),
  'labels-saved': ({ folder, files }: { folder: string; files: readonly string[] }): Saying => ({
    what: say`${files.length} labels saved in ${folder}: ${someOf(files, EXAMPLES)}`,
  }),

  'merged-unwritable': ({ file, why }: { file: string; why: string }): Saying => ({
    what: say`${file} cannot be written: ${why}`,
  }),
  'merged-by-another-program': ({ file }: { file: string }): Saying => ({
    what: say`${flag('--merge', file)}: it was not made by waybill, and is not replaced`,
    toDo: say`Choose another name, or move it away`,
  }),
  'merged-by-another-command': ({ file }: { file: string }): Saying => ({
    what: say`another command wrote ${file} meanwhile, and that stays`,
    toDo: say`Give ${flag('--merge')} another FILE`,
  }),
  'merged-before': ({ path }: { path: string }): Saying => ({
    what: say`${path} is still that of an earlier merge: there was no label to put into it`,
  }),
  /** `before`: labels that count as printed. `pages`: those of the new ones, if a person prints only them. */
  'labels-merged': (file: {
    path: string;
    count: number;
    before: readonly (PrintPlace & { count: number })[];
    pages?: { last: number; all: number } | undefined;
  }): Saying => {
    const before = file.before.map(
      place => `, ${place.count === file.count ? 'all' : place.count} of them ${printPlaceWords(place)}`,
    );
    const { pages } = file;
    return {
      what: say`labels merged: ${file.path} (${numbered(file.count, 'label')}${before.join('')})`,
      toDo: pages
        ? say`Print ${pagesWords(1, pages.last)}; the earlier ones are on ${pagesWords(pages.last + 1, pages.all)}`
        : [],
    };
  },
  /** `by`: a command whose printer is not known. Neither: the default printer. */
  'labels-printed': ({
    count,
    orders,
    printer,
    by,
  }: {
    count: number;
    orders: readonly string[];
    printer?: string | undefined;
    by?: string | undefined;
  }): Saying => {
    const where =
      by !== undefined
        ? `the printer by \`${by}\``
        : printer
          ? `the printer ${printer}`
          : 'the default printer';
    return { what: say`${numbered(count, 'label')} sent to ${where}: ${someOf(orders, EXAMPLES)}` };
  },
  /** `reprint`, `papers`: print these orders' labels and papers; left out where there are too many orders. */
  'labels-printed-before': ({
    count,
    orders,
    hasPapers,
    reprint,
    papers,
    ...place
  }: PrintPlace & {
    count: number;
    orders: readonly string[];
    hasPapers: boolean;
    reprint?: CommandWords | undefined;
    papers?: CommandWords | undefined;
  }): Saying => {
    const [was, is, them] = count === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'them'];
    const how = reprint
      ? say`${command(...reprint)} prints ${them}`
      : say`the same command with ${flag('--reprint')} prints all labels`;
    const nor = hasPapers && say`. Nor are the papers${papers && say`; ${command(...papers)} prints those`}`;
    return {
      what: say`${numbered(count, 'label')} ${place.place === 'printer' ? was : is} ${printPlaceWords(place)}, and ${is} not printed again (${someOf(orders, EXAMPLES)}); ${how}${nor || undefined}`,
    };
  },

  /** An order whose price nobody accepted. */
  'label-not-made': ({ shipment, because }: { shipment: string; because: Inner }, tell: Tell): Saying => ({
    what: say`label: no label was made of ${shipment}`,
    toDo: wholeText(tell(because)),
  }),
  'label-made-before': (label: { shipment: string; at: number; booking: string }): Saying => ({
    what: say`the label of ${label.shipment} was made before (${timeWords(label.at)}, ${label.booking}) and is shown again`,
  }),
  'labels-made-before': ({ shipments }: { shipments: readonly string[] }): Saying => ({
    what: say`${shipments.length} labels were made before and are shown again: ${someOf(shipments, EXAMPLES)}`,
  }),
  'pair-labels-unknown': (
    { shipments, why }: { shipments: readonly string[]; why: Inner },
    tell: Tell,
  ): Saying => ({
    what: say`${pairText(shipments)}. But whether it has its labels is unknown: ${wholeText(tell(why))}`,
  }),
  'pair-without-labels': ({
    shipments,
    legs,
    make,
  }: {
    shipments: readonly string[];
    legs: readonly string[];
    make: CommandWords;
  }): Saying => ({
    what: say`${pairText(shipments)}. But the ${legs.join(' and ')} leg has no label here`,
    toDo: say`To make it: ${next(...make)}`,
  }),
  'label-of-shipment-unknown': (
    { shipment, why, track, make }: Unlabelled & { track: CommandWords },
    tell: Tell,
  ): Saying => ({
    what: say`ship: the shipment ${shipment} was created; do not book it again. Whether it has a label is unknown: ${wholeText(tell(why))}`,
    toDo: say`${next(...track)} shows its tracking number, if it has one. Once that is resolved: ${command(...make)}`,
  }),
  'shipment-without-label': ({ shipment, why, make }: Unlabelled, tell: Tell): Saying => ({
    what: say`ship: the shipment ${shipment} was created, but it has no label to show: ${wholeText(tell(why))}`,
    toDo: say`Do not book the shipment again. To make the label: ${next(...make)}`,
  }),

  'papers-of-no-order': ({ name, show }: { name: string; show: CommandWords }): Saying => ({
    what: say`${stranger(name)} is no order with goods, and has no papers`,
    toDo: shows(show),
  }),
  'papers-of-failed-order': ({ name, why }: { name: string; why: Inner }, tell: Tell): Saying => ({
    what: say`no papers of ${stranger(name)}: ${wholeText(tell(why))}`,
  }),
  'papers-of-unbooked-order': (order: { name: string; state: string; show: CommandWords }): Saying => ({
    what: say`no papers of ${stranger(order.name)}: it is ${order.state}`,
    toDo: shows(order.show),
  }),
  'papers-without-request': ({ name, show }: { name: string; show: CommandWords }): Saying => ({
    what: say`no papers of ${stranger(name)}: the journal does not have its request any more, or never had it: it was pruned, or imported from results`,
    toDo: shows(show),
  }),
  'no-invoice-in-territory': ({ order }: { order: string }): Saying => ({
    what: say`${order}: sender and receiver are in one customs territory, and there is no invoice`,
  }),
  'letters-unprintable': (letters: Record<'order' | 'field' | 'paper' | 'letters', string>): Saying => ({
    what: say`${letters.order}: ${letters.field} has letters that the ${letters.paper} cannot show (${letters.letters}): each is printed as ?`,
    toDo: say`Write it in Latin letters by hand, or book with them`,
  }),
  'paper-saved': ({ paper, path }: { paper: string; path: string }): Saying => ({
    what: say`${paper} saved: ${path}`,
  }),
};
