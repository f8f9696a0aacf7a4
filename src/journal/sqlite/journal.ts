import { Failure, messageOf } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { openStore } from '../../sqlite.ts';
import type { Processes } from '../holder.ts';
import type { Claim, Journal } from '../journal.ts';
import { bookingsIn } from './bookings.ts';
import { groupCommits } from './group-commit.ts';
import { reserveIn } from './reserve.ts';
import { MIGRATIONS } from './schema.ts';

/** Pages of 4 KB that gather in the WAL: the more of them, the less often a page of an index is copied from there. */
const CHECKPOINT = 8000;

const UNSENT = '; nothing was sent';

/**
 * The journal in a file of this machine, made where it is not there. Every commit is synced before it resolves. Rejects
 * with `storage`.
 */
export async function openJournal(
  file: string,
  processes: Processes,
  host: Pick<Host, 'now' | 'turn'>,
): Promise<Journal> {
  const guarded = async <T>(doing: string, work: () => T | Promise<T>, fate = ''): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new Failure(
        'storage',
        `the journal ${file} cannot be ${doing}: ${messageOf(error)}${fate}`,
        {},
        { cause: error },
      );
    }
  };
  const store = await guarded(
    'opened',
    () => openStore(file, { durability: 'full', migrations: MIGRATIONS }),
    UNSENT,
  );
  store.all(`PRAGMA wal_autocheckpoint = ${CHECKPOINT}`);
  const bookings = bookingsIn(store, processes, host);
  const reserve = reserveIn(`${file}-reserve`, host);
  // Reads are transactions that may write too: a booking whose process is gone becomes unknown when it is read.
  const grouped = groupCommits(store, host);
  const within = <T>(doing: string, work: () => T, fate?: string) =>
    guarded(doing, () => grouped(work), fate);

  return {
    obstacle: intent => within('read', () => bookings.obstacle(intent)),
    claim: intent =>
      within(
        'written',
        (): Claim => {
          const obstacle = bookings.obstacle(intent);
          if (obstacle) return obstacle;
          reserve.hold();
          return { kind: 'claimed', id: bookings.insert(intent) };
        },
        UNSENT,
      ),
    async recordOutcome(id, settlement) {
      const write = () => within('written', () => bookings.settle(id, settlement));
      await write().catch(() => {
        reserve.release();
        return write();
      });
    },
    latestBy: (scope, by, values) => within('read', () => bookings.recall(scope, by, values)),
    knownAmong: (keys, shipments) => within('read', () => bookings.known(keys, shipments)),
    byId: id => within('read', () => bookings.first('id = ?', id)),
    bookingOfLabel: (scope, shipment) => within('read', () => bookings.labelOf(scope, shipment)),
    bookingOf: (scope, id) => within('read', () => bookings.bookingOf(scope, id)),
    saveLabel: (id, leg, pdf, path) => within('written', () => bookings.keepLabel(id, leg, pdf, path)),
    savedLabel: (id, leg) => within('read', () => bookings.keptLabel(id, leg)),
    list: filter => within('read', () => bookings.list(filter)),
    labelledShipments: id => within('read', () => bookings.claimsOf(id)),
    importBookings: carried => within('written', () => carried.map(bookings.take)),
    prune: before => within('written', () => bookings.prune(before)),
    close: () => guarded('closed', () => store.close()),
  };
}
