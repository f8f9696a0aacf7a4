const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Written text as a number; `undefined` where it is none, or where JSON would send another one: it has neither infinity
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
