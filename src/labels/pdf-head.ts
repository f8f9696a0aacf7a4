// How a PDF of ours begins: only such a file is replaced. Apart from pdf.ts, which takes time to load.

/** The second line tells programs that the file is not text. */
export const PDF_HEAD = Buffer.from(
  '%PDF-1.7\n%\x81\x81\x81\x81\n%Labels merged by waybill; it replaces this file\n',
  'latin1',
);
