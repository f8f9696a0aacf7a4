// What was seen at the end of its journey is recorded, so that `track --active` does not ask for it again.
import { Failure } from '../../errors.ts';
import { endMilestonesOf } from '../../profile/settings.ts';
import type { Session } from '../../session/session.ts';
import { hasReached } from '../../views/shipment.ts';
import type { ListedShipment } from '../../views/shipment-list.ts';

/** Those of the milestones that end a journey at which it was seen. */
export const endsOf = (session: Session, { content }: Pick<ListedShipment, 'content'>): string[] =>
  endMilestonesOf(session.target().profile).filter(milestone => hasReached(content, milestone));

/** A journal that cannot be written is a warning: what was read is shown all the same. */
export async function rememberEnds(session: Session, shipments: readonly ListedShipment[]): Promise<void> {
  const sightings = shipments.flatMap(({ id, booking, failure, content }) =>
    booking && !failure ? endsOf(session, { content }).map(milestone => ({ shipment: id, milestone })) : [],
  );
  if (sightings.length === 0) return;
  try {
    await (await session.journalIfThere())?.recordSeen(session.scope(), sightings);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await session.printer.warn(
      `it could not be recorded which shipments have arrived, so \`track --active\` asks for them again: ${error.message}`,
    );
  }
}
