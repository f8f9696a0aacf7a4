/** What may go wrong, and what the caller sees. A number is a status: it is the answer, and nothing is done. */
export const FAULTS: Readonly<Record<string, string>> = {
  delay: 'the answer comes 1 to 5 seconds later',
  'reset-before': 'the connection breaks before anything is done',
  'reset-after': 'the request is carried out, but the connection breaks without an answer',
  truncate: 'the request is carried out, but the connection breaks in the middle of the answer',
  html: 'the request is carried out, but the answer is an HTML page',
  'label-international': 'the label of the international leg is not made',
  'label-domestic': 'the label of the domestic leg is not made',
};

export interface Fault {
  /** A name of FAULTS, or a status number. */
  kind: string | number;
  /** From 0 (never) to 1 (always). */
  probability: number;
}

/** Parses `KIND:PROBABILITY`, such as `500:0.2` or `reset-after:1`. */
export function parseFault(written: string): Fault {
  const [kind = '', chance = '', ...rest] = written.split(':');
  const status = /^[2-5]\d\d$/.test(kind) ? Number(kind) : undefined;
  const probability = /^(\d+(\.\d*)?|\.\d+)$/.test(chance) ? Number(chance) : Number.NaN;
  if (rest.length > 0 || (status === undefined && !Object.hasOwn(FAULTS, kind)) || !(probability <= 1))
    throw new Error(
      `A fault is KIND:PROBABILITY, with a probability from 0 to 1, not ${JSON.stringify(written)}. ` +
        `Kinds: ${Object.keys(FAULTS).join(', ')}, or a status from 200 to 599.`,
    );
  return { kind: status ?? kind, probability };
}

/** The faults of one request. Every fault takes one random number, so that a seed gives the same faults again. */
export function drawFaults(faults: readonly Fault[], random: () => number): ReadonlySet<string | number> {
  return new Set(faults.filter(fault => random() < fault.probability).map(fault => fault.kind));
}

/** Numbers from 0 up to but not including 1, always the same for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
