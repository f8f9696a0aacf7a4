// Real shells at a real terminal, with the command as it is shipped on their PATH.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createWorld, start, type World } from '../rig/process.ts';
import { open, type Screen } from '../rig/terminal.ts';

interface ShellOfTest {
  args: readonly string[];
  /** Loads the completion; the prompt is "$ " from then on. */
  setUp: string;
}

export const SHELLS_OF_TEST: Readonly<Record<string, ShellOfTest>> = {
  bash: {
    args: ['--norc', '--noprofile', '-i'],
    setUp: `source <(waybill completion bash); PS1='$ '; echo "rea"dy`,
  },
  zsh: {
    args: ['-f', '-i'],
    setUp: `autoload -U compinit; compinit -u -D; source <(waybill completion zsh); PS1='$ '; echo "rea"dy`,
  },
  fish: {
    args: ['--no-config', '-i'],
    setUp: `function fish_prompt; echo '$ '; end; set fish_greeting; set fish_autosuggestion_enabled 0; waybill completion fish | source; echo "rea"dy`,
  },
};

export interface AtShell extends Screen {
  world: World;
  /** The last arguments that the command got by Enter. */
  ran(): string[];
  /** Is there such a file in the folder that the shell is in? */
  isThere(name: string): boolean;
  /** Empties the line. */
  clear(): void;
}

const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');

/** A shell in a folder of its own, with bookings of those keys in the journal. */
export async function atShell(
  shell: string,
  command: string,
  keys: readonly string[] = [],
): Promise<AtShell> {
  const world = await createWorld();
  const cwd = join(world.folder, 'here');
  const log = join(world.folder, 'ran');
  mkdirSync(cwd);
  mkdirSync(join(world.folder, 'bin'));
  const waybill = join(world.folder, 'bin/waybill');
  writeFileSync(
    waybill,
    `#!/bin/sh
if [ "$1" != __complete ]; then : > '${log}'; for word; do printf '%s\\n' "$word" >> '${log}'; done; fi
exec '${process.execPath}' '${command}' "$@"
`,
  );
  chmodSync(waybill, 0o755);
  for (const key of keys) {
    const words = ['ship', '-f', ORDER, '--carrier', 'EXP', '--chargeable-weight', '1', '--key', key];
    const { code, stderr } = await start(process.execPath, [command, ...words], { env: world.env }).ended;
    if (code !== 0) throw new Error(stderr);
  }
  const env = {
    ...world.env,
    PATH: `${join(world.folder, 'bin')}:${world.env.PATH}`,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
  const { args, setUp } = SHELLS_OF_TEST[shell] as ShellOfTest;
  const screen = open(args, { program: shell, env, cwd, columns: 200 });
  screen.type(`${setUp}\r`);
  // What is typed before the prompt is there is taken for no line of its own.
  await screen.waitFor(/^ready\s+\$/m);
  return {
    ...screen,
    world,
    ran: () => readFileSync(log, 'utf8').split('\n').slice(0, -1),
    isThere: name => existsSync(join(cwd, name)),
    // Not Ctrl-C: what is typed right after it would be lost.
    clear: () => screen.type('\x15'),
  };
}
