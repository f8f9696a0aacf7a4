// Completion in real shells at a real terminal, by a real TAB, with the command as it is shipped on their PATH: what is put
// in, and that nothing of the line is ever run. There is no PowerShell here: see test/shell/completion-scripts.test.ts.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, order } from '../rig/batch.ts';
import { notInstalled, titled } from '../rig/needs.ts';
import { builtCommand, createWorld, start } from '../rig/process.ts';
import { open, type Screen } from '../rig/terminal.ts';
import { FULL, sampled } from '../torture/size.ts';

interface ShellOfTest {
  args: readonly string[];
  /** Loads the completion; the prompt is "$ " from then on. */
  setUp: string;
}

const SHELLS_OF_TEST: Readonly<Record<string, ShellOfTest>> = {
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

interface AtShell extends Screen {
  /** The last arguments that the command got by Enter. */
  ran(): string[];
  /** Is there such a file in the folder that the shell is in? */
  isThere(name: string): boolean;
  /** Empties the line. */
  clear(): void;
}

/** A shell in a folder of its own, with bookings of those keys in the journal. */
async function atShell(shell: string, command: string, keys: readonly string[] = []): Promise<AtShell> {
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
  if (keys.length > 0) {
    writeFileSync(join(world.folder, 'orders.jsonl'), jsonLines(keys.map(key => order(key))));
    const batch = start(process.execPath, [command, 'batch', 'ship', 'orders.jsonl', '-q'], {
      env: world.env,
      cwd: world.folder,
    });
    expect(await batch.ended).toMatchObject({ code: 0 });
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
    ran: () => readFileSync(log, 'utf8').split('\n').slice(0, -1),
    isThere: name => existsSync(join(cwd, name)),
    // Not Ctrl-C: what is typed right after it would be lost.
    clear: () => screen.type('\x15'),
  };
}

const command = builtCommand();

const EVIL = `my $(touch y) \`touch y\` "q" 'p' \${HOME} \\ ;touch y & !! ü`;
const CUT = 'ORDER:7=a@b c,d';
const QUOTED = 'two $(touch y) `touch y` "words"';

/** What is typed of a key, the key, and the end of what TAB makes of it. Bash cuts words at a colon, an equals and an at sign. */
const BEGUN: [typed: string, key: string, end: RegExp][] = [
  ['--key my', EVIL, /ü\S*\s*$/m],
  ['--key=ORDER', CUT, /c\S*d'?$/m],
  ['--key=ORDER:', CUT, /c\S*d'?$/m],
  ['--key=ORDER:7', CUT, /c\S*d'?$/m],
  ['--key=ORDER:7=', CUT, /c\S*d'?$/m],
  ['--key "two', QUOTED, /words/],
  ['--key=ORDER:7=a@', CUT, /c\S*d'?$/m],
  ['--key=ORDER:7=a@b\\ c', CUT, /c\S*d'?$/m],
  ["--key='ORDER:7=a@b c", CUT, /c\S*d'?$/m],
  ["--key 'two", QUOTED, /words/],
];

// Each of them leaves a file if it is run.
const WORDS = [
  '$(touch x)',
  '"$(touch x)"',
  '`touch x`',
  '$' + '{x:=$(touch x)}',
  '(touch x)',
  '<(touch x)',
  '$((a[$(touch x)]))',
];

describe.each(Object.keys(SHELLS_OF_TEST).map(shell => [shell, notInstalled(shell)] as const))(
  '%s',
  (shell, lack) => {
    const name = (sentence: string) => titled(sentence, lack);
    const inShell = test.skipIf(lack);

    inShell(name('puts in commands, options, values, countries by name and files'), async () => {
      const at = await atShell(shell, command());
      at.type('echo {} > my\\ order.json\r');
      await at.waitFor(/order\.json\n/);
      for (const [typed, expected] of [
        ['waybill sch', 'waybill schema '],
        ['waybill ship --max-p', 'waybill ship --max-price '],
        ['waybill quote --output=cs', 'waybill quote --output=csv '],
        ['waybill quote --to germ', 'waybill quote --to DE '],
        ['waybill ship --set receiver.address.ci', 'waybill ship --set receiver.address.city='],
        ['waybill ship -f my', 'waybill ship -f my\\ order.json '],
        ['waybill ship --file=my', 'waybill ship --file=my\\ order.json '],
        ['waybill batch ship my', 'waybill batch ship my\\ order.json '],
      ] as const) {
        at.type(typed);
        at.key('tab');
        at.type('Z');
        await at.waitFor(`$ ${expected}Z`);
        at.clear();
      }
    });

    inShell(name('runs nothing of the line'), async () => {
      const at = await atShell(shell, command());
      const tab = (typed: string) => {
        at.type(typed);
        at.key('tab');
        at.type('Z');
      };
      for (const word of sampled(WORDS, 3)) {
        tab(`waybill ship --key ${word} --max-p`);
        await at.waitFor(/--max-p(rice )?Z/);
        at.clear();
      }
      // What zsh has on TAB expands the typed word before a completion is asked, of any command; this one only asks.
      if (shell === 'zsh') at.type("bindkey '^I' complete-word\r");
      for (const [index, word] of WORDS.entries()) {
        const places = [
          `--key ${word}`,
          `--key=${word}`,
          `--file ${word}/`,
          `--sender "${word}`,
          `--set ${word}.`,
        ];
        // In `npm test` each word has one place, and each place a word.
        for (const [place, typed] of places.entries()) {
          if (!FULL && index % places.length !== place) continue;
          tab(`waybill ship ${typed}`);
          at.clear();
        }
      }
      at.type('echo "do"ne\r');
      await at.waitFor(/^done$/m);
      expect(at.isThere('x')).toBe(false);
    });

    inShell(name('puts in keys so that they arrive as they are, and runs nothing of them'), async () => {
      const at = await atShell(shell, command(), [EVIL, CUT, QUOTED]);
      for (const [typed, key, end] of sampled(BEGUN, 3)) {
        at.type(`waybill history list -q ${typed}`);
        at.key('tab');
        await at.waitFor(end);
        at.type('\r');
        await at.waitFor(/^bk_\w+$/m);
        expect([typed, at.ran().join(' ')]).toEqual([
          typed,
          `history list -q --key${typed.includes('=') ? '=' : ' '}${key}`,
        ]);
        at.type('clear\r');
        await at.waitFor(/^\$ *$/);
      }
      expect(at.isThere('y')).toBe(false);
    });
  },
);
