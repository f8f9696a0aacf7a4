import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt } from '../../contract/paths.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { subscriptionView } from '../../views/subscription.ts';

const operation = OPERATIONS.getSubscription;

export function define(command: Command, act: Act): void {
  command.argument('<id>', 'subscription id').action(act<object>(get));
}

async function get(session: Session, _: object, id: string): Promise<void> {
  const body = await session.read(operation, { parameters: { subscriptionId: id } });
  await session.printer.result(body, subscriptionView(getAt(body, ['data'])));
}
