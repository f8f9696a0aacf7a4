import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { textAt } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { safeJson } from '../../output/safe.ts';
import { anyTable, table } from '../../output/table.ts';
import { complete } from '../../request/complete.ts';
import { validate } from '../../request/validate.ts';
import type { Act } from '../../session/command.ts';
import { groupHelp } from '../../session/command.ts';
import { readObject } from '../../session/input-files.ts';
import { findSaved, ownerOf, refuseToSave, removeSaved, saveByName } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';

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

async function add(session: Session, { file }: { file: string }, name: string): Promise<void> {
  refuseToSave(session, 'parties', name);
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
  await saveByName(session, 'parties', name, (body as { receiver: unknown }).receiver);
}

async function list(session: Session): Promise<void> {
  const rows = Object.entries(ownerOf(session, 'parties').profile.parties ?? {}).map(([name, party]) => ({
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

async function show(session: Session, _: object, name: string): Promise<void> {
  await session.printer.result(findSaved(ownerOf(session, 'parties'), 'parties', name), {
    essential: body => [safeJson(body)],
    table: (body, look) => anyTable(look, body),
  });
}

async function remove(session: Session, _: object, name: string): Promise<void> {
  await removeSaved(session, 'parties', name);
}
