import type { Command } from 'commander';
import { bodyOf } from '../../contract/operation.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt, textAt } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { complete } from '../../request/complete.ts';
import { validate } from '../../request/validate.ts';
import type { Act } from '../../session/command.ts';
import { readObject } from '../../session/input-files.ts';
import { refuseToSave, saveByName } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { defineSaved } from './saved.ts';
import { objectView } from './show.ts';

export function define(command: Command, act: Act): void {
  command
    .command('add')
    .description('save a party, to be used as --sender @NAME, --receiver @NAME or --invoice @NAME')
    .argument('<name>', 'its name; a party of that name is replaced')
    .requiredOption('-f, --file <path>', 'the party as a JSON object; - is stdin')
    .action(act<{ file: string }>(add));
  defineSaved(command, act, {
    kind: 'parties',
    columns: party => ({
      person: `${textAt(party, ['firstName']) ?? ''} ${textAt(party, ['lastName']) ?? ''}`.trim(),
      city: textAt(party, ['address', 'city']) ?? null,
      country: textAt(party, ['address', 'country', 'code']) ?? null,
    }),
    shown: (_, party) => party,
    view: objectView,
  });
}

async function add(session: Session, { file }: { file: string }, name: string): Promise<void> {
  refuseToSave(session, 'parties', name);
  // The receiver of a dual shipment has every field that a party can have. Whether this party suits the role and the
  // request is checked when it is used.
  const operation = OPERATIONS.createDualShipment;
  const body = complete(bodyOf(operation), { receiver: await readObject(file, session.host) });
  const rules = { economyCarriers: [], serviceOnLoopback: false };
  const issues = (await validate(operation, body, { rules, allowUnknown: false }))
    .filter(({ path }) => path.startsWith('receiver.') && !path.endsWith('.taxOffice'))
    .map(issue => ({ ...issue, path: issue.path.slice('receiver.'.length) }));
  if (issues.length > 0) {
    const count = issues.length === 1 ? 'a problem' : `${issues.length} problems`;
    throw new Failure('invalid_request', `the party ${name} has ${count}. It was not saved`, { issues });
  }
  await saveByName(session, 'parties', name, getAt(body, ['receiver']));
}
