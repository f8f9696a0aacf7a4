// What a person can do about a booking, with the exact command.
import { LEGS } from '../../contract/operation.ts';
import { AT_WORK_MINUTES, isMade, needsAcceptance } from '../../journal/booking.ts';
import type { Order } from '../../journal/types.ts';
import type { Session } from '../../session/session.ts';
import { shellWord } from '../../text.ts';
import { orderFacts } from '../../views/booking-row.ts';

export interface Step {
  why: string;
  type: string;
}

/** The ids with which an unknown booking is resolved as created. */
const TO_CREATE: Readonly<Record<string, string>> = {
  'ship-dual': 'ID --domestic ID',
  'webhook-create': 'SUBSCRIPTION_ID',
};

export function nextSteps(session: Session, order: Order): Step[] {
  const { booking, labels } = order;
  const { shipments, labelled } = orderFacts(order);
  const step = (why: string, words: string): Step => ({
    why,
    type: `waybill ${words}${flagsFor(session, order)}`,
  });
  const ids = LEGS.flatMap(leg => shipments[leg] ?? []);
  const name = booking.key ?? ids[0] ?? booking.id;
  // It would be an option.
  const ref = name.startsWith('-') ? booking.id : shellWord(name);
  // The key and the ids of a label booking are those of its shipment.
  const own = booking.operation === 'label' ? booking.id : ref;
  const resolved = (id: string, created = 'SHIPMENT_ID') => [
    step('It exists, as the service says:', `history resolve ${id} --created ${created}`),
    step(
      `The provider of the service says that it does not exist, ${AT_WORK_MINUTES} minutes after it was sent or later:`,
      `history resolve ${id}`,
    ),
  ];
  if (booking.state === 'unknown')
    return booking.operation === 'label'
      ? resolved(own, shellWord(ids[0] ?? 'SHIPMENT_ID'))
      : resolved(own, TO_CREATE[booking.operation]);
  const unknown = labels.filter(label => label.booking.state === 'unknown');
  const steps = needsAcceptance(booking)
    ? [step('Its price is above --max-price. To accept it:', `history accept ${own}`)]
    : [];
  for (const { leg, booking: label } of unknown)
    steps.push(
      step(`Its ${leg} label may or may not exist. To see it, and say so:`, `history show ${label.id}`),
    );
  if (booking.ids.subscription !== undefined)
    return [
      ...steps,
      step('To see it at the service:', `webhook get ${shellWord(booking.ids.subscription)}`),
    ];
  if (!isMade(booking) || ids.length === 0) return steps;
  steps.push(step('Where it is:', `track ${ref}`));
  const isLabelled = LEGS.every(leg => shipments[leg] === undefined || labelled.includes(leg));
  if (isLabelled) steps.push(step('To save its label again:', `label ${ref} --download .`));
  else if (unknown.length === 0) steps.push(step('To make its label:', `label ${ref}`));
  return steps;
}

/** The profile, unless the command would use it anyway; and the sandbox or not, if that was typed. */
export function flagsFor({ globals, target }: Session, { booking }: Order): string {
  const { profile, address, sandbox } = booking;
  const named = address === 'demo' ? 'demo' : profile;
  const isInForce = globals.profile === undefined && target().name === named;
  return [
    named === null || isInForce ? '' : ` --profile ${shellWord(named)}`,
    globals.sandbox === undefined ? '' : sandbox ? ' --sandbox' : ' --no-sandbox',
  ].join('');
}
