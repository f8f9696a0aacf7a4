import type { Command } from 'commander';
import { contentOf } from '../../contract/content.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import type { Act } from '../../session/command.ts';
import { subscriptionView } from '../../views/subscription.ts';

const operation = OPERATIONS.getSubscription;

export function define(command: Command, act: Act): void {
  command.argument('<id>', 'subscription id').action(
    act<object>(async ({ read, printer }, _, id: string) => {
      const body = await read(operation, { parameters: { subscriptionId: id } });
      await printer.result(body, subscriptionView({ content: contentOf(operation, body).value }));
    }),
  );
}
