// `papers`: invoice and packing slip of orders that were booked. Waybill draws them itself: nothing is asked of the service.

import type { BookedOrder } from '../booking/questions.ts';
import { Failure } from '../errors.ts';
import { printFile } from '../labels/printer.ts';
import {
  type MergedFile,
  openMerge,
  prepareFolder,
  prepareMerge,
  refuseRival,
  writeMerged,
} from '../labels/save.ts';
import { type Desk, openDeskToLook } from '../order/desk.ts';
import { findOrSuggest } from '../order/find.ts';
import { PAPERS, type Paper, papersIn, targetFlags } from '../order/options.ts';
import type { PaperRow } from '../output/schemas.ts';
import { table } from '../output/table.ts';
import { orderFacts } from '../output/told.ts';
import { A4 } from '../pdf/page.ts';
import { printFaultText } from '../say/labels.ts';
import { tellInner } from '../say/notices.ts';
import { personWords } from '../say/person.ts';
import { declare, operand } from '../session/command.ts';
import { flag, type OptionsOf } from '../session/flags.ts';
import { someText } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { messageOf, systemCode } from '../system-errors.ts';
import { numbered } from '../text.ts';
import { papersRefused } from './draw-paper.ts';
import { addPapers, QUIET, savePapers } from './papers-behind.ts';

const FLAGS = {
  only: flag('--only <paper>', 'only this one', { choices: PAPERS }),
  download: flag('--download <dir>', 'save them as {key}-invoice.pdf and {key}-slip.pdf in this folder', {
    read: someText,
  }),
  merge: flag('--merge <file>', 'write all of them as one PDF, in the order given', { read: someText }),
  print: flag('--print', "run the profile's printCommand (lp) on each, or on the --merge file"),
};

type PapersOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# Book an example order.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1041',
    '# Save its commercial invoice and its packing slip.',
    'waybill papers ORDER-1041 --download papers',
    '# Make its label, with the papers behind it, as one PDF.',
    'waybill label ORDER-1041 --merge ORDER-1041.pdf --papers',
  ],
  output: {
    table: 'a row for each paper: order, paper, pages and file',
    quiet: 'the file of each paper',
    json: 'a list, as `waybill schema papers` describes it',
  },
  exits: {
    not_found: 'the journal does not know the order, it was not created, or its request was pruned',
    duplicate: 'the order was cancelled, and has no papers',
    outcome_unknown: 'whether the order exists is not known; `waybill history resolve REF` settles it',
    partial: 'a paper was made and not printed',
  },
  notes: {
    'What is on them': `All of it is from the request as it was booked. The invoice is made where sender and receiver are in different customs territories, of which the EU is one; it has a line to sign. The slip has no prices. They are A4; --papers of label, ship, ship-dual and batch makes them as large as the label before them.`,
    Letters:
      'Latin, Greek and Cyrillic letters are printed. Any other is printed as ?, and a warning names its order and its field.',
  },
  operands: [
    operand(
      '<ref...>',
      'orders, each by its key, a shipment id, a tracking number, or its id in the journal',
    ),
  ],
  flags: FLAGS,
  run: papers,
});

async function papers(session: Session, options: PapersOptions, refs: string[]): Promise<void> {
  const { host, printer } = session;
  const { download, merge, print = false, only } = options;
  if (download === undefined && merge === undefined && !print)
    throw new Failure(
      'usage',
      'papers: --download DIR, --merge FILE or --print says where they go; nothing was made',
    );
  const merged = merge === undefined ? undefined : prepareMerge(host, merge);
  const folder = download !== undefined || !merged ? prepareFolder(host, download) : undefined;
  const orders = await ordersOf(session, refs);
  const desk = await openDeskToLook(session);
  if (desk === undefined) throw new Error('there are orders, but no journal');
  const wanted = papersIn(only ?? true);
  const rows = folder === undefined ? [] : await savedRows(folder, orders, wanted, desk);
  const toPrint = rows.map(({ file }) => file);
  if (merged) {
    const inFile = await mergedRows(merged, orders, wanted, desk, folder !== undefined);
    if (folder === undefined) rows.push(...inFile);
    toPrint.splice(0, toPrint.length, ...(inFile.length > 0 ? [merged.path] : []));
  }
  await printer.result(rows, {
    essential: papers => papers.map(({ file }) => file),
    table: (papers, look) =>
      table(look, {
        head: ['order', 'paper', 'pages', 'file'],
        align: ['whole', 'left', 'right', 'whole'],
        rows: papers.map(({ key, shipmentId, paper, pages, file }) => [
          key ?? shipmentId,
          paper,
          pages,
          file,
        ]),
      }),
  });
  if (print && merged && toPrint.length > 0) refuseRival(merged);
  if (print) await printPapers(toPrint, desk);
}

/** The papers of all orders as one file, if there are any. `isTold`: the papers were saved as files before, with their warnings. */
async function mergedRows(
  merged: MergedFile,
  orders: readonly BookedOrder[],
  wanted: readonly Paper[],
  desk: Desk,
  isTold: boolean,
): Promise<PaperRow[]> {
  const pdf = await openMerge();
  const rows: PaperRow[] = [];
  for (const order of orders) {
    const added = await addPapers(pdf, order, wanted, A4, isTold ? QUIET : desk.printer);
    rows.push(...added.map(paper => ({ ...paperOrder(order), ...paper, file: merged.path })));
  }
  if (rows.length > 0) {
    await writeMerged(merged, pdf, desk.host);
    const count = `${numbered(rows.length, 'paper')} of ${numbered(orders.length, 'order')}`;
    await desk.printer.note(`papers merged: ${merged.path} (${count})`);
  } else if (merged.seen !== undefined) await desk.printer.note({ kind: 'merged-before', path: merged.path });
  return rows;
}

/** Prints files. Throws `partial`, which names all files that were not printed. */
async function printPapers(files: readonly string[], desk: Desk): Promise<void> {
  const problems: string[] = [];
  let isCutOff = false;
  for (const path of files) {
    const failed = await printFile(path, desk);
    if (failed === undefined) continue;
    isCutOff ||= failed.isCutOff;
    const why = personWords(printFaultText(failed.because, tellInner));
    problems.push(
      failed.isCutOff
        ? `whether ${path} was printed is not known: ${why}; look at the printer`
        : `${path} was made, but not printed: ${why}`,
    );
  }
  if (problems.length > 0)
    throw new Failure('partial', `papers: ${problems.join('. ')}. The same command prints all of them`, {
      retry: isCutOff ? 'never' : 'same',
    });
}

function paperOrder(order: BookedOrder): Pick<PaperRow, 'key' | 'shipmentId'> {
  const { key, shipmentId } = orderFacts(order);
  return { key, shipmentId };
}

/** The papers of all orders as files. Throws `storage`. */
async function savedRows(
  folder: string,
  orders: readonly BookedOrder[],
  wanted: readonly Paper[],
  desk: Desk,
): Promise<PaperRow[]> {
  const rows: PaperRow[] = [];
  try {
    for (const order of orders)
      for (const { path, ...made } of await savePapers(folder, order, wanted, A4, {
        out: desk.printer,
        host: desk.host,
      }))
        rows.push({ ...paperOrder(order), ...made, file: path });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw new Failure('storage', `papers cannot be saved in ${folder}: ${messageOf(error)}`);
  }
  return rows;
}

/** The orders of all names. Throws if an order has no papers: then no paper is made. */
async function ordersOf(session: Session, refs: readonly string[]): Promise<BookedOrder[]> {
  const journal = await session.openJournal('look');
  const flags = targetFlags(session);
  const orders = new Map<string, BookedOrder>();
  const refused: Failure[] = [];
  for (const ref of refs)
    try {
      const booking = await findOrSuggest(session, ref, ['papers'], 'shipment');
      if (journal === undefined || orders.has(booking.id)) continue;
      const order = await journal.orderOf(booking);
      const failure = papersRefused(order, flags);
      if (failure) throw failure;
      orders.set(booking.id, order);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refused.push(error);
    }
  const [first, ...others] = refused;
  if (first === undefined) return [...orders.values()];
  const message = refused.map(failure => failure.message).join('. ');
  throw new Failure(first.code, `papers: ${message}; no paper was made`, {
    ...(others.length === 0 && first.facts),
    next: refused.flatMap(failure => failure.facts.next ?? []),
  });
}
