const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Text as a number; `undefined` if it is not a number, or if JSON would send a different one: JSON has neither infinity
 * nor a negative zero, and a long whole number would lose its last digits.
 */
export function numberOf(written: string): number | undefined {
  const text = written.trim();
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number) || Object.is(number, -0)) return undefined;
  const [, digits] = /^[+-]?0*(\d+)$/.exec(text) ?? [];
  const loses = digits !== undefined && String(Math.abs(number)) !== digits;
  return loses ? undefined : number;
}
