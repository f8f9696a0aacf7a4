// Asks a person whether a booking with an unknown outcome exists. What the journal knows of the booking is shown first.

import { type Booking, type Ids, labelledIds } from '../booking/booking.ts';
import { ownerOfShipment } from '../booking/standing.ts';
import { operationNamed } from '../contract/operations.ts';
import { isRequired } from '../host/question.ts';
import { quotedName } from '../order/question.ts';
import { historyRow } from '../output/columns.ts';
import { timeWords } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import { nameWords } from '../text.ts';
import type { SaidOutcome } from '../wing.ts';

/** What the person says; `undefined`: they do not know yet. `sentAt`: when the booking was sent last. Throws `interrupted`. */
export async function askOutcome(
  session: Pick<Session, 'ask' | 'host'>,
  booking: Booking,
  sentAt: number,
): Promise<SaidOutcome | undefined> {
  const { carrier } = historyRow(booking);
  const owner = ownerOfShipment(booking);
  const name = quotedName(booking);
  const facts = [
    name,
    carrier !== null && `carrier ${nameWords(carrier)}`,
    !name.includes(booking.id) && `booking ${booking.id}`,
  ];
  for (;;) {
    const answer = await session.ask({
      kind: 'choice',
      id: 'exists',
      message: `Does this ${booking.operation === 'label' ? 'label' : 'booking'} exist?`,
      hint: [
        facts.filter(Boolean).join(', '),
        `It was sent ${timeWords(sentAt, session.host.now())}.`,
        'Say no only if the provider of the service says so: if it exists after all, the next run books it a second time.',
      ].join('\n'),
      choices: [
        { value: 'yes', name: 'Yes, it exists' },
        ...(owner === undefined
          ? []
          : [{ value: 'same', name: `Yes, and it is one shipment with booking ${owner}` }]),
        { value: 'no', name: 'No, the provider says that it does not exist' },
        { value: 'unsure', name: 'I do not know yet' },
      ],
      isOpen: true,
      esc: 'leave',
    });
    if (answer === 'unsure') return undefined;
    if (answer === 'no') return {};
    if (answer === 'same') return { sameAs: owner };
    const ids = await askIds(session, booking);
    if (ids !== undefined) return ids;
  }
}

const ID_WORDS: Readonly<Record<keyof Ids, string>> = {
  shipment: 'Its shipment id',
  international: 'Id of its international shipment',
  domestic: 'Id of its domestic shipment',
  subscription: 'Its subscription id',
};

/** Asks for the ids of a booking that exists; `undefined`: the person went back to the question before. */
async function askIds(session: Pick<Session, 'ask'>, booking: Booking): Promise<SaidOutcome | undefined> {
  const kinds = Object.keys(operationNamed(booking.operation).made.ids) as (keyof Ids)[];
  if (kinds.length === 0) return askLabels({ ask: session.ask }, Object.values(labelledIds(booking)));
  const ids: string[] = [];
  for (const kind of kinds) {
    const id = await session.ask({
      kind: 'text',
      id: kind,
      message: `${ID_WORDS[kind]}, as the service gave it`,
      defaultAnswer: booking.ids[kind],
      check: isRequired,
    });
    if (id === undefined) return undefined;
    ids.push(id.trim());
  }
  return { created: ids[0], domestic: ids[1] };
}

/** Which labels exist. The request names their shipments: a person is asked only if there are two. */
async function askLabels(
  session: Pick<Session, 'ask'>,
  shipments: readonly string[],
): Promise<SaidOutcome | undefined> {
  const [created, domestic] = shipments;
  if (created === undefined || domestic === undefined) return { created };
  const picked = await session.ask({
    kind: 'choice',
    id: 'labels',
    message: 'Which of its labels exist?',
    choices: [
      { value: 'both', name: 'Both' },
      ...shipments.map(shipment => ({ value: shipment, name: `Only that of ${nameWords(shipment)}` })),
    ],
    isOpen: true,
  });
  if (picked === undefined) return undefined;
  return picked === 'both' ? { created, domestic } : { created: picked };
}
