// The papers of orders: as files, or behind the labels of their orders in one print job.

import { readFileSync } from 'node:fs';
import type { BookedOrder } from '../booking/questions.ts';
import { isDeclared } from '../contract/territories.ts';
import { Failure, innerOf } from '../errors.ts';
import type { Host } from '../host.ts';
import type { NotPrinted } from '../labels/printer.ts';
import { type LabelFile, type LabelOutput, openMerge, saveFile } from '../labels/save.ts';
import type { Desk } from '../order/desk.ts';
import { type Paper, targetFlags } from '../order/options.ts';
import type { Printer } from '../output/print.ts';
import type { PageSize } from '../paper.ts';
import { A4 } from '../pdf/page.ts';
import type { Pdf } from '../pdf/pdf.ts';
import { labelAsPdf } from '../pdf/read.ts';
import type { LabelProblem } from '../say/labels.ts';
import { orderName } from '../say/words.ts';
import { operandWords } from '../text.ts';
import { drawPaper, papersRefused } from './draw-paper.ts';

type Out = Pick<Printer, 'note' | 'warn'>;

/** An output that says nothing: the same papers were drawn before, with their notes and warnings. */
export const QUIET: Out = { note: async () => {}, warn: async () => {} };

/** The first bytes of the file of a paper. */
const PDF_HEAD = Buffer.from('%PDF-1.7\n%\x81\x81\x81\x81\n', 'latin1');

/** The wanted papers that an order can have: no invoice within one customs territory. If no paper is left, a note says so. */
async function possible(order: BookedOrder, wanted: readonly Paper[], out: Out): Promise<readonly Paper[]> {
  const papers = wanted.filter(paper => paper !== 'invoice' || isDeclared(order.booking.request));
  if (papers.length === 0 && wanted.length > 0)
    await out.note({ kind: 'no-invoice-in-territory', order: orderName(order) });
  return papers;
}

/** Draws a paper, and warns of letters that cannot be printed. Gives the number of its pages. */
async function drawOn(pdf: Pdf, paper: Paper, order: BookedOrder, size: PageSize, out: Out): Promise<number> {
  const { pages, lost } = drawPaper(paper, order, await pdf.font(), size);
  await pdf.draw(pages);
  for (const [field, letters] of lost)
    await out.warn({ kind: 'letters-unprintable', order: orderName(order), field, paper, letters });
  return pages.length;
}

/** Adds the papers of an order to a PDF. */
export async function addPapers(
  pdf: Pdf,
  order: BookedOrder,
  wanted: readonly Paper[],
  size: PageSize,
  out: Out,
): Promise<{ paper: Paper; pages: number }[]> {
  const added: { paper: Paper; pages: number }[] = [];
  for (const paper of await possible(order, wanted, out))
    added.push({ paper, pages: await drawOn(pdf, paper, order, size, out) });
  return added;
}

/** Saves each paper of an order as a file of its own, `KEY-invoice.pdf`. Throws the error of the file system. */
export async function savePapers(
  folder: string,
  order: BookedOrder,
  wanted: readonly Paper[],
  size: PageSize,
  desk: { out: Out; host: Pick<Host, 'random'> },
): Promise<{ paper: Paper; pages: number; path: string }[]> {
  const saved: { paper: Paper; pages: number; path: string }[] = [];
  const { out, host } = desk;
  for (const paper of await possible(order, wanted, out)) {
    const { createPdf } = await import('../pdf/pdf.ts');
    const pdf = createPdf(PDF_HEAD, paper === 'invoice' ? 'Commercial invoice' : 'Packing slip');
    const pages = await drawOn(pdf, paper, order, size, out);
    // `saveFile` may cut off a long name, but its end says which paper it is: so the name of the order is cut here.
    const name = { name: `${orderName(order).slice(0, 80)}-${paper}`, ending: 'pdf' };
    const path = saveFile(folder, name, await pdf.bytes(), host.random());
    await out.note({ kind: 'paper-saved', paper, path });
    saved.push({ paper, pages, path });
  }
  return saved;
}

/** The least size of a paper in points, 80 × 100 mm: a smaller label has no room for it. */
const LEAST_SIZE = { width: 226, height: 283 };

/** The size of a paper behind a label: the size of the label, because one printer prints both; A4 if the label is too small. */
const sizeBehind = (label: PageSize | undefined): PageSize =>
  label && label.width >= LEAST_SIZE.width && label.height >= LEAST_SIZE.height ? label : A4;

/** The papers that follow the labels of their orders, in a merged file or in print. `print`: prints a file, or gives why it did not. */
export function papersBehind(
  output: LabelOutput,
  desk: Desk,
  print: (path: string) => Promise<NotPrinted | undefined>,
) {
  const { papers, folder, sheet } = output;
  const { printer, host } = desk;
  /** A problem for each paper that was not made or printed. */
  const problems: LabelProblem[] = [];
  /** The orders whose papers were drawn before: a merged file may be drawn again, and then no note is repeated. */
  const drawn = new Set<string>();
  return {
    problems,
    /** Adds the papers to a merged file, behind these labels of one order. `size`: the size of the last label. */
    async merge(files: readonly LabelFile[], pdf: Pdf, size: PageSize | undefined): Promise<void> {
      const order = await orderWithPapers(files, desk, problems);
      if (order)
        await addPapers(pdf, order, papers, sizeBehind(size), drawn.has(order.booking.id) ? QUIET : printer);
      if (order) drawn.add(order.booking.id);
    },
    /** Saves the papers beside these labels of one order, and prints them if the labels were printed. */
    async save(files: readonly LabelFile[], isPrinted: boolean): Promise<void> {
      const order = await orderWithPapers(files, desk, problems);
      const last = files.at(-1);
      if (order === undefined || last === undefined) return;
      const name = orderName(order);
      const again = ['waybill', 'papers', ...targetFlags(desk), '--print', ...operandWords([name])];
      try {
        // The papers are as large as the label, because one printer prints both.
        const size = await labelAsPdf(readFileSync(last.path), host, sheet.crop)
          .then(async label => (await (await openMerge(sheet)).add(label.pdf)).size)
          .catch(() => sheet.paper);
        for (const { paper, path } of await savePapers(folder, order, papers, sizeBehind(size), {
          out: printer,
          host,
        })) {
          const failed = isPrinted ? await print(path) : undefined;
          if (failed)
            problems.push({
              problem: failed.isCutOff ? 'paper-print-unknown' : 'paper-not-printed',
              paper,
              path,
              because: failed.because,
              again,
            });
        }
      } catch (error) {
        problems.push({ problem: 'papers-not-saved', order: name, why: innerOf(error), again });
      }
    },
  };
}

/** The order of these labels, if it has papers; if it has none, `problems` get the reason. */
async function orderWithPapers(
  [file]: readonly LabelFile[],
  desk: Desk,
  problems: LabelProblem[],
): Promise<BookedOrder | undefined> {
  if (file === undefined) return undefined;
  const { shipment } = file;
  try {
    const booking = await desk.journal.bookingOf(desk.scope(), file);
    if (booking === undefined) {
      problems.push({ problem: 'no-papers', shipment, because: 'not-booked' });
      return undefined;
    }
    const order = await desk.journal.orderOf(booking);
    const refused = papersRefused(order, targetFlags(desk));
    if (refused === undefined) return order;
    problems.push({ problem: 'papers-refused', why: innerOf(refused) });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problems.push({ problem: 'no-papers', shipment, because: 'unreadable', why: innerOf(error) });
  }
  return undefined;
}
