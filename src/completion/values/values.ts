// Values that may stand behind an option, or as an argument, by what is known without asking anybody.

import { fieldOfOption } from '../../field-option.ts';
import type { Host } from '../../host.ts';
import { begun, type Candidate, NOTHING, type Reply } from '../candidate.ts';
import { type Kind, kindAt } from '../kinds.ts';
import type { Line } from '../line.ts';

type Offer = (line: Line, host: Host) => Promise<Reply>;

export async function valuesAt(line: Line, host: Host): Promise<Reply> {
  const { typed } = line;
  const field = typed.option && fieldOfOption.get(typed.option);
  const kind = kindAt(line);
  if (kind === 'free' && field) {
    const { fieldValues } = await import('./contract.ts');
    return { head: typed.head, candidates: await fieldValues(field, typed.prefix) };
  }
  return OFFERS[kind](line, host);
}

/** Those of a fixed list that begin as it is typed. */
const listed =
  (list: () => Promise<readonly (string | Candidate)[]>): Offer =>
  async ({ typed }) => {
    const all = (await list()).map(one => (typeof one === 'string' ? { value: one } : one));
    return { ...NOTHING, head: typed.head, candidates: begun(typed.prefix, all) };
  };

const entries = (record: Readonly<Record<string, string>>): Candidate[] =>
  Object.entries(record).map(([value, description]) => ({ value, description }));

const fromProfile: Offer = async (line, host) => (await import('./profile.ts')).kept(line, host);
const fromJournal: Offer = async (line, host) => (await import('./journal.ts')).booked(line, host);
const fromFields: Offer = async line => (await import('./contract.ts')).fields(line);

const OFFERS: Readonly<Record<Kind, Offer>> = {
  free: async () => NOTHING,
  file: async ({ typed }) => ({ ...NOTHING, head: typed.head, otherwise: 'files' }),
  folder: async ({ typed }) => ({ ...NOTHING, head: typed.head, otherwise: 'folders' }),
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
  carrier: fromJournal,
  key: fromJournal,
  shipment: fromJournal,
  subscription: fromJournal,
  booking: fromJournal,
  'unsettled booking': fromJournal,
  operation: listed(async () => {
    const { OPERATIONS } = await import('../../contract/operations.ts');
    // Two share a name, and have others of their own.
    const all = Object.values(OPERATIONS).map(({ command, summary }) => ({
      value: command,
      description: summary,
    }));
    return all.filter((one, index) => all.findIndex(({ value }) => value === one.value) === index);
  }),
  service: listed(async () =>
    (await import('../../emulator/carriers.ts')).CARRIERS.map(one => one.serviceType),
  ),
  state: listed(async () => (await import('../../journal/journal.ts')).STATES),
  milestone: listed(async () => {
    const { DELIVERED, PENDING } = await import('../../emulator/shipments.ts');
    return [DELIVERED, PENDING];
  }),
  event: listed(async () => entries((await import('../../contract/subscriptions.ts')).EVENTS)),
  fault: listed(async () =>
    entries((await import('../../emulator/faults.ts')).FAULTS).map(({ value, description = '' }) => ({
      value: `${value}:`,
      description,
      goesOn: true,
    })),
  ),
};
