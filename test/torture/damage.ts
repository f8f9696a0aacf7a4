// Damage as a disk, a copy that was cut off, or a program that does not know the file leaves it.

/** From the first byte up to but not including the last. */
type Place = readonly [from: number, to: number];

export interface Damaged {
  bytes: Buffer;
  places: Place[];
  kind: string;
}

const PAGE = 4096;

/** A damaged copy. */
export function damage(good: Buffer, random: () => number): Damaged {
  const bytes = Buffer.from(good);
  const under = (most: number) => Math.floor(random() * most);
  const flip = (): Place => {
    const place = under(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << under(8));
    return [place, place + 1];
  };
  const chance = random();
  if (chance < 0.6) return { bytes, places: [flip()], kind: 'one bit' };
  if (chance < 0.8) return { bytes, places: Array.from({ length: 64 }, flip), kind: '64 bits' };
  const page = under(bytes.length / PAGE) * PAGE;
  if (chance < 0.9) {
    bytes.fill(0, page, page + PAGE);
    return { bytes, places: [[page, page + PAGE]], kind: 'a page of zeros' };
  }
  const end = under(bytes.length);
  return { bytes: bytes.subarray(0, end), places: [[end, good.length]], kind: 'cut off' };
}

/** Does the damage touch a page with that text? */
export const touched = (good: Buffer, places: readonly Place[], text: string): boolean => {
  for (let at = good.indexOf(text); at >= 0; at = good.indexOf(text, at + 1)) {
    const page = Math.floor(at / PAGE) * PAGE;
    if (places.some(([from, to]) => from < page + PAGE && to > page)) return true;
  }
  return false;
};
