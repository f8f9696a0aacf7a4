// What is said of labels and papers: how they were made, saved, merged and printed.
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

/** What a person does about a label that was made, but has no file. */
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
      return `has ${fault.width} × ${fault.height} pixels, above ${fault.most / 1e6} million`;
  }
}

/** A size in mm. */
interface Extent {
  width: number;
  height: number;
}

/** Why a label cannot be a page of a PDF. `file`: what it is instead, such as `a PNG image`. */
export type PageFault =
  | { fault: 'unreadable'; why?: string }
  | { fault: 'no-page-kind'; file?: string | undefined }
  | { fault: 'image'; file: string; image: ImageFault }
  | { fault: 'pdf-damaged' | 'encrypted' | 'no-page' | 'unpacks-too-far' | 'form-undrawn' }
  | { fault: 'crop-empty'; part: { x: number; y: number } & Extent; page: Extent }
  | { fault: 'paper-too-small'; percent: number }
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
      return 'its PDF unpacks too far';
    case 'form-undrawn':
      return 'its PDF has a form or a note that only a viewer draws: open it there and print it';
    case 'crop-empty': {
      const { part, page } = fault;
      const size = `${Math.round(page.width)} × ${Math.round(page.height)} mm`;
      return `less than 20 mm of it is in the part that is to be taken: ${part.x},${part.y},${part.width}x${part.height} of a page of ${size}`;
    }
    case 'paper-too-small':
      return `on this paper it would have ${fault.percent} % of its size`;
    case 'too-many-pages':
      return `its PDF has more than ${fault.most} pages`;
    case 'page-size':
      return `a page of its PDF has ${fault.width} × ${fault.height} points`;
  }
}

/** What came from the service in place of the file of a label. */
type FileFault =
  | { fault: 'unknown-kind' }
  /** A file without the mark that its kind has at the end. */
  | { fault: 'no-end'; file: string; bytes: number; mark: string }
  | { fault: 'image'; file: string; image: ImageFault };

function fileFaultWords(fault: FileFault): string {
  switch (fault.fault) {
    case 'unknown-kind':
      return `none of ${KIND_WORDS}`;
    case 'no-end':
      return `${fault.file} that is cut off: ${fault.bytes} bytes without ${fault.mark}`;
    case 'image':
      return `${fault.file} that ${imageFaultWords(fault.image)}`;
  }
}

// Printing.

/** Why a file was not printed, or may not have been. */
export type PrintFault =
  /** The print did not begin: a signal came first, or the journal failed. */
  | { fault: 'failed'; why: Inner }
  | { fault: 'ended'; program: string; exitCode: number; isBySignal: boolean }
  | { fault: 'no-program'; program: string; profile: string | null }
  | { fault: 'unstartable'; program: string; why: string; profile: string | null };

const otherProgram = (profile: string | null): Text =>
  profile === null
    ? say`Only a profile names another one, as printCommand: ${pattern('waybill profile add NAME')}`
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

/** Where labels were printed that count as printed: on a printer, or by a person from one merged file, or from several (`files`). */
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

/** Labels that may have been printed: nobody knows. */
interface PrintsUnknown {
  labels: readonly LabelOf[];
  orders: readonly string[];
  /** `abandoned`: an earlier command began the print, and did not record its end. */
  because:
    | PrintFault
    | { fault: 'abandoned'; by: { process: number; host: string; user?: string | undefined } | null };
  /** The command that prints labels again: the names of orders are put behind it. */
  reprint: CommandWords;
}

/** The most orders that a command names: with more it is longer than a screen. */
export const MOST_NAMED = 10;

function printsUnknownText(prints: PrintsUnknown, tell: Tell): Text {
  const { labels, orders, because, reprint } = prints;
  const [first] = labels;
  const isOne = labels.length === 1;
  const typed =
    orders.length <= MOST_NAMED
      ? command(...reprint, ...operandWords(orders))
      : pattern(`${commandText(reprint)} REF...`);
  return mayBePrinted(
    isOne
      ? `the ${first?.leg} label of ${first?.shipment}`
      : `${labels.length} labels (${someOf(orders, EXAMPLES)})`,
    because.fault === 'abandoned' ? abandonedText(isOne ? because.by : null) : printFaultText(because, tell),
    typed,
    isOne,
  );
}

/** A sentence for labels or a paper that may have been printed: nobody knows. */
const mayBePrinted = (what: string, because: Text, again: Text[number], isOne = true): Text =>
  say`${what} may be printed: ${because}. Look at the printer; if ${isOne ? 'it is' : 'they are'} not there, ${again} prints ${isOne ? 'it' : 'them'}`;

const savedNotPrinted = (saved: string, because: Text, again: Text[number]): Text =>
  say`${saved}, but not printed: ${because}. ${again} prints it`;

const abandonedText = (printing: { process: number; host: string; user?: string | undefined } | null): Text =>
  say`begun${printing ? ` by process ${printing.process} of ${printing.user === undefined ? '' : `${printing.user}@`}${printing.host}` : undefined}, without a recorded end`;

/** A label that is not in a merged file. Without a fault, the failure of its order says why. */
export interface MissingLabel {
  name: string;
  fault?: { fault: 'no-file' } | (PageFault & { path: string });
}

function missingWords(label: MissingLabel): string {
  if (label.fault === undefined) return label.name;
  return `${label.name} (${label.fault.fault === 'no-file' ? 'the service gave no file' : `${pageFaultWords(label.fault)}; it is in ${label.fault.path}`})`;
}

/** How to get the file of a label that was made, but not saved. */
type WayToLabel =
  /** `show`: the command that shows the answer as it came. */
  | { way: 'ask'; show: CommandWords }
  | { way: 'link'; link?: string | undefined }
  | { way: 'download'; download: CommandWords; link?: string | undefined };

function wayToLabelText(way: WayToLabel): Text {
  if (way.way === 'ask') return say`${ASK_SERVICE}. ${next(...way.show)} has the answer`;
  const itsLink = way.link && `. Its link is ${way.link}`;
  if (way.way === 'link') return say`Do not make it again${itsLink}`;
  return say`Do not make it again: ${next(...way.download)} saves this one${itsLink}`;
}

/** Why an order has no papers to print behind its label. */
type NoPapers = { because: 'not-booked' } | { because: 'unreadable'; why: Inner };

/** What was not done with a label, or with a paper, that exists. */
export type LabelProblem =
  | { problem: 'no-file'; leg: Leg; trackingNumber?: string | undefined }
  | { problem: 'not-saved'; leg: Leg; why: Inner; way: WayToLabel }
  /** A problem of all labels of the command. */
  | { problem: 'none-merged' | 'none-printed'; why: Inner }
  | { problem: 'cancelled'; labels: readonly LabelOf[]; orders: readonly string[] }
  | ({ problem: 'print-unknown' } & PrintsUnknown)
  | { problem: 'missing'; file: string; missing: readonly MissingLabel[]; isCropped: boolean }
  /** `all`: the command that prints all labels which are not printed. Said in place of `again`, it gives many orders the same words. */
  | {
      problem: 'not-printed';
      path: string;
      because: PrintFault;
      again: CommandWords;
      all?: CommandWords | undefined;
    }
  /** The label does not fit on the paper that is wanted. */
  | { problem: 'not-on-paper'; path: string; fault: PageFault; isCropped: boolean }
  /** `again`: the command that prints the file; missing unless all labels in the file are new. */
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

/** Problems that the same command does not solve: another command does, or a person who looks at the printer. */
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
      return say`the ${leg} label${trackingNumber && ` (tracking number ${trackingNumber})`} has no file: the service gave none, or it was pruned. ${ASK_SERVICE}`;
    }
    case 'not-saved':
      return say`the ${problem.leg} label was made, but not saved: ${wholeText(tell(problem.why))}. ${wayToLabelText(problem.way)}`;
    case 'none-merged':
    case 'none-printed':
      return say`the labels were saved, but not ${problem.problem === 'none-merged' ? 'merged' : 'printed'}: ${wholeText(tell(problem.why))}`;
    case 'cancelled': {
      const { labels, orders } = problem;
      const [label] = labels;
      return labels.length === 1
        ? say`the ${label?.leg} label of ${label?.shipment} was not printed: the order ${stranger(orders[0])} was cancelled`
        : say`${labels.length} labels were not printed: their orders were cancelled (${someOf(orders, EXAMPLES)})`;
    }
    case 'print-unknown':
      return printsUnknownText(problem, tell);
    case 'missing': {
      const { file, missing } = problem;
      const isTooSmall = missing.some(({ fault }) => fault?.fault === 'paper-too-small');
      return say`${file} lacks ${missing.length === 1 ? 'a label' : `${missing.length} labels`}: ${someOf(missing.map(missingWords))}${isTooSmall ? say`. ${largerPaper(problem.isCropped)}` : ''}`;
    }
    case 'not-printed': {
      const { path, because, again, all } = problem;
      const saved = `the label was saved${all === undefined ? ` as ${path}` : ''}`;
      return savedNotPrinted(saved, printFaultText(because, tell), command(...(all ?? again)));
    }
    case 'not-on-paper':
      return say`the label in ${problem.path} was not printed: ${pageFaultWords(problem.fault)}${problem.fault.fault === 'paper-too-small' ? say`. ${largerPaper(problem.isCropped)}` : ''}`;
    case 'file-not-printed': {
      const { count, path, because, again } = problem;
      const them = count === 1 ? 'it' : 'them';
      return say`the ${numbered(count, 'label')} in ${path} ${count === 1 ? 'was' : 'were'} not printed: ${printFaultText(because, tell)}. The same command prints ${them}${again && say`, and so does ${command(...again)}`}`;
    }
    case 'print-unrecorded':
      return say`${problem.path} ${problem.isPrinted ? 'went to the printer' : 'was merged'}, but that is not recorded: ${wholeText(tell(problem.why))}. The next ${flag('--print')} says so`;
    case 'no-papers':
      return say`${problem.shipment} has no papers: ${problem.because === 'not-booked' ? 'it was not booked here' : wholeText(tell(problem.why))}`;
    case 'papers-refused':
      return wholeText(tell(problem.why));
    case 'paper-print-unknown':
      return mayBePrinted(
        `the ${problem.paper} in ${problem.path}`,
        printFaultText(problem.because, tell),
        next(...problem.again),
      );
    case 'paper-not-printed':
      return savedNotPrinted(
        `the ${problem.paper} was saved as ${problem.path}`,
        printFaultText(problem.because, tell),
        next(...problem.again),
      );
    case 'papers-not-saved':
      return say`the papers of ${problem.order} were not saved: ${wholeText(tell(problem.why))}. ${next(...problem.again)} makes them`;
  }
}

const labelProblemsText = (problems: readonly LabelProblem[], tell: Tell): Text =>
  sentences(...problems.map(problem => labelProblemText(problem, tell)));

const LACKS = {
  'another-label': 'lacks another one',
  file: 'its file could not be saved',
  print: 'printing it did not succeed',
};

/** What an order that has a label still lacks. */
export type LabelLack = keyof typeof LACKS;

/** Orders with a label that lack something: `F-1 has a label, but its file could not be saved`. */
function halfDoneWords(orders: readonly { name: string; lack: LabelLack }[]): string[] {
  const names = new Map<LabelLack, string[]>();
  for (const { name, lack } of orders) names.set(lack, [...(names.get(lack) ?? []), name]);
  return [...names].map(
    ([lack, of]) => `${someOf(of, EXAMPLES)} ${of.length === 1 ? 'has' : 'have'} a label, but ${LACKS[lack]}`,
  );
}

/** The shipment of a label, and the key of its order. */
interface LabelOfOrder {
  shipment: string;
  key?: string | undefined;
}

const labelOfOrder = (label: LabelOfOrder): string =>
  label.key === undefined ? label.shipment : `${label.shipment} (order ${stranger(label.key)})`;

const existing = (typed: string, shipments: string): Text =>
  say`${typed}: ${shipments} exists; do not book it again`;

/** What to do about a label that would be too small on the paper. */
const largerPaper = (isCropped: boolean): Text =>
  say`A bar code below 90 % may not be read: ${isCropped ? say`name a smaller part with ${flag('--crop')} X,Y,WxH` : say`cut the margins off with ${flag('--crop')} auto`}, choose larger paper, or take its own with ${flag('--fit')} none`;

const pairText = (shipments: readonly string[]): Text =>
  existing('ship-dual', `the pair ${shipments.join(' and ')}`);

const shows = (show: CommandWords): Text => say`${next(...show)} shows it`;

/** A shipment that has no label. `make`: the command that makes the label. */
interface Unlabelled {
  shipment: string;
  why: Inner;
  make: CommandWords;
}

export const LABELS = {
  'labels-unfinished': (
    notice: { command: string; problems: readonly LabelProblem[] },
    tell: Tell,
  ): Saying => ({ what: say`${notice.command}: ${labelProblemsText(notice.problems, tell)}` }),
  /** `failed`, `notStarted`: how many of the `count` shipments. */
  'labels-of-several': (
    several: Record<'failed' | 'count' | 'notStarted', number> & {
      halfDone: readonly { name: string; lack: LabelLack }[];
      problems: readonly LabelProblem[];
    },
    tell: Tell,
  ): Saying => {
    const { failed, count, notStarted } = several;
    const parts: Text[] = [
      ...(failed > 0 ? [say`${failed} of ${count} shipments failed`] : []),
      ...halfDoneWords(several.halfDone).map(words => [words]),
      ...(notStarted > 0 ? [say`${notStarted} ${notStarted === 1 ? 'was' : 'were'} not started`] : []),
      ...several.problems.map(problem => labelProblemText(problem, tell)),
    ];
    return { what: say`label: ${sentences(...parts)}` };
  },
  /** Problems with labels that stand behind a failure, in the same message. */
  'labels-left': (notice: { problems: readonly LabelProblem[] }, tell: Tell): Saying => ({
    what: labelProblemsText(notice.problems, tell),
  }),
  'label-too-small': (notice: {
    labels: readonly { order: string; percent: number }[];
    isCropped: boolean;
  }): Saying => ({
    what: say`on this paper a label would be too small: ${someOf(notice.labels.map(({ order, percent }) => `${order} (${percent} % of its size)`))}`,
    toDo: largerPaper(notice.isCropped),
  }),
  'label-on-own-paper': (notice: { order: string; file?: string | undefined }): Saying => ({
    what: say`the label of ${notice.order} is ${notice.file ?? 'no page'}, which is printed as the carrier made it: no other paper, part or line`,
  }),
  'label-uncropped': (notice: { orders: readonly string[] }): Saying => ({
    what: say`what is drawn on the label of ${someOf(notice.orders)} cannot be told, so that the whole page is taken: name the part with ${flag('--crop')} X,Y,WxH`,
  }),
  'stamp-unprintable': (notice: { order: string; letters: string }): Saying => ({
    what: say`the line below the label of ${notice.order} lacks letters that cannot be printed: ${notice.letters}`,
  }),
  'stamp-cut': (notice: { orders: readonly string[] }): Saying => ({
    what: say`the line below the label of ${someOf(notice.orders)} is longer than two lines, so that its end is cut off: shorten ${flag('--stamp')}, or put {key} first`,
  }),
  'reprint-without-print': (): Saying => ({ what: say`${flag('--reprint')} needs ${flag('--print')}` }),
  /** `isOwn`: the folder is in the state folder of waybill. */
  'label-folder-unwritable': (folder: { path: string; why: string; isOwn: boolean }): Saying => ({
    what: say`labels cannot be saved in ${folder.path}: ${folder.why}`,
    toDo: folder.isOwn ? OTHER_STATE_FOLDER : [],
  }),
  'label-file-unusable': (notice: FileFault & { from: 'answer' | 'link' }): Saying => ({
    what: say`${notice.from === 'answer' ? 'the answer has' : 'its link leads to'} ${fileFaultWords(notice)}`,
  }),
  'no-link-to-domestic-label': (): Saying => ({
    what: say`the domestic label has no link, and cannot be saved`,
  }),
  'label-is-no-pdf': (notice: { leg: Leg; file: string; path: string }): Saying => ({
    what: say`the ${notice.leg} label is ${notice.file}, not a PDF: ${notice.path}`,
  }),
  'label-of-pruned-order': (notice: { path: string }): Saying => ({
    what: say`the order was pruned: delete ${notice.path} once it is printed`,
  }),
  'two-labels-alike': (notice: { label: LabelOfOrder; other: LabelOfOrder }): Saying => ({
    what: say`the label of ${labelOfOrder(notice.label)} is, byte for byte, that of ${labelOfOrder(notice.other)}`,
    toDo: say`Use neither: ask the service whose it is`,
  }),
  'label-saved': (notice: { path: string }): Saying => ({ what: say`label saved: ${notice.path}` }),
  'labels-saved': (notice: { folder: string; files: readonly string[] }): Saying => ({
    what: say`${notice.files.length} labels saved in ${notice.folder}: ${someOf(notice.files, EXAMPLES)}`,
  }),

  'merged-unwritable': (notice: { file: string; why: string }): Saying => ({
    what: say`${notice.file} cannot be written: ${notice.why}`,
  }),
  'merged-by-another-program': (notice: { file: string }): Saying => ({
    what: say`${flag('--merge', notice.file)}: not made by waybill, so not replaced`,
    toDo: say`Choose another name, or move it`,
  }),
  'merged-by-another-command': (notice: { file: string }): Saying => ({
    what: say`another command wrote ${notice.file} meanwhile, which stays`,
    toDo: say`Give ${flag('--merge')} another FILE`,
  }),
  'merged-before': (notice: { path: string }): Saying => ({
    what: say`${notice.path} is of an earlier merge: nothing was merged`,
  }),
  /** `before`: the labels among them that count as printed. `pages`: the last page with new labels, and the number of all pages. */
  'labels-merged': (file: {
    path: string;
    count: number;
    before: readonly (PrintPlace & { count: number })[];
    pages?: { last: number; all: number } | undefined;
  }): Saying => {
    const before = file.before.map(
      place =>
        `, ${place.count === file.count ? 'all' : place.count} of them ${place.place === 'printer' ? '' : 'already '}${printPlaceWords(place)}`,
    );
    const { pages } = file;
    return {
      what: say`labels merged: ${file.path} (${numbered(file.count, 'label')}${before.join('')})`,
      toDo: pages
        ? say`Print ${pagesWords(1, pages.last)}; the earlier ones are on ${pagesWords(pages.last + 1, pages.all)}`
        : [],
    };
  },
  /** `by`: a print command whose printer is not known. Without `printer` and `by`: the default printer. */
  'labels-printed': (notice: {
    count: number;
    orders: readonly string[];
    printer?: string | undefined;
    by?: string | undefined;
  }): Saying => {
    const where =
      notice.by !== undefined
        ? `the printer by \`${notice.by}\``
        : notice.printer
          ? `the printer ${notice.printer}`
          : 'the default printer';
    return {
      what: say`${numbered(notice.count, 'label')} sent to ${where}: ${someOf(notice.orders, EXAMPLES)}`,
    };
  },
  /** `reprint`, `papers`: the commands that print the labels and the papers of these orders; missing if there are too many orders. */
  'labels-printed-before': (
    notice: PrintPlace & {
      count: number;
      orders: readonly string[];
      hasPapers: boolean;
      reprint?: CommandWords | undefined;
      papers?: CommandWords | undefined;
    },
  ): Saying => {
    const [was, is, them] = notice.count === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'them'];
    const how = notice.reprint
      ? say`${command(...notice.reprint)} prints ${them}`
      : say`the same command with ${flag('--reprint')} prints all labels`;
    const nor =
      notice.hasPapers &&
      say`. Nor are the papers${notice.papers && say`; ${command(...notice.papers)} prints those`}`;
    return {
      what: say`${numbered(notice.count, 'label')} ${notice.place === 'printer' ? was : is} ${printPlaceWords(notice)}, and ${is} not printed again (${someOf(notice.orders, EXAMPLES)}); ${how}${nor || undefined}`,
    };
  },

  /** No label was made, because nobody accepted the price of the order. */
  'label-not-made': (notice: { shipment: string; because: Inner }, tell: Tell): Saying => ({
    what: say`label: none was made of ${notice.shipment}`,
    toDo: wholeText(tell(notice.because)),
  }),
  'label-made-before': (label: { shipment: string; at: number; booking: string }): Saying => ({
    what: say`the label of ${label.shipment} was made before (${timeWords(label.at)}, ${label.booking})`,
  }),
  /** `at`: when the label was asked for, in ISO 8601. */
  'label-sent-before': (label: { shipments: readonly string[]; at: string; booking: string }): Saying => ({
    what: say`the label of ${label.shipments.join(' and ')} was asked for before (${timeWords(Date.parse(label.at))}, ${label.booking}), and is still unknown; nothing was sent now`,
  }),
  'labels-made-before': (notice: { shipments: readonly string[] }): Saying => ({
    what: say`${notice.shipments.length} labels were made before: ${someOf(notice.shipments, EXAMPLES)}`,
  }),
  'pair-labels-unknown': (notice: { shipments: readonly string[]; why: Inner }, tell: Tell): Saying => ({
    what: say`${pairText(notice.shipments)}. Its labels are unknown: ${wholeText(tell(notice.why))}`,
  }),
  'pair-without-labels': (notice: {
    shipments: readonly string[];
    legs: readonly string[];
    make: CommandWords;
  }): Saying => ({
    what: say`${pairText(notice.shipments)}. It has no ${notice.legs.join(' and ')} label here`,
    toDo: say`Make it: ${next(...notice.make)}`,
  }),
  'label-of-shipment-unknown': (notice: Unlabelled & { track: CommandWords }, tell: Tell): Saying => ({
    what: say`${existing('ship', notice.shipment)}. Its label is unknown: ${wholeText(tell(notice.why))}`,
    toDo: say`${next(...notice.track)} shows its tracking number. Once that is resolved: ${command(...notice.make)}`,
  }),
  'shipment-without-label': (notice: Unlabelled, tell: Tell): Saying => ({
    what: say`${existing('ship', notice.shipment)}. It has no label: ${wholeText(tell(notice.why))}`,
    toDo: say`Make it: ${next(...notice.make)}`,
  }),

  'papers-of-no-order': (notice: { name: string; show: CommandWords }): Saying => ({
    what: say`${stranger(notice.name)} has no papers: it is no order with goods`,
    toDo: shows(notice.show),
  }),
  'papers-of-failed-order': (notice: { name: string; why: Inner }, tell: Tell): Saying => ({
    what: say`no papers of ${stranger(notice.name)}: ${wholeText(tell(notice.why))}`,
  }),
  'papers-of-unbooked-order': (order: { name: string; state: string; show: CommandWords }): Saying => ({
    what: say`no papers of ${stranger(order.name)}: it is ${order.state}`,
    toDo: shows(order.show),
  }),
  'papers-without-request': (notice: { name: string; show: CommandWords }): Saying => ({
    what: say`no papers of ${stranger(notice.name)}: the journal lacks its request: pruned, or imported from results`,
    toDo: shows(notice.show),
  }),
  'no-invoice-in-territory': (notice: { order: string }): Saying => ({
    what: say`${notice.order}: no invoice within one customs territory`,
  }),
  'letters-unprintable': (letters: Record<'order' | 'field' | 'paper' | 'letters', string>): Saying => ({
    what: say`${letters.order}: the ${letters.paper} prints letters of ${letters.field} as ? (${letters.letters})`,
    toDo: say`Write it by hand, or book in Latin letters`,
  }),
  'paper-saved': (notice: { paper: string; path: string }): Saying => ({
    what: say`${notice.paper} saved: ${notice.path}`,
  }),
};
