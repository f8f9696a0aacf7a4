/** The words that the service document shows (§3), each as status and as milestone. A service has others. */
export const SHOWN_MILESTONES = ['pending_arrival_at_warehouse', 'delivered'] as const;

/** Where a journey ends, if nothing else is said. */
export const DELIVERED: (typeof SHOWN_MILESTONES)[number] = 'delivered';

/**
 * A word of the service (service type, status, milestone) as it is compared: NFC and lower case, without the dot that a
 * Turkish capital I leaves, so that `EKONOMİ` and `ekonomi` are one word.
 */
export const comparable = (word: string): string =>
  word.normalize('NFC').toLowerCase().replaceAll('i\u0307', 'i').trim();

/** Are they the same word? Nothing is the same as a word that is missing. */
export const isSameWord = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && comparable(one) === comparable(other);
