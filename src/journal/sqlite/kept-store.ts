// The database of the journal, watched: it must hold what it held before, and stay where it was opened.
import { basename, dirname } from 'node:path';
import { Failure, messageOf } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { openStore, type Store } from '../../sqlite.ts';
import { lostBookings, type Opening, refuse, wrongVersion } from '../opening.ts';
import { inPlace } from './in-place.ts';
import { type Marker, markerOf, openMarker, removeMarker, stateOf } from './marker.ts';
import { SCHEMA } from './schema.ts';

export interface KeptStore extends Store {
  /** Throws if the files are no longer where they were opened, or were a few ms ago; every transaction does, too. */
  checkPlace(): void;
}

/** For so many ms after a look the files count as being there: what is committed together is sent together. */
const LOOK_MS = 10;

/** Opens or creates it. Throws `storage` if it has lost bookings, and plain errors otherwise. */
export async function openKeptStore(
  file: string,
  opening: Opening,
  { monotonic }: Pick<Host, 'monotonic'>,
): Promise<KeptStore> {
  const { asNew = false, onLost = refuse } = opening;
  if (!asNew && stateOf(file) === 'used') onLost(lost(file, 'is missing or empty, but it held bookings'));
  let marker = asNew ? undefined : known(file, onLost);
  const held = marker?.held ?? 0;
  const store = await openStore(file, {
    durability: 'full',
    schema: SCHEMA,
    inspect(found, version) {
      if (version !== 0 && version !== SCHEMA.version) throw wrongVersion(file, version, takenOver(file));
      const there = version === 0 ? 0 : newestIn(found);
      if (there < held)
        onLost(lost(file, `has lost bookings: the newest is number ${there}, and it held ${held}`));
    },
  });
  if (asNew) {
    removeMarker(file);
    marker = known(file, () => {});
  }
  marker?.raise(newestIn(store));
  const isInPlace = inPlace(file);
  let lookedAt = Number.NEGATIVE_INFINITY;
  const checkPlace = () => {
    if (!isInPlace()) throw new Error('it was deleted, moved or replaced while it was in use');
    lookedAt = monotonic();
  };
  return {
    ...store,
    checkPlace() {
      if (monotonic() - lookedAt > LOOK_MS) checkPlace();
    },
    transaction(work) {
      // Before it too, because another process may by now use files of the same names.
      checkPlace();
      const { result, newest } = store.transaction(() => ({ result: work(), newest: newestIn(store) }));
      checkPlace();
      marker?.raise(newest);
      return result;
    },
    close() {
      marker?.close();
      // SQLite would remove files by their names, which may be those of another journal by now.
      if (isInPlace()) store.close();
    },
  };
}

/** Bookings are never deleted: the number of the newest is how many there are. */
const newestIn = (store: Store): number =>
  store.first<{ newest: number | null }>('SELECT MAX(number) AS newest FROM bookings')?.newest ?? 0;

function known(file: string, onLost: (failure: Failure) => void): Marker | undefined {
  try {
    return openMarker(file);
  } catch (error) {
    const path = markerOf(file);
    onLost(
      new Failure(
        'storage',
        `${path}, which says how many bookings the journal held, cannot be used: ${messageOf(error)}; nothing was sent. If the journal beside it is complete, remove that file: the next command writes it again. --new-journal does the same`,
      ),
    );
    return undefined;
  }
}

const takenOver = (file: string): string => {
  const name = basename(file);
  return `Move all files of ${dirname(file)} that begin with ${name} into another folder, then take its bookings over: waybill history import FOLDER/${name}`;
};

const lost = (file: string, what: string): Failure =>
  lostBookings(file, what, 'Put the file back with its -wal, or from a backup');
