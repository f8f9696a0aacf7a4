import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import type { Act } from '../../session/command.ts';
import { subscriptionView } from '../../views/subscription.ts';

export function define(command: Command, act: Act): void {
  command.argument('<id>', 'subscription id').action(
    act<object>(async ({ read, printer }, _, id: string) => {
      const body = await read(OPERATIONS.getSubscription, { parameters: { subscriptionId: id } });
      await printer.result(body, subscriptionView);
    }),
  );
}
