// Values that may stand behind an option or as an argument, by their kind: the name that help has for the value, as the
// `dir` of `--download <dir>`. Nothing is sent to find them.
import type { Host } from '../host.ts';
import { valueKind } from '../session/command.ts';
import { type Candidate, type CommandLine, optionNames, type Reply, startingWith } from './line.ts';

/** A list is filtered by what is typed; a reply is given as it is. */
type Completing = (line: CommandLine, host: Host) => Promise<readonly (string | Candidate)[] | Reply>;

const contract = () => import('./contract-values.ts');
const profile = () => import('./profile-values.ts');
const journal = () => import('./journal-values.ts');

export async function valuesAt(line: CommandLine, host: Host): Promise<Reply> {
  const { option, argument, head, prefix } = line.typed;
  const choices = (option ?? argument)?.argChoices;
  if (choices) return { head, candidates: startingWith(prefix, choices) };
  const kind = option ? valueKind(option.flags) : (argument?.name() ?? '');
  const offer = OFFERS[kind] ?? (await contract()).ofField;
  const found = await offer(line, host);
  return 'candidates' in found ? found : { head, candidates: startingWith(prefix, found) };
}

const files: Completing = async line => {
  const { head, prefix, argument } = line.typed;
  // Options may follow at once if no file must be named.
  const candidates = argument?.required === false && prefix === '' ? optionNames(line) : [];
  return { head, candidates, fallback: 'files' };
};

const described = (descriptions: Readonly<Record<string, string>>): Candidate[] =>
  Object.entries(descriptions).map(([value, description]) => ({ value, description }));

const OFFERS: Readonly<Record<string, Completing>> = {
  file: files,
  path: files,
  command: files,
  dir: async ({ typed }) => ({ head: typed.head, candidates: [], fallback: 'folders' }),
  profile: async (...at) => (await profile()).profiles(...at),
  party: async (...at) => (await profile()).parties(...at),
  parcel: async (...at) => (await profile()).parcels(...at),
  'key=value': async (...at) => (await profile()).settings(...at),
  'name=source': async (...at) => (await profile()).sources(...at),
  item: async line => (await contract()).itemParts(line),
  'path=value': async line => (await contract()).assignments(line),
  cc: async ({ typed }) => ({
    head: typed.head,
    candidates: (await contract()).countries(typed.prefix),
  }),
  carrier: async (...at) => (await journal()).carriers(...at),
  key: async (...at) => (await journal()).keys(...at),
  ref: async (...at) => (await journal()).refs(...at),
  shipment: async (...at) => (await journal()).shipments(...at),
  subscription: async (...at) => (await journal()).subscriptions(...at),
  booking: async (...at) => (await journal()).bookings(...at),
  encoding: async () => ['windows-1254', 'windows-1252', 'windows-1250', 'iso-8859-9', 'utf-16le'],
  operation: async () => {
    const { OPERATIONS } = await import('../contract/operations.ts');
    // Two operations share the command `track`; help lists the first one.
    const inHelp = Object.values(OPERATIONS).filter(({ help }) => help);
    const { OUTPUTS } = await import('../output/schemas.ts');
    return [
      ...inHelp.map(({ command, summary }) => ({ value: command, description: summary })),
      ...Object.entries(OUTPUTS).map(([value, { description }]) => ({ value, description })),
    ];
  },
  service: async () => (await import('../emulator/carriers.ts')).CARRIERS.map(one => one.serviceType),
  state: async () => (await import('../journal/booking.ts')).STATES,
  milestone: async () => (await import('../contract/read.ts')).SHOWN_MILESTONES.toReversed(),
  event: async () => described((await import('../contract/subscriptions.ts')).EVENTS),
  'kind:probability': async () =>
    Object.entries((await import('../emulator/settings.ts')).FAULTS).map(([kind, description]) => ({
      value: `${kind}:`,
      description,
      continues: true,
    })),
};
