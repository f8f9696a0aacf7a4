// Values that may stand behind an option or as an argument. Nothing is sent to find them.

import { fieldOfOption } from '../../field-option.ts';
import type { Host } from '../../host.ts';
import { type Candidate, described, NO_CANDIDATES, type Reply, startingWith } from '../candidate.ts';
import { kindAt, type ValueKind } from '../kinds.ts';
import type { CommandLine } from '../line.ts';
import { optionNames } from '../names.ts';

type Offer = (line: CommandLine, host: Host) => Promise<Reply>;

export async function valuesAt(line: CommandLine, host: Host): Promise<Reply> {
  const { typed } = line;
  const field = typed.option && fieldOfOption.get(typed.option);
  const kind = kindAt(line);
  if (kind === 'free' && field) {
    const { fieldValues } = await import('./contract.ts');
    return { head: typed.head, candidates: await fieldValues(field, typed.prefix) };
  }
  return OFFERS[kind](line, host);
}

/** The entries of a list that begin with the typed word. */
const listed =
  (list: () => Promise<readonly (string | Candidate)[]>): Offer =>
  async ({ typed }) => ({ head: typed.head, candidates: startingWith(typed.prefix, await list()) });

const fromProfile: Offer = async (line, host) => (await import('./profile.ts')).fromProfile(line, host);
const fromJournal: Offer = async (line, host) => (await import('./journal.ts')).fromJournal(line, host);
const fromFields: Offer = async line => (await import('./contract.ts')).fromContract(line);

const OFFERS: Readonly<Record<ValueKind, Offer>> = {
  free: async () => NO_CANDIDATES,
  file: async line => ({
    head: line.typed.head,
    // Options may follow at once if no file must be named.
    candidates: line.typed.argument?.required === false && line.typed.prefix === '' ? optionNames(line) : [],
    fallback: 'files',
  }),
  folder: async ({ typed }) => ({ ...NO_CANDIDATES, head: typed.head, fallback: 'folders' }),
  profile: fromProfile,
  'party name': fromProfile,
  'parcel name': fromProfile,
  party: fromProfile,
  parcel: fromProfile,
  setting: fromProfile,
  source: fromProfile,
  item: fromFields,
  field: fromFields,
  currency: listed(async () => [...(await import('../../contract/currencies.ts')).CURRENCIES.keys()]),
  country: async ({ typed }) => ({
    head: typed.head,
    candidates: await (await import('./contract.ts')).countries(typed.prefix),
  }),
  encoding: listed(async () => ['windows-1254', 'windows-1252', 'windows-1250', 'iso-8859-9', 'utf-16le']),
  carrier: fromJournal,
  key: fromJournal,
  shipment: fromJournal,
  subscription: fromJournal,
  booking: fromJournal,
  'same booking': fromJournal,
  'unknown booking': fromJournal,
  operation: listed(async () => {
    const { OPERATIONS } = await import('../../contract/operations.ts');
    // Two operations share the command `track`; help lists the first one.
    const inHelp = Object.values(OPERATIONS).filter(({ help }) => help);
    const { OUTPUTS } = await import('../../schemas.ts');
    return [
      ...inHelp.map(({ command, summary }) => ({ value: command, description: summary })),
      ...Object.entries(OUTPUTS).map(([value, { description }]) => ({ value, description })),
    ];
  }),
  service: listed(async () =>
    (await import('../../emulator/carriers.ts')).CARRIERS.map(one => one.serviceType),
  ),
  state: listed(async () => (await import('../../journal/booking.ts')).STATES),
  milestone: listed(async () => (await import('../../contract/words.ts')).SHOWN_MILESTONES.toReversed()),
  event: listed(async () => described((await import('../../contract/subscriptions.ts')).EVENTS)),
  fault: listed(async () =>
    described((await import('../../emulator/faults.ts')).FAULTS).map(fault => ({
      ...fault,
      value: `${fault.value}:`,
      continues: true,
    })),
  ),
};
