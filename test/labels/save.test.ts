// Labels as files: --download and --print, in whatever form they come; one that came cut off is none.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { labelIn } from '../../src/contract/content.ts';
import { createRig, type Rig, type RigOptions } from '../rig/command.ts';
import { PDF, png } from '../rig/labels.ts';
import { cannedService, DUAL, errorOf, posted, SHIPMENT, sent } from '../rig/service.ts';
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

const stdin = JSON.stringify(SHIPMENT);
const ONCE = ['POST /v2/carriers/create'];

/** A rig, a shipment booked in it, and the folder for its labels. */
async function booked(options: RigOptions = {}): Promise<{ rig: Rig; id: string; folder: string }> {
  const rig = await createRig(options);
  const id = (await rig.run('ship -f - -q', { stdin })).stdout.trim();
  return { rig, id, folder: join(rig.folder, 'labels') };
}

const NO_LABEL = 'what its link leads to is none of a PDF, a PNG image, a GIF image, a JPEG image, ZPL';

describe('label --download', () => {
  test('makes the folder and saves the PDF as the shipment id, without a credential', async () => {
    const { rig, id } = await booked();
    const ran = await rig.run(`label --international ${id} --download a/b/labels`);
    const file = join(rig.folder, 'a/b/labels', `${id}.pdf`);
    expect(ran).toMatchObject({ exitCode: 0, stderr: `label saved: ${file}\n` });
    expect(ran.stdout).toContain(file);
    expect(readFileSync(file).subarray(0, 5).toString()).toBe('%PDF-');
    expect(readdirSync(join(rig.folder, 'a/b/labels'))).toEqual([`${id}.pdf`]);
    expect(sent(ran)).toEqual([...ONCE, expect.stringMatching(/^GET \/labels\/\S+\.pdf$/)]);
    expect(ran.requests[0]?.headers).toHaveProperty('authorization');
    expect(ran.requests[1]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    [{ status: 404, body: {} }, 'its link was answered with 404'],
    [{ status: 200, body: 'no label' }, NO_LABEL],
  ])('of a label that was made but cannot be fetched (%j) is exit 9, with its link', async (answer, why) => {
    const rig = await createRig();
    const elsewhere = await cannedService({ '/l.pdf': answer });
    const link = `${elsewhere.env.WAYBILL_BASE_URL}/l.pdf`;
    const label = { success: true, label: link, trackingNumber: 'T' };
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      '/v2/carriers/create': { status: 200, body: { international: label } },
    });
    const ran = await rig.run('label --international S-1 --download labels --json', { env });
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'label' });
    expect(errorOf(ran).message).toBe(
      `label: the international label was made, but not saved: ${why}. Do not make it again: \`waybill label --international S-1 --download ${join(rig.folder, 'labels')}\` saves this one and makes no other. Its link is ${link}`,
    );
    expect(JSON.parse(ran.stdout).international).toEqual(label);
    expect(readdirSync(join(rig.folder, 'labels'))).toEqual([]);
    const ship = await rig.run('ship -f - --label --download labels --json', { stdin, env });
    expect(errorOf(ship)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'ship' });
    expect(JSON.parse(ship.stdout).label.international).toEqual(label);
    // The shipment has that label already: it is not bought again.
    expect(seen.filter(request => request.startsWith('POST'))).toHaveLength(2);
  });

  test.each([null, { url: 'u' }])(
    'of a label without a file (%j) is exit 9, and its number is shown',
    async label => {
      const international = { success: true, trackingNumber: 'T1', carrier: 'EXP', label };
      const { env, seen } = await cannedService({
        '/v1/shipments': { status: 201, body: { id: 'S-1' } },
        '/v2/carriers/create': { status: 200, body: { success: true, international } },
      });
      const rig = await createRig({ env });
      const shown = await rig.run('label --international S-1 -otable');
      expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringMatching(/EXP +T1 +-/)]);
      for (const command of ['label --international S-1', 'ship -f - --label --key K']) {
        const ran = await rig.run(`${command} --download labels --json`, { stdin });
        expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
        expect(errorOf(ran).message).toContain(
          'the international label (tracking number T1) cannot be saved',
        );
      }
      expect(seen.filter(request => request === ONCE[0])).toHaveLength(1);
    },
  );
});

test('a saved label is readable for the user alone, whatever the umask', async () => {
  const { rig, id } = await booked();
  const before = process.umask(0);
  try {
    await rig.run(`label --international ${id} --download out`);
  } finally {
    process.umask(before);
  }
  expect(statSync(join(rig.folder, 'out', `${id}.pdf`)).mode & 0o777).toBe(0o600);
});

describe('--print', () => {
  test('runs lp on the file, which only the user can read', async () => {
    const { rig, id } = await booked();
    const ran = await rig.run(`label --international ${id} --print`);
    expect(posted(ran)).toEqual(ONCE);
    const folder = join(rig.folder, 'state/labels');
    expect(ran).toMatchObject({ exitCode: 0, programs: [['lp', join(folder, `${id}.pdf`)]] });
    for (const made of [folder, join(rig.folder, 'state')]) expect(statSync(made).mode & 0o077).toBe(0);
  });

  test("runs the profile's printCommand, on the file that was downloaded", async () => {
    const { rig, id, folder } = await booked();
    const credentials = { kind: 'token', token: 'demo' };
    const shop = { baseUrl: rig.address, credentials, printCommand: 'lp  -d Zebra' };
    rig.file('config/config.json', { profiles: { shop } });
    const ran = await rig.run(`label --international ${id} --download labels --print --profile shop`);
    expect(posted(ran)).toEqual(ONCE);
    expect(ran.programs).toEqual([['lp', '-d', 'Zebra', join(folder, `${id}.pdf`)]]);
  });

  test('that fails is exit 9: the label is there', async () => {
    const { rig, id, folder } = await booked();
    const ran = await rig.run(`label --international ${id} --download labels --print --json`, {
      programCode: 3,
    });
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'label' });
    expect(errorOf(ran).message).toBe(
      `label: the label was made and saved as ${join(folder, `${id}.pdf`)}, but not printed: lp ended with 3. \`waybill label --print ${id}\` prints it, and makes no other`,
    );
    expect(JSON.parse(ran.stdout).international.success).toBe(true);
    expect(posted(ran)).toEqual(ONCE);
  });
});

const LONG = Buffer.from(`%PDF-1.7\n${'label '.repeat(20_000)}\n%%EOF\n`);

/** A rig whose service answers with this text in the place of a label. */
async function labelledBy(text: string) {
  const label = { success: true, trackingNumber: 'T-1', label: text };
  const { env, seen } = await cannedService({
    '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
  });
  return { rig: await createRig({ env }), seen, label };
}

const fileIn = ({ folder }: Rig, name: string) => readFileSync(join(folder, 'labels', name));

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
    const ran = await rig.run('label --international S-1 --download labels');
    expect(fileIn(rig, name).equals(bytes)).toBe(true);
    const path = join(rig.folder, 'labels', name);
    const what = { pdf: '', png: 'a PNG image', zpl: 'ZPL' }[name.slice(-3)];
    const warning = what ? `warning: the international label is ${what}, not a PDF: ${path}\n` : '';
    expect(ran).toMatchObject({ exitCode: 0, stderr: `label saved: ${path}\n${warning}` });
    expect(seen).toEqual(['POST /v2/carriers/create']);
  });

  test('does not fill a table or -q, is whole in JSON, and can be saved later without a request', async () => {
    const { rig, seen, label } = await labelledBy(LONG.toString('base64'));
    const shown = await rig.run('label --international S-1');
    expect(shown.stdout).toContain('in the answer; --download saves it');
    expect(shown.stdout.length).toBeLessThan(300);
    expect((await rig.run('label --international S-1 -q')).stdout).toBe('');
    expect((await rig.json('label --international S-1')).international).toEqual(label);
    expect(JSON.stringify(await rig.json('history list')).length).toBeLessThan(1000);
    expect((await rig.run('history show S-1')).stdout.length).toBeLessThan(2000);
    const saved = await rig.run('label --international S-1 --download labels -q');
    expect(saved).toMatchObject({ exitCode: 0, stdout: `${join(rig.folder, 'labels', 'S-1.pdf')}\n` });
    expect(fileIn(rig, 'S-1.pdf').equals(LONG)).toBe(true);
    expect(seen).toEqual(['POST /v2/carriers/create']);
  });

  test('that is no label is told, and nothing is saved', async () => {
    const { rig } = await labelledBy(Buffer.from('<html>'.repeat(1000)).toString('base64'));
    const ran = await rig.run('label --international S-1 --download labels');
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('what the answer has in its place is none of a PDF');
    expect(existsSync(join(rig.folder, 'labels', 'S-1.pdf'))).toBe(false);
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

const savedIn = ({ folder }: Rig) => readdirSync(join(folder, 'labels')).sort();

const LABEL = 'label --international S-1 --download labels';

test.each([
  ['a PDF', PDF, PDF.subarray(0, 400), '400 bytes without %%EOF at their end'],
  ['a PDF', PDF, PDF.subarray(0, -7), ''],
  ['a PDF', PDF, Buffer.from('%PDF-'), '5 bytes without %%EOF'],
  ['a PNG image', PNG, PNG.subarray(0, -20), ''],
  ['a GIF image', GIF, GIF.subarray(0, -1), '41 bytes without the byte 3B'],
  ['a JPEG image', JPEG, JPEG.subarray(0, 2000), '2000 bytes without the bytes FF D9'],
  ['ZPL', ZPL, ZPL.subarray(0, -4), '28 bytes without ^XZ'],
])(
  '%s that is cut off is no label: exit 9, and the next command saves the whole one, without another label',
  async (kind, whole, part, why) => {
    const words = `${kind} that is cut off: ${why}`;
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
