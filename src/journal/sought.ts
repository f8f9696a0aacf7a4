/** What a person knows of a booking: beginnings of words, and facts that are equal without case and marks. */
export interface Sought {
  search?: string;
  country?: string;
  carrier?: string;
  run?: string;
}
