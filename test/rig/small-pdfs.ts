// Small PDFs that a test writes by hand, object by object: what a viewer shows of them is more than the operators of their pages.

/** The objects of a file by their numbers; 1 is the catalog, 2 the tree of pages, 3 the page. */
type Objects = Record<number, string>;

const stream = (content: string, entries = ''): string =>
  `<< /Length ${Buffer.byteLength(content, 'latin1')} ${entries} >>\nstream\n${content}\nendstream`;

/** A file with these objects. */
export function pdfWith(objects: Objects): Buffer {
  let text = '%PDF-1.7\n%\x81\x81\x81\x81\n';
  const offsets = new Map<number, number>();
  for (const [number, object] of Object.entries(objects)) {
    offsets.set(Number(number), text.length);
    text += `${number} 0 obj\n${object}\nendobj\n`;
  }
  const begin = text.length;
  const most = Math.max(...offsets.keys());
  const rows = Array.from({ length: most }, (_, index) => {
    const offset = offsets.get(index + 1);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  text += `xref\n0 ${most + 1}\n0000000000 65535 f \n${rows.join('')}`;
  text += `trailer\n<< /Size ${most + 1} /Root 1 0 R >>\nstartxref\n${begin}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** An L, so that it is seen how it is turned, in a frame; and a grey bar. */
const MARK = '10 10 80 130 re S 20 20 12 100 re f 20 20 50 12 re f 0.6 g 60 100 20 30 re f 0 g';

interface PageOptions {
  /** Entries of the page beside its contents. */
  page?: string;
  content?: string;
  catalog?: string;
  tree?: string;
  /** Further objects, from 10 on. */
  more?: Objects;
}

const BOX = '/MediaBox [0 0 100 150]';

function pageOf({ page = BOX, content = MARK, catalog = '', tree = '', more = {} }: PageOptions): Buffer {
  return pdfWith({
    1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    2: `<< /Type /Pages /Kids [3 0 R] /Count 1 ${tree} >>`,
    3: `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${page} >>`,
    4: stream(content),
    ...more,
  });
}

/** A picture of a field or a note. */
const picture = (content: string, box = '0 0 40 20', entries = ''): string =>
  stream(content, `/Type /XObject /Subtype /Form /BBox [${box}] ${entries}`);

const FILLED = 'q 0.2 g 0 0 40 20 re f Q 1 g 5 5 10 10 re f';

const fieldOn = (field: string, more: Objects = { 11: picture(FILLED) }, form = ''): Buffer =>
  pageOf({
    page: `${BOX} /Annots [10 0 R]`,
    catalog: `/AcroForm << /Fields [10 0 R] ${form} >>`,
    more: { 10: `<< /Type /Annot /Subtype /Widget /Rect [40 60 80 80] ${field} >>`, ...more },
  });

const noteOn = (note: string, more: Objects = { 11: picture(FILLED) }): Buffer =>
  pageOf({
    page: `${BOX} /Annots [10 0 R]`,
    more: { 10: `<< /Type /Annot /Rect [40 60 80 80] ${note} >>`, ...more },
  });

const LAYERED = '/OC /A BDC 10 10 30 30 re f EMC /OC /B BDC 0.5 g 50 50 30 30 re f EMC 0 g 10 100 80 5 re f';
const layersOn = (usual: string): Buffer =>
  pageOf({
    page: `${BOX} /Resources << /Properties << /A 20 0 R /B 21 0 R >> >>`,
    content: LAYERED,
    catalog: `/OCProperties << /OCGs [20 0 R 21 0 R] /D << ${usual} >> >>`,
    more: { 20: '<< /Type /OCG /Name (A) >>', 21: '<< /Type /OCG /Name (B) >>' },
  });

/** The length of the contents stands in an object of its own, behind them, and their text has the word that ends a stream. */
const indirectLength = (): Buffer => {
  const content = `${MARK}\n% an order to Glendstream\nendstream\n0.3 g 40 40 30 30 re f`;
  return pdfWith({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${BOX} >>`,
    4: `<< /Length 5 0 R >>\nstream\n${content}\nendstream`,
    5: String(Buffer.byteLength(content)),
  });
};

/** What a viewer shows of each must be what is merged. */
export const SMALL_PDFS: Readonly<Record<string, Buffer>> = {
  'a plain page': pageOf({}),
  'a page whose box does not begin at 0': pageOf({ page: '/MediaBox [-20 -30 80 120]' }),
  'a page whose box is written from the other corner': pageOf({ page: '/MediaBox [100 150 0 0]' }),
  'a page with a crop box': pageOf({ page: `${BOX} /CropBox [10 20 70 120]` }),
  'a page with a crop box that is larger than it': pageOf({ page: `${BOX} /CropBox [-50 -50 500 500]` }),
  ...Object.fromEntries(
    [90, 180, 270, -90, 450].flatMap(turned => [
      [`a page that is turned by ${turned}`, pageOf({ page: `${BOX} /Rotate ${turned}` })],
      [
        `a page with a crop box that is turned by ${turned}`,
        pageOf({ page: `${BOX} /CropBox [10 20 70 120] /Rotate ${turned}` }),
      ],
    ]),
  ),
  'a page in larger units': pageOf({ page: `${BOX} /UserUnit 2` }),
  'a page in larger units with a crop box, turned': pageOf({
    page: `${BOX} /UserUnit 1.5 /CropBox [10 20 70 120] /Rotate 90`,
  }),
  'a box and a turn of the tree of pages': pageOf({
    page: '',
    tree: `${BOX} /CropBox [0 0 90 140] /Rotate 270`,
  }),
  'contents in several parts': pdfWith({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /Contents [4 0 R 5 0 R] ${BOX} >>`,
    4: stream('10 10 80 130 re S 20 20 12'),
    5: stream('100 re f'),
  }),
  'a length in another object, and the end of a stream in a text': indirectLength(),
  'a text field that is filled in': fieldOn('/FT /Tx /T (a) /V (12) /AP << /N 11 0 R >>'),
  'a text field behind contents that are not ended': pageOf({
    page: `${BOX} /Annots [10 0 R]`,
    content: `q 0.5 0 0 0.5 0 0 cm ${MARK}`,
    catalog: '/AcroForm << /Fields [10 0 R] >>',
    more: {
      10: '<< /Type /Annot /Subtype /Widget /Rect [40 60 80 80] /FT /Tx /T (a) /V (1) /AP << /N 11 0 R >> >>',
      11: picture(FILLED),
    },
  }),
  'a text field of which nothing is filled in': fieldOn('/FT /Tx /T (a) /AP << /N 11 0 R >>'),
  'a text field without a picture and a value': fieldOn('/FT /Tx /T (a)'),
  'a text field with an empty value and no picture': fieldOn('/FT /Tx /T (a) /V ()'),
  'a box that is ticked': fieldOn(
    '/FT /Btn /T (a) /V /Yes /AS /Yes /AP << /N << /Yes 11 0 R /Off 12 0 R >> >>',
    {
      11: picture(FILLED),
      12: picture('0 0 40 20 re S'),
    },
  ),
  'a box that is not ticked': fieldOn('/FT /Btn /T (a) /V /Off /AS /Off /AP << /N << /Yes 11 0 R >> >>'),
  'a field whose picture is larger than its place': fieldOn('/FT /Tx /T (a) /V (1) /AP << /N 11 0 R >>', {
    11: picture('0.2 g 0 0 80 10 re f', '0 0 80 10'),
  }),
  'a field whose picture is turned': fieldOn('/FT /Tx /T (a) /V (1) /AP << /N 11 0 R >>', {
    11: picture('0.2 g 0 0 20 40 re f 1 g 2 2 6 6 re f', '0 0 20 40', '/Matrix [0 1 -1 0 40 0]'),
  }),
  'a field that is hidden': fieldOn('/FT /Tx /T (a) /V (1) /F 2 /AP << /N 11 0 R >>'),
  'a field that is not for the screen': fieldOn('/FT /Tx /T (a) /V (1) /F 32 /AP << /N 11 0 R >>'),
  'a field that is hidden and has no picture': fieldOn('/FT /Tx /T (a) /V (1) /F 2'),
  'a stamp': noteOn('/Subtype /Stamp /AP << /N 11 0 R >>'),
  'a stamp on a page that is turned': pageOf({
    page: `${BOX} /Rotate 90 /Annots [10 0 R]`,
    more: {
      10: '<< /Type /Annot /Subtype /Stamp /Rect [40 60 80 80] /AP << /N 11 0 R >> >>',
      11: picture(FILLED),
    },
  }),
  'a text in the margin': noteOn('/Subtype /FreeText /Contents (x) /DA (/F 8 Tf) /AP << /N 11 0 R >>'),
  'a link without a frame': noteOn(
    '/Subtype /Link /Border [0 0 0] /A << /S /URI /URI (https://a.example) >>',
  ),
  'two notes with one picture': pageOf({
    page: `${BOX} /Annots [10 0 R 12 0 R]`,
    more: {
      10: '<< /Type /Annot /Subtype /Stamp /Rect [10 10 50 30] /AP << /N 11 0 R >> >>',
      11: picture(FILLED),
      12: '<< /Type /Annot /Subtype /Stamp /Rect [10 60 90 100] /AP << /N 11 0 R >> >>',
    },
  }),
  'notes whose list is an object of its own': pageOf({
    page: `${BOX} /Annots 13 0 R`,
    more: {
      10: '<< /Type /Annot /Subtype /Stamp /Rect [40 60 80 80] /AP << /N 11 0 R >> >>',
      11: picture(FILLED),
      13: '[10 0 R]',
    },
  }),
  'layers that are all on': layersOn(''),
  'a layer that is off': layersOn('/OFF [20 0 R]'),
  'both layers off': layersOn('/OFF [20 0 R 21 0 R]'),
  'layers that are off unless they are named': layersOn('/BaseState /OFF /ON [21 0 R]'),
  'a note on a layer that is off': pageOf({
    page: `${BOX} /Annots [10 0 R]`,
    catalog: '/OCProperties << /OCGs [20 0 R] /D << /OFF [20 0 R] >> >>',
    more: {
      10: '<< /Type /Annot /Subtype /Stamp /Rect [40 60 80 80] /OC 20 0 R /AP << /N 11 0 R >> >>',
      11: picture(FILLED),
      20: '<< /Type /OCG /Name (A) >>',
    },
  }),
  'a picture within a picture': pageOf({
    page: `${BOX} /Resources << /XObject << /P 15 0 R >> >>`,
    content: `${MARK} q 1 0 0 1 30 60 cm /P Do Q`,
    more: {
      15: picture(
        'q 0.5 0 0 0.5 0 0 cm /Q Do Q 0 0 40 20 re S',
        '0 0 40 20',
        '/Resources << /XObject << /Q 16 0 R >> >>',
      ),
      16: picture(FILLED),
    },
  }),
};

/** What only a viewer draws, which is named in place of being merged without it. */
export const UNDRAWN_PDFS: Readonly<Record<string, Buffer>> = {
  'a field with a value and no picture': fieldOn('/FT /Tx /T (a) /V (12)', {}, '/NeedAppearances true'),
  'a field with the value of the field above it': fieldOn('/Parent 14 0 R', {
    14: '<< /FT /Tx /T (a) /V (12) /Kids [10 0 R] >>',
  }),
  'a drawing without a picture': noteOn('/Subtype /Square /C [0 0 0]', {}),
  'a text in the margin without a picture': noteOn('/Subtype /FreeText /Contents (x) /DA (/F 8 Tf)', {}),
};

/** An A4 page with a label in its upper left corner, at that place and size in points. */
export const cornerOf = (content: string, entries = ''): Buffer =>
  pageOf({ page: `/MediaBox [0 0 595 842] ${entries}`, content });
