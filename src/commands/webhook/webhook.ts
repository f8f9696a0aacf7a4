import type { Booking } from '../../booking/booking.ts';
import { contentOf } from '../../contract/content.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { listAt, textAt } from '../../contract/paths.ts';
import { table } from '../../output/table.ts';
import { timeWords } from '../../say/words.ts';
import { type CommandGroup, declare, operand } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { create, subscriptionView } from './create.ts';
import { listen } from './listen.ts';

const { createSubscription, getSubscription } = OPERATIONS;

const get = declare({
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
  operands: [operand('<subscription>', 'its id')],
  async run(session, _, id) {
    const { service, printer, host } = session;
    const body = await service.read(getSubscription, { parameters: { subscriptionId: id } });
    await printer.result(body, subscriptionView(contentOf(getSubscription, body).value, host.now()));
  },
});

const list = declare({
  examples: ['# All that were created here.', 'waybill webhook list'],
  output: {
    table: 'one line for each subscription, of all addresses',
    quiet: 'their ids',
    json: 'a list of id, url, events, at, key, profile, address, booking',
  },
  run: listSubscriptions,
});

export const command: CommandGroup = {
  examples: ['# The subscriptions created here.', 'waybill webhook list'],
  commands: {
    create: [createSubscription.help?.summary ?? '', async () => create],
    get: [getSubscription.help?.summary ?? '', async () => get],
    list: ['list the subscriptions in the journal', async () => list],
    listen: ['receive deliveries on this machine', async () => listen],
  },
};

/** Lists the subscriptions in the journal: the service document has no operation that lists them. */
async function listSubscriptions(session: Session): Promise<void> {
  const { openJournal, printer, host } = session;
  const journal = await openJournal('look');
  const created = { operation: createSubscription.command, states: ['created', 'partial'] } as const;
  await printer.result(((await journal?.list(created)) ?? []).map(rowOf), {
    essential: rows => rows.map(row => row.id),
    table: (rows, look) =>
      rows.length === 0
        ? 'The journal has no subscriptions.'
        : table(look, {
            head: ['subscription', 'created', 'url', 'events', 'address'],
            align: ['whole', 'whole', 'whole', 'whole', 'left'],
            rows: rows.map(row => [
              row.id,
              timeWords(Date.parse(row.at), host.now()),
              row.url,
              row.events.join(' '),
              row.address,
            ]),
          }),
  });
}

function rowOf(booking: Booking) {
  const { id, key, at, profile, address, ids, request } = booking;
  return {
    id: ids.subscription ?? '',
    url: textAt(request, ['url']) ?? null,
    events: listAt(request, 'events').map(String),
    at: new Date(at).toISOString(),
    key,
    profile,
    address,
    booking: id,
  };
}
