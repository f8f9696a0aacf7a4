// Labels as files, in whatever form they come: as links, in the place of a link, cut off, or with more behind them. How they are
// named, printed and asked for again is in test/promises/labels.test.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { labelIn } from '../../src/contract/content.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { PDF, png } from '../rig/labels.ts';
import { cannedService, DUAL, errorOf, SHIPMENT } from '../rig/service.ts';
import { rawServer } from '../rig/sockets.ts';

const PNG = png(20, 30);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 30, 0, 20, 1, 1, 0x11, 0, 0xff, 0xda, 0, 2]),
  Buffer.alloc(3000, 0x5a),
  Buffer.from([0xff, 0xd9]),
]);
const ZPL = Buffer.from('^XA^FDone^FS^XZ\n^XA^FDtwo^FS^XZ\n');
/** As printers of Zebra write it. */
const PREFIXED = Buffer.from(`CT~~CD,~CC^~CT~\n${ZPL}`);

const LABEL = 'label --international S-1 --download labels';
const MADE = 'POST /v2/carriers/create';

const savedIn = ({ folder }: Rig) => readdirSync(join(folder, 'labels')).sort();
const fileIn = ({ folder }: Rig, name: string) => readFileSync(join(folder, 'labels', name));

/** A rig whose service answers with this in the place of a label. */
async function labelledBy(label: unknown) {
  const international = { success: true, trackingNumber: 'T-1', carrier: 'EXP', label };
  const { env, seen } = await cannedService({
    '/v1/shipments': { status: 201, body: { id: 'S-1' } },
    '/v2/carriers/create': { status: 200, body: { success: true, international } },
  });
  return { rig: await createRig({ env }), seen, international };
}

test.each([null, { url: 'u' }])(
  'a label without a file (%j) is exit 9, and its number is shown',
  async label => {
    const { rig, seen } = await labelledBy(label);
    const shown = await rig.run('label --international S-1 -otable');
    expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringMatching(/EXP +T-1 +-/)]);
    for (const command of [LABEL, 'ship -f - --label --key K --download labels']) {
      const ran = await rig.run(`${command} --json`, { stdin: JSON.stringify(SHIPMENT) });
      expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
      expect(errorOf(ran).message).toMatch(/tracking number T-1\) has no file/);
    }
    expect(seen.filter(request => request === MADE)).toHaveLength(1);
  },
);

const LONG = Buffer.from(`%PDF-1.7\n${'label '.repeat(2_000)}\n%%EOF\n`);

describe('a label in the place of its link', () => {
  test.each([
    ['base64', LONG.toString('base64'), LONG, 'S-1.pdf'],
    ['base64 in lines', LONG.toString('base64').replace(/(.{76})/g, '$1\r\n'), LONG, 'S-1.pdf'],
    ['base64 for URLs', PNG.toString('base64url'), PNG, 'S-1.png'],
    ['a data: URL', `data:application/pdf;base64,${LONG.toString('base64')}`, LONG, 'S-1.pdf'],
    ['a data: URL of a wrong type', `data:application/pdf;base64,${PNG.toString('base64')}`, PNG, 'S-1.png'],
    ['a data: URL without base64', `data:,${encodeURIComponent(ZPL.toString())}`, ZPL, 'S-1.zpl'],
    ['plain ZPL', PREFIXED.toString(), PREFIXED, 'S-1.zpl'],
  ])('that is %s is saved under its own ending', async (_, text, bytes, name) => {
    const { rig, seen } = await labelledBy(text);
    const ran = await rig.run(LABEL);
    expect(fileIn(rig, name).equals(bytes)).toBe(true);
    const path = join(rig.folder, 'labels', name);
    const what = { pdf: '', png: 'a PNG image', zpl: 'ZPL' }[name.slice(-3)];
    const warning = what ? `warning: the international label is ${what}, not a PDF: ${path}\n` : '';
    expect(ran).toMatchObject({ exitCode: 0, stderr: `${warning}label saved: ${path}\n` });
    expect(seen).toEqual([MADE]);
  });
});

test.each([
  'https://labels.example/l.pdf',
  'http://127.0.0.1/9j/4AAQ',
  'labels/S-1.pdf',
  '/9j/labels/S-1',
  'L1',
  '9f8e7d6c5b4a39281706f5e4d3c2b1a0',
])('%s is a link', text => {
  expect(labelIn(text)).toBeUndefined();
});

const file = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 Word\r\ncontent-length: ${bytes.length}\r\n\r\n`), bytes]);

/** A rig whose service makes labels with a link. The link has these answers, one after the other, and then none. */
async function linkedTo(...answers: Buffer[]) {
  const asked: string[] = [];
  const server = await rawServer((socket, request) => {
    asked.push(request.split(' ', 1)[0] ?? '');
    const answer = answers.shift();
    if (answer) socket.end(answer);
    else socket.destroy();
  });
  const link = new URL('/l', server.url).href;
  const made = { success: true, trackingNumber: 'T-1' };
  const international = { shipment: { id: 'S-1' }, label: { ...made, labelPdf: link } };
  const domestic = { shipment: { id: 'D-1' }, label: made };
  const labels = { success: true, international: { ...made, label: link } };
  const service = await cannedService({
    '/v1/shipments': { status: 201, body: { id: 'S-1' } },
    '/v2/carriers/create': { status: 200, body: labels },
    '/v2/shipments': { status: 201, body: { success: true, international, domestic } },
  });
  const rig = await createRig({ env: service.env });
  return { rig, link, asked, booked: service.seen };
}

test.each([
  ['blanks and zeros', PDF, Buffer.from(`\r\n \n${'\0'.repeat(3000)}`)],
  ['some hundred bytes of a web server', PDF, Buffer.from('<!-- served by www3 -->'.repeat(30))],
  ['a line break', GIF, Buffer.from('\r\n')],
  ['a few bytes', JPEG, Buffer.from('junk')],
])('a whole label with %s behind it is saved as it came', async (_, label, more) => {
  const { rig } = await linkedTo(file(Buffer.concat([label, more])));
  const ran = await rig.run(`${LABEL} -q`);
  expect(ran.exitCode).toBe(0);
  expect(readFileSync(ran.stdout.trim()).equals(Buffer.concat([label, more]))).toBe(true);
});

test.each([
  ['label', LABEL, undefined, [MADE]],
  ['ship', 'ship -f - --label --key K --download labels', SHIPMENT, ['POST /v1/shipments', MADE]],
  ['ship-dual', 'ship-dual -f - --label --key K --download labels', DUAL, ['POST /v2/shipments']],
])(
  'the cut-off label of %s is asked for again by the same command until it is whole; nothing is booked twice',
  async (_, command, body, requests) => {
    const part = file(PDF.subarray(0, 400));
    const { rig, link, asked, booked } = await linkedTo(part, part, file(PDF));
    const run = (more: string) => rig.run(`${command} ${more}`, { stdin: JSON.stringify(body) });
    for (const _again of [1, 2]) {
      const error = errorOf(await run('--json'));
      expect([error.code, error.exitCode, savedIn(rig)]).toEqual(['partial', 9, []]);
      expect(error.message).toContain('a PDF that is cut off: 400 bytes without %%EOF');
      expect(error.message).toMatch(/Do not make it again: `waybill label .*` saves this one/);
      expect(error.message).toContain(link);
    }
    // The journal has only the whole one: the link has no fourth answer.
    for (const _again of [1, 2]) expect((await run('-q')).exitCode).toBe(0);
    expect(savedIn(rig)).toHaveLength(1);
    expect(fileIn(rig, savedIn(rig)[0] ?? '').equals(PDF)).toBe(true);
    expect([asked, booked]).toEqual([['GET', 'GET', 'GET'], requests]);
  },
);

test.each([
  ['base64', PDF.subarray(0, 400).toString('base64'), 'a PDF that is cut off: 400 bytes without %%EOF'],
  ['a data: URL', 'data:application/pdf;base64,JVBERi0=', 'a PDF that is cut off: 5 bytes without %%EOF'],
  ['plain ZPL', '^XA^FDone^FS^XZ^XA^FDtwo', 'ZPL that is cut off: 24 bytes without ^XZ'],
  ['HTML', Buffer.from('<html>'.repeat(1000)).toString('base64'), 'none of a PDF'],
])(
  'only the service can mend a label that is cut off, or none, in its answer as %s: exit 9, each time',
  async (_, text, words) => {
    const { rig, seen, international } = await labelledBy(text);
    for (const _again of [1, 2]) {
      const ran = await rig.run(`${LABEL} --json`);
      const { code, message } = errorOf(ran);
      expect([ran.exitCode, code, savedIn(rig)]).toEqual([9, 'partial', []]);
      expect(message).toContain(`the answer has ${words}`);
      expect(message).toContain('Do not make it again: ask the service for its file');
      const command = /`waybill (history show \S+ --json)`/.exec(message)?.[1] ?? '';
      expect(JSON.parse((await rig.run(command)).stdout).answer).toMatchObject({ international });
    }
    expect(seen).toEqual([MADE]);
  },
);
