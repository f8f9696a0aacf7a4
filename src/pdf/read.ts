// Turns labels into pages. Each label is read in a thread of its own, because it comes from outside, and may contain anything.
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Crop } from '../paper.ts';
import type { PageFault } from '../say/labels.ts';
import type { Read, ReadJob } from './reader.ts';
import { Unreadable } from './whole.ts';

/** How long it may take to read a label, in milliseconds: an image of 40 million pixels takes ten seconds. */
const LONGEST_MS = 30_000;

/** A label as a PDF whose pages are quick to read. `crop`: the part of the pages that is taken. Throws `Unreadable`, and `interrupted`. */
export async function labelAsPdf(
  label: Uint8Array,
  host: Pick<Host, 'inThread'>,
  crop?: Crop | undefined,
): Promise<Read> {
  const { reader } = await import('waybill:reader');
  let answer: unknown;
  try {
    answer = await host.inThread(reader, { label, crop } satisfies ReadJob, LONGEST_MS);
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    throw new Unreadable({ fault: 'unreadable', why: error.message });
  }
  const result = answer as Read | { fault?: PageFault };
  if ('pdf' in result) return result;
  throw new Unreadable(result.fault ?? { fault: 'unreadable' });
}
