import { Argument, type Command } from 'commander';
import { type Act, addPage } from '../session/command.ts';
import { SHELLS } from './shells.ts';

export function define(command: Command, act: Act): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .action(act<object>(async ({ printer }, _, shell: string) => printer.plain(SHELLS[shell]?.script ?? '')));
  addPage(command, {
    examples: ['# Complete in this shell.', 'source <(waybill completion bash)'],
    output: { table: 'the script, in every output format' },
    notes: {
      'To install it for every shell': [
        [
          'bash',
          `echo 'source <(waybill completion bash)' >> ~/.bashrc (bash 3.2 of macOS: eval "$(waybill completion bash)")`,
        ],
        [
          'zsh',
          'waybill completion zsh > ~/.zfunc/_waybill, and before compinit in ~/.zshrc: fpath=(~/.zfunc $fpath)',
        ],
        ['fish', 'waybill completion fish > ~/.config/fish/completions/waybill.fish'],
        [
          'PowerShell',
          'waybill completion powershell | Out-String | Invoke-Expression, as a line of the file that $PROFILE names',
        ],
      ],
      Notes:
        'Nothing on the line is run or expanded, nothing is sent, and nothing is written. Keys and ids come from the journal of this machine.',
    },
  });
}
