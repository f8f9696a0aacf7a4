/** What a person knows of a booking: beginnings of words, and facts that are equal without case and marks. */
export interface Sought {
  search?: string;
  country?: string;
  carrier?: string;
  run?: string;
}

/** Which shipments are under way. */
export interface UnderWayFilter {
  /** Booked since then, in ms since 1970. */
  since: number;
  /** The milestones that end a journey. */
  ends: readonly string[];
  /** The id of a booking: only older ones, which are the next page. */
  before?: string | undefined;
  limit: number;
}

/** A shipment that was seen at a milestone. */
export interface Sighting {
  shipment: string;
  milestone: string;
}
