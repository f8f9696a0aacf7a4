// Completion in real shells, by a real TAB: what is put in, and that nothing of the line is ever run.
// There is no PowerShell here: see test/completion/scripts.test.ts.
import { describe, expect, test } from 'vitest';
import { notInstalled, titled } from '../rig/needs.ts';
import { builtCommand } from '../rig/process.ts';
import { FULL, sampled } from '../torture/size.ts';
import { atShell, SHELLS_OF_TEST } from './completion-shells.ts';

const command = builtCommand();

const EVIL = `my $(touch y) \`touch y\` "q" 'p' \${HOME} \\ ;touch y & !! ü`;
const QUOTED = 'two $(touch y) `touch y` "words"';

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

    inShell(name('puts in commands, options, values and countries by name'), async () => {
      const at = await atShell(shell, command());
      for (const [typed, expected] of [
        ['waybill sch', 'waybill schema '],
        ['waybill ship --max-p', 'waybill ship --max-price '],
        ['waybill quote --output=cs', 'waybill quote --output=csv '],
        ['waybill quote --to germ', 'waybill quote --to DE '],
        ['waybill ship --set receiver.address.ci', 'waybill ship --set receiver.address.city='],
      ] as const) {
        at.type(typed);
        at.key('tab');
        at.type('Z');
        await at.waitFor(`$ ${expected}Z`);
        at.clear();
      }
    });

    inShell(name('completes files by itself, behind an equals sign too'), async () => {
      const at = await atShell(shell, command());
      at.type('echo {} > my\\ order.json\r');
      await at.waitFor(/order\.json\n/);
      for (const typed of ['waybill ship -f my', 'waybill ship --file=my', 'waybill batch ship my']) {
        at.type(typed);
        at.key('tab');
        at.type('Z');
        await at.waitFor(`$ ${typed.slice(0, -2)}my\\ order.json Z`);
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

    inShell(name('puts in a key so that it arrives as it is, and runs nothing of it'), async () => {
      const at = await atShell(shell, command(), [EVIL]);
      at.type('waybill history list -q --key ');
      at.key('tab');
      await at.waitFor(/--key \S+/);
      at.type('\r');
      await at.waitFor(/^bk_\w+$/m);
      expect(at.ran()).toEqual(['history', 'list', '-q', '--key', EVIL]);
      expect(at.isThere('y')).toBe(false);
    });

    inShell(name('puts a key into quotes that are open'), async () => {
      const at = await atShell(shell, command(), [QUOTED]);
      for (const quote of ['"', "'"]) {
        at.type(`waybill history list -q --key ${quote}two`);
        at.key('tab');
        await at.waitFor(/words/);
        at.type('\r');
        await at.waitFor(/^bk_\w+$/m);
        expect(at.ran()).toEqual(['history', 'list', '-q', '--key', QUOTED]);
        at.type('clear\r');
        await at.waitFor(/^\$ *$/);
      }
      expect(at.isThere('y')).toBe(false);
    });
  },
);
