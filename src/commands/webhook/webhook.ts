import type { Command } from 'commander';
import type { Booking } from '../../booking/booking.ts';
import { contentOf } from '../../contract/content.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { listAt, textAt } from '../../contract/paths.ts';
import { table } from '../../output/table.ts';
import { timeWords } from '../../say/words.ts';
import { type Act, groupHelp } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { define as defineCreate, subscriptionView } from './create.ts';
import { define as defineListen } from './listen.ts';

const { createSubscription, getSubscription } = OPERATIONS;

export function define(group: Command, act: Act): void {
  const command = (name: string, summary = '') => group.command(name).description(summary);
  defineCreate(command('create', createSubscription.help?.summary), act);
  command('get', getSubscription.help?.summary).argument('<subscription>', 'its id').action(act<object>(get));
  command('list', 'list the subscriptions in the journal').action(act<object>(list));
  defineListen(command('listen', 'receive deliveries on this machine'), act);
  groupHelp(group);
}

async function get({ service, printer, host }: Session, _: object, id: string): Promise<void> {
  const body = await service.read(getSubscription, { parameters: { subscriptionId: id } });
  await printer.result(body, subscriptionView(contentOf(getSubscription, body).value, host.now()));
}

/** Lists the subscriptions in the journal: the service document has no operation that lists them. */
async function list({ openJournal, printer, host }: Session): Promise<void> {
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

function rowOf({ id, key, at, profile, address, ids, request }: Booking) {
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
