import { DIALLING_CODES } from '../contract/dialling.ts';

/** `0049`, `49` and `+49 ` are `+49`. */
export const normalCode = (text: string): string => `+${text.replace(/\D/g, '').replace(/^00/, '')}`;

const CODES: ReadonlySet<string> = new Set(DIALLING_CODES.values());

/** Is it a dialling code of a country? Of those with +1 also with the first digits of its numbers. */
export const isDiallingCode = (text: string): boolean =>
  /^(\+|00)?[\d\s()-]+$/.test(text.trim()) &&
  (CODES.has(normalCode(text)) || /^\+1\d{3}$/.test(normalCode(text)));
