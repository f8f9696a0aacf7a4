import type { Command } from 'commander';
import type { Act } from '../../session/command.ts';
import { groupHelp } from '../../session/command.ts';
import { define as defineCreate } from './create.ts';
import { define as defineGet } from './get.ts';
import { define as defineList } from './list.ts';
import { define as defineListen } from './listen.ts';

export function define(command: Command, act: Act): void {
  defineCreate(command.command('create').description('create a webhook subscription'), act);
  defineGet(command.command('get').description('read a webhook subscription'), act);
  defineList(command.command('list').description('the subscriptions in the journal'), act);
  defineListen(command.command('listen').description('receive deliveries on this machine'), act);
  groupHelp(command);
}
