// Labels as pages: each is read in a thread of its own, because it comes from outside and may be anything.
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';

/** How long a label may take, in milliseconds: a picture of 40 million pixels takes ten seconds. */
const LONGEST_MS = 30_000;

/**
 * A label as a PDF whose pages are read quickly. Throws why it cannot be read, in words such as `its PDF is damaged`, and
 * `interrupted`.
 */
export async function labelAsPdf(label: Uint8Array, host: Pick<Host, 'inThread'>): Promise<Uint8Array> {
  const { reader } = await import('waybill:reader');
  let answer: unknown;
  try {
    answer = await host.inThread(reader, label, LONGEST_MS);
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    throw new Error(`it cannot be read: ${error.message}`);
  }
  const { pdf, why = 'it cannot be read' } = answer as { pdf?: Uint8Array; why?: string };
  if (pdf) return pdf;
  throw new Error(why);
}
