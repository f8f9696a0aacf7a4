import type { Command } from 'commander';
import { contentOf } from '../../contract/content.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import type { Act } from '../../session/command.ts';
import { addPage } from '../../session/page.ts';
import { subscriptionView } from '../../views/subscription.ts';

const operation = OPERATIONS.getSubscription;

export function define(command: Command, act: Act): void {
  command.argument('<id>', 'subscription id').action(
    act<object>(async ({ read, printer }, _, id: string) => {
      const body = await read(operation, { parameters: { subscriptionId: id } });
      await printer.result(body, subscriptionView({ content: contentOf(operation, body).value }));
    }),
  );
  addPage(command, {
    examples: [
      '# Create a subscription, and read it.',
      'id=$(waybill webhook create -q --url https://shop.example.com/hooks/read --event shipment.status.updated)',
      'waybill webhook get "$id"',
    ],
    output: {
      table: 'the subscription',
      quiet: 'its id',
      json: 'the answer of the service, without secret and token',
    },
    asks: ['getSubscription'],
  });
}
