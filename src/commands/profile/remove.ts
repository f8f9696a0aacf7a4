import type { Command } from 'commander';
import { requireProfile } from '../../profile/names.ts';
import { changeConfig } from '../../profile/store.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

export const define = (command: Command, act: Act): Command =>
  command.argument('<name>', 'its name').action(act<object>(remove));

async function remove(session: Session, _: object, name: string): Promise<void> {
  requireProfile(session, name);
  await changeConfig(session.host, ({ current, profiles }) => {
    const { [name]: _removed, ...rest } = profiles;
    return { ...(current !== undefined && current !== name && { current }), profiles: rest };
  });
  const wasCurrent = session.config.current === name;
  await session.printer.note(
    `profile ${name} removed${wasCurrent ? '; no profile is the current one now' : ''}`,
  );
}
