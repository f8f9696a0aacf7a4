// Labels as pages: each is read in a thread of its own, because it comes from outside and may be anything.
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import type { PageFault } from '../say/labels.ts';
import { Unreadable } from './whole.ts';

/** How long a label may take, in milliseconds: a picture of 40 million pixels takes ten seconds. */
const LONGEST_MS = 30_000;

/**
 * A label as a PDF whose pages are read quickly. Throws `Unreadable`, and `interrupted`.
 */
export async function labelAsPdf(label: Uint8Array, host: Pick<Host, 'inThread'>): Promise<Uint8Array> {
  const { reader } = await import('waybill:reader');
  let answer: unknown;
  try {
    answer = await host.inThread(reader, label, LONGEST_MS);
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    throw new Unreadable({ fault: 'unreadable', why: error.message });
  }
  const { pdf, fault = { fault: 'unreadable' } } = answer as { pdf?: Uint8Array; fault?: PageFault };
  if (pdf) return pdf;
  throw new Unreadable(fault);
}
