import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { type Act, groupHelp } from '../../session/command.ts';
import { addPage } from '../../session/page.ts';
import { define as defineList } from './list.ts';
import { define as defineListen } from './listen.ts';

export async function define(command: Command, act: Act): Promise<void> {
  // `webhook-create` is in the file `create.ts`.
  for (const { command: name, help } of Object.values(OPERATIONS)) {
    const [, sub] = /^webhook-(.+)/.exec(name) ?? [];
    if (sub && help)
      (await import(/* @vite-ignore */ `./${sub}.ts`)).define(
        command.command(sub).description(help.summary),
        act,
      );
  }
  defineList(command.command('list').description('list the subscriptions in the journal'), act);
  defineListen(command.command('listen').description('receive deliveries on this machine'), act);
  groupHelp(command);
  addPage(command, {
    examples: [
      '# Subscribe, and list the subscriptions created here.',
      'waybill webhook create --url https://shop.example.com/hooks/shop --event shipment.status.updated --max-retries 9',
      'waybill webhook list',
    ],
  });
}
