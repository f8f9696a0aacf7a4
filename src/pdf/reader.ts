// Reads labels that come from outside, in a thread of its own (`host/thread.ts`), which is ended if it takes too long or too much memory,
// or if a signal comes. The answer is the label as a PDF with pages that are safe to read.
import { parentPort } from 'node:worker_threads';
import { decodePDFRawStream, PDFContext, PDFRawStream } from '@cantoo/pdf-lib';
import type { Crop } from '../paper.ts';
import type { PageFault } from '../say/labels.ts';
import { messageOf } from '../system-errors.ts';
import { createPdf } from './pdf.ts';
import { Unreadable } from './whole.ts';

/** The request to a thread: a label, and the part of its pages that is taken. */
export interface ReadJob {
  label: Uint8Array;
  crop?: Crop | undefined;
}

/** The answer of the thread. `isUncropped`: the label was to be cropped to what is drawn, but nobody can tell what is drawn. */
export interface Read {
  pdf: Uint8Array;
  isUncropped: boolean;
}

const HEAD = Buffer.from('%PDF-1.7\n');

const MIB = 1024 * 1024;
/** The most bytes of any unpacked stream that is read. */
const MOST_UNPACKED = 32 * MIB;
/** The most bytes of the PDF that is the answer. */
const MOST_READ = 64 * MIB;
const TOO_LARGE = { fault: 'unpacks-too-far' } as const;

let isExceeded = false;

/** Sets a bound for the streams of the library, which otherwise unpack to any size. */
function boundStreams(): void {
  const dict = PDFContext.create().obj({ Filter: 'FlateDecode' });
  const stream = decodePDFRawStream(PDFRawStream.of(dict, Buffer.from('789c', 'hex')));
  const streams = Object.getPrototypeOf(Object.getPrototypeOf(stream));
  const { ensureBuffer } = streams;
  streams.ensureBuffer = function (this: unknown, size: number) {
    isExceeded ||= size > MOST_UNPACKED;
    if (size > MOST_UNPACKED) throw new Error('too large');
    return ensureBuffer.call(this, size);
  };
}

async function readLabelPages(job: ReadJob): Promise<Read> {
  isExceeded = false;
  const pdf = createPdf(HEAD, 'Labels', { crop: job.crop });
  const { isUncropped } = await pdf.add(job.label).catch(error => {
    throw isExceeded ? new Unreadable(TOO_LARGE) : error;
  });
  const bytes = await pdf.bytes();
  if (bytes.length > MOST_READ) throw new Unreadable(TOO_LARGE);
  return { pdf: bytes, isUncropped };
}

const faultOf = (error: unknown): PageFault =>
  error instanceof Unreadable ? error.fault : { fault: 'unreadable', why: messageOf(error) };

/** Answers one label after the other, until the thread is ended. */
export function readEach(): void {
  boundStreams();
  parentPort?.on('message', (job: ReadJob) =>
    readLabelPages(job).then(
      answer => parentPort?.postMessage(answer),
      error => parentPort?.postMessage({ fault: faultOf(error) }),
    ),
  );
}
