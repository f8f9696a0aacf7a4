import { OPERATIONS } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { finishLabels } from '../labels/finish.ts';
import { noteEarlier } from '../labels/make.ts';
import { labelsView, prepareFiles, prepareMerge } from '../labels/save.ts';
import { pathOfSet } from '../order/build.ts';
import { openDesk } from '../order/desk.ts';
import { namedShipments } from '../order/find.ts';
import { type LabelFileOptions, wantsFiles } from '../order/options.ts';
import { declare, operand } from '../session/command.ts';
import { flag, grouped, type OptionsOf } from '../session/flags.ts';
import { parseMoment, REPEATED } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import { fromWing } from '../wings.ts';
import { LABEL, type LabelOptions, makeAndSaveLabels } from './label/request.ts';
import { EXIT_UNKNOWN, type Running, requestFlagsOf, runRequest } from './request-command.ts';

const operation = OPERATIONS.createLabels;

/** Throws `usage` for two names of a shipment: one name would win without a word, and the shipment of the other would get no label. */
function refuseTwoNames(
  options: LabelOptions,
  [name, another]: readonly ({ ref: string } | { key: string })[],
  isUnprinted: boolean,
): void {
  const { international, domestic, file, set = [], allowDuplicate, reprint } = options;
  if (name === undefined && !isUnprinted) return;
  const alternatives = {
    international,
    domestic,
    file,
    set:
      another || isUnprinted ? set[0] : set.find(spec => /^(international|domestic)$/.test(pathOfSet(spec))),
    ...(isUnprinted && { 'allow-duplicate': allowDuplicate, reprint }),
  };
  const flag = Object.entries(alternatives).find(([, value]) => value)?.[0];
  const what = name && shown('ref' in name ? name.ref : name.key);
  if (flag === undefined && !(isUnprinted && what)) return;
  throw new Failure(
    'usage',
    `label: ${flag === undefined ? what : `--${flag}`} does not go with ${isUnprinted ? '--unprinted' : what}`,
    { hint: '`waybill label REF REF` labels several' },
  );
}

const RUNNING: Running<LabelOptions> = {
  async run(session, options, order) {
    const files = prepareFiles(session, options);
    // Without an address and a credential the command ends here, before the journal is asked.
    await session.service.check(operation);
    // Label files are named after the key of the order.
    const named = options.ref === undefined ? undefined : await namedShipments(session, options.ref);
    const key = order.key ?? named?.booking?.key ?? undefined;
    const desk = await openDesk(session, options);
    const made = await makeAndSaveLabels({ ...order, key }, files, desk);
    await noteEarlier(made.earlier, desk);
    await session.printer.result(made.body, {
      ...labelsView(made.content, made.saved),
      record: session.bookingLines.record,
    });
    await finishLabels(operation, files, made, desk);
  },
};

const NAMING_FLAGS = grouped('Shipments:', {
  key: flag('--key <key>', 'a shipment that was booked with this key; repeatable', REPEATED),
  unprinted: flag(
    '--unprinted',
    'all labels that were made and not printed: they are named; --print prints them',
  ),
  since: flag('--since <time>', '--unprinted: of orders booked since then: today, 7d, or a date', {
    read: parseMoment,
  }),
});

type Naming = OptionsOf<typeof NAMING_FLAGS>;

export const command = declare({
  examples: [
    '# Book two shipments.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1002',
    'waybill ship -q -f order.json --key ORDER-1003 --set receiver.firstName=Eva',
    '# Make their labels, each once, as one PDF in this order.',
    'waybill label ORDER-1003 ORDER-1002 --merge today.pdf',
    '# Name those of today that were not printed yet; --print prints them.',
    'waybill label --unprinted --since today',
  ],
  output: {
    table: 'one line for each leg: carrier, tracking number, and the file or link of the label',
    quiet: 'the file or link of each label; nothing for one that the answer has itself and that is not saved',
    json: 'the answer of the service; for several names a list, in which one that failed is {id, error}',
  },
  exits: {
    not_found: 'the journal does not know the name or key, or the service does not know the shipment (404)',
    rejected: 'the service rejected it; no label was made',
    outcome_unknown: EXIT_UNKNOWN,
    partial: 'some labels were not made, saved, merged or printed',
  },
  notes: {
    Notes: `A shipment is labelled once: what is recorded is saved and shown again. A label that comes cut off, without pixels or with nothing on its pages is not saved; the next label command asks its link again. Two shipments with the same file as their label are a warning.

--print prints only labels that were not printed yet. What the printCommand took, and what was written to a --merge file without --print, counts as printed; what it did not take is exit 9 each time, until it is printed. Of two commands at one moment one prints a label; one that was killed while it printed, or whose print program a signal ended, leaves it to a person (exit 9). A --merge that was killed before its file was there leaves its labels unprinted. After a paper jam name those that are missing, with --print --reprint.

Of two commands that write one --merge file at one moment, the later one leaves it as it is (exit 9): what the first put there may not be on paper yet. Give it another name.`,
  },
  operands: [
    operand('[ref...]', 'shipments, each by its id, its tracking number, or the key of its booking'),
  ],
  flags: { ...requestFlagsOf(LABEL), ...NAMING_FLAGS },
  async run(session, options: Omit<LabelOptions, 'key' | 'ref'> & Naming, refs) {
    const { key: keys = [], unprinted, since, ...request } = options;
    const named = [...refs.map(ref => ({ ref })), ...keys.map(key => ({ key }))];
    refuseTwoNames(request, named, unprinted ?? false);
    if (unprinted) {
      const { labelUnprinted } = await import('./label/unprinted.ts');
      return labelUnprinted(session, request, since);
    }
    if (since !== undefined) throw new Failure('usage', 'label: --since needs --unprinted');
    const isOpen = isUnnamed(session, request, named);
    const picked = isOpen ? await pickShipments(session, request) : undefined;
    if (!picked && named.length < 2) return runRequest(session, LABEL, RUNNING, { ...request, ...named[0] });
    const { labelNamed, namedOnce } = await import('./label/several-shipments.ts');
    const shipments = await namedOnce(session, picked?.names ?? named);
    return labelNamed(session, picked?.options ?? request, shipments, { saysEarlier: true });
  },
});

/** May a person be asked which shipment, because nothing names one? */
const isUnnamed = (session: Session, options: LabelOptions, named: readonly unknown[]): boolean =>
  session.interactive &&
  named.length === 0 &&
  ![options.international, options.domestic, options.file, options.set, options.dryRun].some(Boolean);

/** Lets a person pick shipments from a list. `undefined`: none was picked, and the form asks for the id of one. */
async function pickShipments<O extends LabelFileOptions>(session: Session, options: O) {
  const questions = await fromWing('forms')?.labels();
  if (questions === undefined) return undefined;
  for (let names: { ref: string }[] | undefined; ; ) {
    names = await questions.pickUnlabelled(session, names);
    if (names === undefined) return undefined;
    if (wantsFiles(options)) return { names, options };
    const merge = await questions.askForMerge(session, name => prepareMerge(session.host, name));
    if (merge !== undefined) return { names, options: { ...options, merge } };
  }
}
