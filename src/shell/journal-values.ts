// Values from the journal of this machine: keys, ids and carriers of bookings.
import { CARRIERS } from '../emulator/carriers.ts';
import type { Host } from '../host.ts';
import type { BookingSummary } from '../journal/sqlite/read-only.ts';
import { setting } from '../profile/environment.ts';
import { journalPlace, targetScope } from '../profile/target.ts';
import { commandPath } from '../session/command.ts';
import { readOnlyView } from '../session/journal.ts';
import type { Candidate, CommandLine } from './line.ts';
import { targetOf } from './profile-values.ts';

interface Look {
  /** Of the address and account of the command alone. */
  isHere: boolean;
  prefix?: string;
}

/** The newest bookings with a key or an id that begins as what is typed. */
async function seen(line: CommandLine, host: Host, { isHere, prefix = line.typed.prefix }: Look) {
  const target = targetOf(line, host);
  // Completion opens no connection to a shared journal. The profile demo never uses one.
  if (target.from !== 'demo' && journalPlace(host.env, target.profile) !== undefined) return [];
  const view = await readOnlyView(host).catch(() => undefined);
  try {
    return view?.find(prefix, isHere ? targetScope(target) : undefined) ?? [];
  } finally {
    view?.close();
  }
}

/** Each once, and none that is on the line already. */
function others({ typed, operands, given }: CommandLine, all: readonly Candidate[]): Candidate[] {
  const found = new Map(all.map(one => [one.value, one]));
  for (const value of [...operands, ...(given.get(typed.option?.attributeName() ?? '') ?? [])])
    found.delete(value);
  return [...found.values()];
}

const SELECTIONS: readonly Candidate[] = [
  { value: 'cheapest', description: 'of the valid proposals' },
  { value: 'fastest', description: 'of the valid proposals' },
];

export async function carriers(line: CommandLine, host: Host): Promise<Candidate[]> {
  const target = targetOf(line, host);
  const economy =
    setting(host.env, 'WAYBILL_ECONOMY_CARRIERS')?.split(',') ?? target.profile.economyCarriers ?? [];
  const used = await seen(line, host, { isHere: true, prefix: '' });
  // What was booked has the carrier that was chosen.
  const chooses = line.typed.option?.name() === 'carrier' && line.command.name() !== 'list';
  return others(line, [
    ...(chooses ? SELECTIONS : []),
    // If the emulator is the service, it has no other carriers.
    ...(target.from === 'demo' ? CARRIERS.map(({ id, name }) => ({ value: id, description: name })) : []),
    ...used.flatMap(one => one.carriers.map(value => ({ value }))),
    ...economy.map(id => ({ value: id.trim() })),
  ]);
}

export async function keys(line: CommandLine, host: Host): Promise<Candidate[]> {
  const keySpace = commandPath(line.command)[0] === 'webhook' ? 'subscription' : 'shipment';
  const found = await seen(line, host, { isHere: true });
  return others(line, found.filter(one => one.keySpace === keySpace).flatMap(keyOf));
}

export async function shipments(line: CommandLine, host: Host): Promise<Candidate[]> {
  const leg = line.typed.option?.name();
  const found = await seen(line, host, { isHere: true });
  const ids = found.flatMap(one => {
    const { shipment, international, domestic } = one.ids;
    const wanted = leg === 'domestic' ? [domestic] : [shipment, international, ...(leg ? [] : [domestic])];
    return wanted.flatMap(id => id ?? []).map(value => ({ value, description: factsOf(one) }));
  });
  return others(line, ids);
}

export async function subscriptions(line: CommandLine, host: Host): Promise<Candidate[]> {
  const found = await seen(line, host, { isHere: true });
  const ids = found.flatMap(one =>
    one.ids.subscription === undefined ? [] : { value: one.ids.subscription, description: factsOf(one) },
  );
  return others(line, ids);
}

/** A booking by its key or its id in the journal; what `track` and `label` take is a shipment. */
export async function refs(line: CommandLine, host: Host): Promise<Candidate[]> {
  const command = commandPath(line.command).join(' ');
  if (command === 'track' || command === 'label') return shipments(line, host);
  const isLike = line.typed.option !== undefined;
  const found = await seen(line, host, { isHere: false });
  const fitting = found.filter(({ operation, state }) => {
    // Of the same command: others have other fields. What is being sent is refused.
    if (isLike) return operation === command && state !== 'pending';
    // A pending booking whose process has ended is unknown too.
    return command !== 'history resolve' || state === 'unknown' || state === 'pending';
  });
  return others(line, byKeyAndId(fitting));
}

export const bookings = async (line: CommandLine, host: Host): Promise<Candidate[]> =>
  others(line, byKeyAndId(await seen(line, host, { isHere: false })));

const byKeyAndId = (all: readonly BookingSummary[]): Candidate[] => [
  ...all.flatMap(keyOf),
  ...all.map(one => ({ value: one.id, description: [one.key, factsOf(one)].filter(Boolean).join(' ') })),
];

const keyOf = (one: BookingSummary): Candidate[] =>
  one.key === null ? [] : [{ value: one.key, description: factsOf(one) }];

const factsOf = ({ operation, state, at }: BookingSummary): string =>
  `${operation}, ${state}, ${new Date(at).toISOString().slice(0, 10)}`;
