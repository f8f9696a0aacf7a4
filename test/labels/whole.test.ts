// A label that came cut off is none: it is not saved, not kept, and asked for again.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { PDF, png } from '../rig/labels.ts';
import { cannedService, DUAL, errorOf, SHIPMENT } from '../rig/service.ts';
import { rawServer } from '../rig/sockets.ts';

const PNG = png(20, 30);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xda, 0, 2]),
  Buffer.alloc(3000, 0x5a),
  Buffer.from([0xff, 0xd9]),
]);
const ZPL = Buffer.from('^XA^FDone^FS^XZ\n^XA^FDtwo^FS^XZ\n');

/** An answer whose length is that of its body, unless `length` says another. */
const file = (bytes: Buffer, { status = 200, length = bytes.length } = {}): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Word\r\ncontent-length: ${length}\r\n\r\n`), bytes]);

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
  const label = { success: true, trackingNumber: 'T-1', label: link };
  const leg = (id: string) => ({
    shipment: { id, carrier: { id: 'EXP' } },
    label: { ...label, labelPdf: link },
  });
  const service = await cannedService({
    '/v1/shipments': { status: 201, body: { id: 'S-1', carrier: { id: 'EXP' } } },
    '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
    '/v2/shipments': {
      status: 201,
      body: {
        success: true,
        international: leg('S-1'),
        domestic: { shipment: { id: 'D-1' }, label: { success: true, trackingNumber: 'T-2' } },
      },
    },
  });
  const rig = await createRig({ env: service.env });
  return { rig, link, asked, booked: service.seen };
}

const savedIn = ({ folder }: Rig) => readdirSync(join(folder, 'labels')).sort();

const LABEL = 'label --international S-1 --download labels';

test.each([
  [
    'the beginning of a PDF',
    PDF,
    PDF.subarray(0, 400),
    'a PDF that is cut off: 400 bytes without %%EOF at their end',
  ],
  ['a PDF but for its last line', PDF, PDF.subarray(0, -7), 'a PDF that is cut off: '],
  ['%PDF- alone', PDF, Buffer.from('%PDF-'), 'a PDF that is cut off: 5 bytes without %%EOF'],
  ['half of a PNG', PNG, PNG.subarray(0, -20), 'a PNG image that is cut off: '],
  ['half of a GIF', GIF, GIF.subarray(0, -1), 'a GIF image that is cut off: 41 bytes without the byte 3B'],
  [
    'half of a JPEG',
    JPEG,
    JPEG.subarray(0, 2000),
    'a JPEG image that is cut off: 2000 bytes without the bytes FF D9',
  ],
  ['one and a half ZPL formats', ZPL, ZPL.subarray(0, -4), 'ZPL that is cut off: 28 bytes without ^XZ'],
])(
  '%s is no label: exit 9, and the next command saves the whole one, without another label',
  async (_, whole, part, words) => {
    const { rig, link, asked, booked } = await linkedTo(file(part), file(part), file(whole));
    const command = `waybill label --international S-1 --download ${join(rig.folder, 'labels')}`;
    for (const _again of [1, 2]) {
      const ran = await rig.run(`${LABEL} --json`);
      expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
      expect(errorOf(ran).message).toContain(`but not saved: what its link leads to is ${words}`);
      expect(errorOf(ran).message).toContain(
        `Do not make it again: \`${command}\` saves this one and makes no other. Its link is ${link}`,
      );
      expect(savedIn(rig)).toEqual([]);
    }
    // The journal has only the whole one: the link has no fourth answer.
    for (const _again of [1, 2]) {
      const ran = await rig.run(`${LABEL} -q`);
      expect(ran.exitCode).toBe(0);
      expect(readFileSync(ran.stdout.trim()).equals(whole)).toBe(true);
    }
    expect(savedIn(rig)).toHaveLength(1);
    expect(asked).toEqual(['GET', 'GET', 'GET']);
    expect(booked).toEqual(['POST /v2/carriers/create']);
  },
);

test.each([
  [
    'a 206',
    file(PDF, { status: 206 }),
    `its link was answered with 206, which is a part of the file (${PDF.length} bytes)`,
  ],
  ['fewer bytes than its content-length', file(PDF, { length: PDF.length + 1 }), /closed|length/],
])('a label that comes with %s is none, though it looks whole', async (_, answer, words) => {
  const { rig, asked, booked } = await linkedTo(answer, file(PDF));
  const ran = await rig.run(`${LABEL} --print --retries 0`);
  expect([ran.exitCode, ran.programs]).toEqual([9, []]);
  expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(words);
  expect(savedIn(rig)).toEqual([]);
  expect((await rig.run(LABEL)).exitCode).toBe(0);
  expect(savedIn(rig)).toEqual(['S-1.pdf']);
  expect([asked, booked]).toEqual([['GET', 'GET'], ['POST /v2/carriers/create']]);
});

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
  ['ship', 'ship -f - --label --key K', SHIPMENT, ['POST /v1/shipments', 'POST /v2/carriers/create']],
  ['ship-dual', 'ship-dual -f - --label --key K', DUAL, ['POST /v2/shipments']],
])(
  'the cut-off label of %s is fetched again by the same command, which books nothing',
  async (_, command, body, booked) => {
    const service = await linkedTo(file(PDF.subarray(0, 400)), file(PDF));
    const stdin = JSON.stringify(body);
    const first = await service.rig.run(`${command} --download labels`, { stdin });
    expect([first.exitCode, savedIn(service.rig)]).toEqual([9, []]);
    const again = await service.rig.run(`${command} --download labels`, { stdin });
    expect([again.exitCode, savedIn(service.rig)]).toEqual([0, ['K.pdf']]);
    expect(service.booked).toEqual(booked);
  },
);

test.each([
  ['base64', PDF.subarray(0, 400).toString('base64'), 'a PDF that is cut off: 400 bytes without %%EOF'],
  ['a data: URL', 'data:application/pdf;base64,JVBERi0=', 'a PDF that is cut off: 5 bytes without %%EOF'],
  ['plain ZPL', '^XA^FDone^FS^XZ^XA^FDtwo', 'ZPL that is cut off: 24 bytes without ^XZ'],
])(
  'only the service can mend a cut-off label that is in its answer as %s: exit 9, each time',
  async (_, text, words) => {
    const answer = { success: true, international: { success: true, trackingNumber: 'T-1', label: text } };
    const { env, seen } = await cannedService({ '/v2/carriers/create': { status: 200, body: answer } });
    const rig = await createRig({ env });
    for (const _again of [1, 2]) {
      const ran = await rig.run(`${LABEL} --json`);
      const { code, message } = errorOf(ran);
      expect([ran.exitCode, code, savedIn(rig)]).toEqual([9, 'partial', []]);
      expect(message).toContain(`what the answer has in its place is ${words}`);
      expect(message).toContain('Do not make it again: ask the service for its file');
      const command = /`waybill (history show \S+ --json)`/.exec(message)?.[1] ?? '';
      expect(JSON.parse((await rig.run(command)).stdout).answer).toEqual(answer);
    }
    expect(seen).toEqual(['POST /v2/carriers/create']);
  },
);
