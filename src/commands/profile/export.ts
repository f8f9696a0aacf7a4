import type { Command } from 'commander';
import { safeJson } from '../../output/safe.ts';
import { maskProfile } from '../../profile/mask.ts';
import { requireProfile } from '../../profile/names.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { nameOrCurrent, objectView } from './show.ts';

export const define = (command: Command, act: Act): Command =>
  command.argument('[name]', 'else the current one').action(act<object>(exportProfile));

async function exportProfile(session: Session, _: object, given?: string): Promise<void> {
  const { globals, printer } = session;
  // Without credentials: for a colleague, who has their own.
  const { credentials: _credentials, ...rest } = maskProfile(
    requireProfile(session, nameOrCurrent(session, given)),
  );
  // For `profile add -f`: a format that environment or profile prefer must not spoil it.
  if (globals.output === undefined && globals.query === undefined) await printer.plain(safeJson(rest, 2));
  else await printer.result(rest, objectView);
}
