import type { Command } from 'commander';
import { profileOrDemo } from '../../profile/names.ts';
import { changeConfig } from '../../profile/store.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

export const define = (command: Command, act: Act): Command =>
  command.argument('<name>', 'its name').action(act<object>(use));

async function use(session: Session, _: object, name: string): Promise<void> {
  profileOrDemo(session, name);
  await changeConfig(session.host, config => ({ ...config, current: name }));
  await session.printer.note(`the current profile is ${name}`);
}
