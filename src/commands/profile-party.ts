import type { Command } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { safeJson } from '../output/safe.ts';
import { anyTable, table } from '../output/table.ts';
import { changeConfig, type Profile } from '../profile/store.ts';
import { DEMO } from '../profile/target.ts';
import { complete } from '../request/complete.ts';
import { validate } from '../request/validate.ts';
import type { Act } from './act.ts';
import { readObject } from './files.ts';
import { groupHelp } from './help.ts';
import { refuseNoName, requireProfile } from './profile-edit.ts';
import type { Session } from './session.ts';

interface Named {
  profile: Profile;
  name: string;
}

export function defineParty(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  sub('add', 'save a party, to be used as --sender @NAME, --receiver @NAME or --invoice @NAME')
    .argument('<name>', 'its name; one that is there is replaced')
    .requiredOption('-f, --file <path>', 'the party as a JSON object; - is stdin')
    .action(act<{ file: string }>(add));
  sub('list', 'the saved parties').action(act<object>(list));
  sub('show', 'a saved party').argument('<name>', 'its name').action(act<object>(show));
  sub('remove', 'forget a party').argument('<name>', 'its name').action(act<object>(remove));
  groupHelp(command);
}

/** The profile whose parties are meant: it has to be one that is kept. */
function keeper(session: Session): Named {
  const { name } = session.target();
  if (name === undefined)
    throw new Failure('usage', 'parties are kept in a profile: name one with --profile');
  const profile = Object.hasOwn(session.config.profiles, name) ? session.config.profiles[name] : undefined;
  return { name, profile: profile ?? (name === DEMO ? {} : requireProfile(session, name)) };
}

async function add(session: Session, { file }: { file: string }, name: string): Promise<void> {
  refuseNoName(name, 'a party');
  keeper(session);
  const operation = OPERATIONS.createDualShipment;
  const { body: schema } = operation;
  const body = complete(schema as NonNullable<typeof schema>, {
    receiver: await readObject(file, session.host),
  });
  // The widest shape of a party; whether it fits a role and a body is told when it is used.
  const issues = await validate(operation, body, {
    rules: { economyCarriers: [], serviceOnLoopback: false },
    allowUnknown: false,
  });
  const own = issues.filter(
    issue => issue.path.startsWith('receiver.') && !issue.path.endsWith('.taxOffice'),
  );
  if (own.length > 0)
    throw new Failure('invalid_request', `the party ${name} has faults; it was not saved`, {
      issues: own.map(issue => ({ ...issue, path: issue.path.slice('receiver.'.length) })),
    });
  const party = (body as { receiver: unknown }).receiver;
  await save(session, parties => ({ ...parties, [name]: party }));
  await session.printer.note(`party ${name} saved; use it as @${name}`);
}

async function save(
  session: Session,
  change: (parties: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const { name } = keeper(session);
  await changeConfig(session.host, config => {
    const profile = config.profiles[name] ?? {};
    return {
      ...config,
      profiles: { ...config.profiles, [name]: { ...profile, parties: change(profile.parties ?? {}) } },
    };
  });
}

async function list(session: Session): Promise<void> {
  const rows = Object.entries(keeper(session).profile.parties ?? {}).map(([name, party]) => ({
    name,
    person: `${textAt(party, ['firstName']) ?? ''} ${textAt(party, ['lastName']) ?? ''}`.trim(),
    city: textAt(party, ['address', 'city']) ?? null,
    country: textAt(party, ['address', 'country', 'code']) ?? null,
  }));
  await session.printer.result(rows, {
    essential: all => all.map(row => row.name),
    table: async (all, look) =>
      all.length === 0
        ? 'No parties are saved.'
        : table(look, {
            head: ['name', 'person', 'city', 'country'],
            rows: all.map(row => Object.values(row)),
          }),
  });
}

function saved(session: Session, name: string): unknown {
  const { profile, name: keeperName } = keeper(session);
  const parties = profile.parties ?? {};
  if (Object.hasOwn(parties, name)) return parties[name];
  throw new Failure(
    'usage',
    `the profile ${keeperName} keeps no party ${JSON.stringify(name)}; it keeps ${Object.keys(parties).join(', ') || 'none'}`,
  );
}

async function show(session: Session, _: object, name: string): Promise<void> {
  await session.printer.result(saved(session, name), {
    essential: body => [safeJson(body)],
    table: (body, look) => anyTable(look, body),
  });
}

async function remove(session: Session, _: object, name: string): Promise<void> {
  saved(session, name);
  await save(session, ({ [name]: _gone, ...rest }) => rest);
  await session.printer.note(`party ${name} removed`);
}
