// Values from the journal of this machine: keys, ids and carriers of bookings.

import { CARRIERS } from '../../emulator/carriers.ts';
import type { Host } from '../../host.ts';
import { isAt } from '../../journal/booking.ts';
import type { BookingSummary, ReadOnlyView } from '../../journal/sqlite/read-only.ts';
import { setting } from '../../profile/environment.ts';
import { journalPlace } from '../../profile/journal-address.ts';
import type { Target } from '../../profile/target.ts';
import { scopeOf } from '../../session/address.ts';
import { readOnlyView } from '../../session/journal.ts';
import { type Candidate, type Reply, startingWith } from '../candidate.ts';
import { kindAt, operationWords } from '../kinds.ts';
import type { CommandLine } from '../line.ts';
import { targetOf } from './profile.ts';

export async function fromJournal(line: CommandLine, host: Host): Promise<Reply> {
  const { option, head, prefix } = line.typed;
  const kind = kindAt(line);
  // What was booked has the carrier that was chosen.
  const chooses = option?.name() === 'carrier' && line.command.name() !== 'list';
  const selections = kind === 'carrier' && chooses ? SELECTIONS : [];
  const target = targetOf(line, host);
  // Completion opens no connection to a shared journal. The profile demo never uses one.
  const isShared = target.from !== 'demo' && journalPlace(host.env, target.profile) !== undefined;
  const look = isShared ? undefined : await readOnlyView(host).catch(() => undefined);
  try {
    const found = FINDERS[kind]?.(line, { host, target, look }) ?? [];
    const unique = new Map([...selections, ...found].map(one => [one.value, one]));
    // A value that is already on the line is not offered again.
    for (const given of [...line.operands, ...(line.given.get(option?.attributeName() ?? '') ?? [])])
      unique.delete(given);
    return { head, candidates: startingWith(prefix, [...unique.values()]) };
  } finally {
    look?.close();
  }
}

const SELECTIONS: readonly Candidate[] = [
  { value: 'cheapest', description: 'of the valid proposals' },
  { value: 'fastest', description: 'of the valid proposals' },
];

type Finder = (
  line: CommandLine,
  known: { host: Host; target: Target; look: ReadOnlyView | undefined },
) => Candidate[];

const FINDERS: Readonly<Record<string, Finder>> = {
  carrier: (_, { host, target, look }) => {
    const economy =
      setting(host.env, 'WAYBILL_ECONOMY_CARRIERS')?.split(',') ?? target.profile.economyCarriers;
    return [
      // If the emulator is the service, it has no other carriers.
      ...(target.from === 'demo' ? CARRIERS.map(({ id, name }) => ({ value: id, description: name })) : []),
      ...seenIn(look, '', target).flatMap(({ carriers }) => carriers.map(value => ({ value }))),
      ...(economy ?? []).map(id => ({ value: id.trim() })),
    ];
  },
  key: (line, { target, look }) => {
    const prefix = line.typed.prefix;
    const keySpace = operationWords(line) === 'webhook create' ? 'subscription' : 'shipment';
    const found = seenIn(look, prefix, target);
    return ofKeys(found.filter(one => one.keySpace === keySpace));
  },
  shipment: (line, { target, look }) => {
    const leg = line.typed.option?.name();
    return seenIn(look, line.typed.prefix, target).flatMap(seen => {
      const { shipment, international, domestic } = seen.ids;
      const ids =
        leg === 'domestic'
          ? [domestic]
          : leg
            ? [shipment, international]
            : [shipment, international, domestic];
      return ids.flatMap(id => (id === undefined ? [] : { value: id, description: factsOf(seen) }));
    });
  },
  subscription: (line, { target, look }) =>
    seenIn(look, line.typed.prefix, target).flatMap(seen =>
      seen.ids.subscription === undefined ? [] : { value: seen.ids.subscription, description: factsOf(seen) },
    ),
  booking: (line, { look }) => ofBookings(seenIn(look, line.typed.prefix)),
  // Of the same command: others have other fields. What is being sent is refused.
  'same booking': (line, { look }) =>
    ofBookings(
      seenIn(look, line.typed.prefix).filter(
        ({ operation, state }) => operation === operationWords(line) && state !== 'pending',
      ),
    ),
  'unknown booking': (line, { look }) =>
    // A pending booking whose process has ended is unknown too.
    ofBookings(seenIn(look, line.typed.prefix).filter(({ state }) => ['unknown', 'pending'].includes(state))),
};

const MOST = 200;

/** With a target only those of its address and account. */
const seenIn = (look: ReadOnlyView | undefined, prefix: string, target?: Target): BookingSummary[] =>
  (look?.find(prefix) ?? []).filter(one => target === undefined || isAt(scopeOf(target), one)).slice(0, MOST);

const ofKeys = (all: readonly BookingSummary[]): Candidate[] =>
  all.flatMap(seen => (seen.key === null ? [] : { value: seen.key, description: factsOf(seen) }));

/** By key, if it has one, and by id. */
const ofBookings = (all: readonly BookingSummary[]): Candidate[] => [
  ...ofKeys(all),
  ...all.map(seen => ({ value: seen.id, description: [seen.key, factsOf(seen)].filter(Boolean).join(' ') })),
];

const factsOf = ({ operation, state, at }: BookingSummary): string =>
  `${operation}, ${state}, ${new Date(at).toISOString().slice(0, 10)}`;
