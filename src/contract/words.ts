/** The words that the service document shows (§3), each as status and as milestone. A service has others. */
export const SHOWN_MILESTONES = ['pending_arrival_at_warehouse', 'delivered'] as const;

/** Where a journey ends, if nothing else is said. */
export const DELIVERED: (typeof SHOWN_MILESTONES)[number] = 'delivered';

/** No word is longer. Normalizing takes time with the square of the number of marks that follow one another. */
const LONGEST = 200;

/**
 * A word of the service (service type, status, milestone) as it is compared: NFC and lower case, without the dot that a
 * Turkish capital I leaves, so that `EKONOMİ` and `ekonomi` are one word.
 */
export const comparable = (word: string): string =>
  (word.length > LONGEST ? word : word.normalize('NFC')).toLowerCase().replaceAll('i\u0307', 'i').trim();

/** Are they the same word? Nothing is the same as a word that is missing. */
export const isSameWord = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && comparable(one) === comparable(other);
