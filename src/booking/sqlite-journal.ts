import { Failure, messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { openStore } from '../sqlite.ts';
import { bookingsIn, MIGRATIONS } from './bookings.ts';
import type { Processes } from './holder.ts';
import type { Claim, Journal } from './journal.ts';

/**
 * The journal in a file of this machine, made where it is not there. Every commit is synced before it resolves. Rejects
 * with `storage`.
 */
export async function openJournal(
  file: string,
  processes: Processes,
  host: Pick<Host, 'now'>,
): Promise<Journal> {
  const guarded = async <T>(doing: string, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new Failure(
        'storage',
        `the journal ${file} cannot be ${doing}: ${messageOf(error)}`,
        {},
        { cause: error },
      );
    }
  };
  const store = await guarded('opened', () =>
    openStore(file, { durability: 'full', migrations: MIGRATIONS }),
  );
  const bookings = bookingsIn(store, processes, host);
  // Reads are transactions that may write too: a booking whose process is gone becomes unknown when it is read.
  const within = <T>(doing: string, work: () => T) => guarded(doing, () => store.transaction(work));

  return {
    obstacle: intent => within('read', () => bookings.obstacle(intent)),
    claim: intent =>
      within(
        'written',
        (): Claim => bookings.obstacle(intent) ?? { kind: 'claimed', id: bookings.insert(intent) },
      ),
    settle: (id, settlement) => within('written', () => bookings.settle(id, settlement)),
    byId: id => within('read', () => bookings.first('id = ?', id)),
    labelOf: (scope, shipment) => within('read', () => bookings.labelOf(scope, shipment)),
    bookingOf: (scope, id) => within('read', () => bookings.bookingOf(scope, id)),
    keepLabel: (id, leg, pdf, path) => within('written', () => bookings.keepLabel(id, leg, pdf, path)),
    keptLabel: (id, leg) => within('read', () => bookings.keptLabel(id, leg)),
    list: filter => within('read', () => bookings.list(filter)),
    prune: before => within('written', () => bookings.prune(before)),
    close: () => guarded('closed', () => store.close()),
  };
}
