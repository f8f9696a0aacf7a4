/** What is drawn: the operators of a content stream, in Latin-1. Font F1 is Helvetica, F2 Helvetica-Bold. */
type Drawing = string;

/**
 * A PDF 1.4; width and height of its pages are in points. `common` is drawn on every page, below what the page has of its
 * own. The same drawings give the same bytes.
 */
export function pdf(
  { width, height }: { width: number; height: number },
  common: Drawing,
  pages: readonly Drawing[],
): Uint8Array {
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const stream = (content: Drawing) => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
  // Each page is an object, and its drawing the next one.
  const pageAt = (index: number) => 6 + 2 * index;
  const kids = pages.map((_, index) => `${pageAt(index)} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 ${width} ${height}] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    stream(common),
    ...pages.flatMap((drawing, index) => [
      `<< /Type /Page /Parent 2 0 R /Contents [5 0 R ${pageAt(index) + 1} 0 R] >>`,
      stream(drawing),
    ]),
  ];
  // The four high bytes tell mail programs and the like that the file is not text.
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  // The cross-reference table gives the byte offset of each object, so all is written in one-byte characters.
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(file.length);
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = file.length;
  const entries = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
