import type { Command } from 'commander';
import { table } from '../../output/table.ts';
import { DEMO, findProfile } from '../../profile/names.ts';
import type { Profile } from '../../profile/store.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

export const define = (command: Command, act: Act): Command => command.action(act<object>(list));

async function list({ config, printer }: Session): Promise<void> {
  const profiles: Record<string, Profile> = { ...config.profiles, [DEMO]: findProfile(config, DEMO) ?? {} };
  const rows = Object.entries(profiles).map(([name, profile]) => ({
    name,
    current: name === config.current,
    baseUrl: name === DEMO ? 'built-in emulator' : (profile.baseUrl ?? null),
    sandboxBaseUrl: profile.sandboxBaseUrl ?? null,
    account: profile.account ?? null,
    credentials: name === DEMO ? 'built in' : (profile.credentials?.kind ?? null),
  }));
  await printer.result(rows, {
    essential: all => all.map(({ name }) => name),
    table: (all, look) =>
      table(look, {
        head: ['', 'name', 'address', 'sandbox', 'account', 'credentials'],
        rows: all.map(({ name, current, ...rest }) => [current ? '*' : ' ', name, ...Object.values(rest)]),
      }),
  });
}
