import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import type { View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import { anyTable } from '../../output/table.ts';
import { maskProfile } from '../../profile/mask.ts';
import { profileOrDemo } from '../../profile/names.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

export const define = (command: Command, act: Act): Command =>
  command.argument('[name]', 'else the current one').action(act<object>(show));

async function show(session: Session, _: object, given?: string): Promise<void> {
  const name = nameOrCurrent(session, given);
  await session.printer.result({ name, ...maskProfile(profileOrDemo(session, name)) }, objectView);
}

/** The name from the command line, or that of the current profile. Throws `usage`. */
export function nameOrCurrent(session: Session, given: string | undefined): string {
  const name = given ?? session.target().name;
  if (name !== undefined) return name;
  throw new Failure(
    'usage',
    'there is no current profile. Name one, or type `waybill profile use NAME` first',
  );
}

export const objectView: View<unknown> = {
  essential: body => [safeJson(body)],
  table: (body, look) => anyTable(look, body),
};
