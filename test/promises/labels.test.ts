// Labels: which shipment, where they are saved, merged and printed, and what is no label.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { labelledBy, PDF, png, sizesIn } from '../rig/labels.ts';
import { shopRig } from '../rig/profile.ts';
import { cannedService, SHIPMENT } from '../rig/service.ts';
import { event, rawServer } from '../rig/sockets.ts';
import { answering, failing, inDoubt } from './begin.ts';
import { FILES } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

const MADE = ['POST /v2/carriers/create'];
const fetched = [...MADE, expect.stringMatching(/^GET \/labels\//)];
const ID = expect.stringMatching(/^shp_/);

/** Orders of these keys, without labels. */
const shop =
  (...keys: string[]) =>
  async (): Promise<Rig> => {
    const rig = await createRig({ files: FILES });
    await book(rig, keys);
    return rig;
  };

async function book(rig: Rig, keys: readonly string[], more = ''): Promise<void> {
  for (const key of keys) {
    const stdin = JSON.stringify(changed(SHIPMENT, { 'receiver.firstName': `For ${key}` }));
    expect(
      (await rig.run(['ship', '-', '--key', key, ...more.split(' ').filter(Boolean)], { stdin })).exitCode,
    ).toBe(0);
  }
}

/** The same with their labels, which nobody printed. */
const labelled =
  (...keys: string[]) =>
  async (): Promise<Rig> => {
    const rig = await createRig({ files: FILES });
    await book(rig, keys, '--label');
    return rig;
  };

promises('Which shipment', [
  ...each(
    {
      says: 'a label is made of the shipment that a name means, and its leg is known',
      rig: { files: FILES },
      sent: MADE,
    },
    [
      { after: ['ship order.json --key A-1'], run: 'label A-1', body: { international: ID } },
      { after: ['ship order.json --key A-1'], run: 'label --key A-1', body: { international: ID } },
      {
        after: ['ship-dual pair.json --key P-1'],
        run: 'label P-1',
        body: { international: ID, domestic: ID },
      },
    ],
  ),
  ...each({ says: 'or of one by its id', exit: 5, sent: MADE }, [
    { run: 'label --international S-1', body: { international: 'S-1' } },
    { run: 'label --domestic D-1', body: { domestic: 'D-1' } },
    { run: 'label --international S-1 --domestic D-1', body: { international: 'S-1', domestic: 'D-1' } },
  ]),
  ...each({ says: 'a name beside that is refused: one of the two would get no label', exit: 2, sent: [] }, [
    { run: 'label S-1 --international S-9', stderr: '--international does not go with "S-1"' },
    { run: 'label S-1 --domestic S-9', stderr: '--domestic does not go with "S-1"' },
    { run: 'label S-1 --set domestic=S-9', stderr: '--set does not go with "S-1"' },
    {
      rig: { files: { 'label.json': { international: 'S-9' } } },
      run: 'label S-1 -f label.json',
      stderr: '--file does not go with "S-1"',
    },
  ]),
  { says: 'a name that nobody knows is not found', run: 'label NONE-1', exit: 4, sent: [] },
  {
    says: 'a key that nobody has booked is not found, and no command books it',
    rig: { files: FILES },
    after: ['ship order.json --key A-1'],
    run: 'label --key M-1',
    exit: 4,
    stderr:
      /the journal has no booking with the key "M-1" at http\S+; nothing was sent\. `waybill history list --key M-1` looks for it/,
    lacks: 'waybill ship',
  },
  ...each({ says: 'of a key without a shipment it is said what became of it', exit: 4, sent: [] }, [
    {
      rig: failing('422'),
      after: [{ line: 'ship order.json --key M-1', exit: 5 }],
      run: 'label M-1',
      stderr:
        /"M-1" has no shipment: its booking of 2 Mar 2026 \d\d:00 \(bk_\w+\) was rejected; nothing was sent\. `waybill history show bk_\w+` shows it/,
    },
    {
      rig: inDoubt('M-1'),
      after: ['history resolve M-1 --not-created --force --reason portal'],
      run: 'label --key M-1',
      stderr: /"M-1" has no shipment: its booking .* was not created; nothing was sent\./,
    },
  ]),
  ...each(
    {
      says: 'a key that was sent to another place names that, and nobody is asked',
      rig: { files: FILES },
      after: ['ship order.json --key A-1'],
      exit: 4,
      stderr:
        /"A-1" went to http\S+, not to demo; nothing was sent\. `waybill history show bk_\w+ --profile demo` shows it/,
      sent: [],
    },
    ['label A-1 --profile demo', 'label --key A-1 --profile demo', 'track A-1 --profile demo'],
  ),
  {
    says: 'a number that is a key elsewhere may be the id of a shipment here: track asks for it',
    rig: { files: FILES },
    after: ['ship order.json --key 5001'],
    run: 'track 5001 --sandbox',
    exit: 4,
    also: ({ requests }) => expect(requests).toHaveLength(1),
  },
  {
    says: 'a label that may exist is not asked for again, which is said',
    rig: answering({
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      '/v2/carriers/create': { status: 500, body: {} },
    }),
    after: ['ship order.json --key A-1', { line: 'label A-1', exit: 8 }],
    run: 'label A-1',
    exit: 8,
    stderr:
      /^the label of S-1 was asked for before \(2 Mar 2026 \d\d:00, bk_\w+\), and is still unknown; nothing was sent now$/m,
    sent: [],
  },
  {
    says: 'ship --label again does not say that it makes the label that was made',
    rig: { files: FILES },
    after: [{ line: 'ship order.json --key A-1 --label' }],
    run: 'ship order.json --key A-1 --label',
    stderr: /the label of shp_\w+ was made before/,
    lacks: 'making its label',
    sent: [],
  },
  ...each({ rig: shop('A-1'), after: ['label A-1'] }, [
    {
      says: 'a label is made once, and then shown again',
      run: 'label A-1 --json',
      json: { international: { success: true } },
      sent: [],
    },
    { says: '--allow-duplicate makes another one', run: 'label A-1 --allow-duplicate', sent: MADE },
  ]),
]);

promises('Labels of several', [
  ...each({ rig: shop('A-1', 'A-2') }, [
    ...each({ says: 'each is a request of its own, in the order given', sent: [...MADE, ...MADE] }, [
      'label A-1 A-2',
      'label --key A-1 --key A-2',
      'label A-1 --key A-2',
      'label --key A-1 A-2',
    ]),
    {
      says: 'JSON is an array',
      run: 'label A-1 A-2 --json',
      json: [{ international: { success: true } }, { international: { success: true } }],
    },
  ]),
  {
    says: 'one that failed is its name and its error, and the others are made: exit 9',
    rig: shop('A-1'),
    run: 'label NONE-1 A-1 --json',
    exit: 9,
    sent: MADE,
    json: [{ id: 'NONE-1', error: { code: 'not_found', exitCode: 4 } }, { international: { success: true } }],
  },
]);

const HELD = { rig: shop('A-1') };

promises('What many labels share is said once', [
  {
    says: 'that they were made and printed before, and where they are saved: a line each',
    rig: labelled('A-1', 'A-2', 'A-3'),
    after: ['label A-1 A-2 A-3 --print'],
    run: 'label A-1 A-2 A-3 --print',
    also: ({ stderr }) =>
      expect(stderr.split('\n')).toEqual([
        expect.stringMatching(/^3 labels were made before: shp_\S+, shp_\S+ and 1 more$/),
        expect.stringMatching(/^3 labels saved in \S+labels: A-1\.pdf, A-2\.pdf and 1 more$/),
        '3 labels were printed before, and are not printed again (A-1, A-2 and 1 more); `waybill label --print --reprint A-1 A-2 A-3` prints them',
        '',
      ]),
  },
  {
    says: 'that their prints were cut off',
    rig: labelled('A-1', 'A-2', 'A-3'),
    after: [{ line: 'label A-1 A-2 A-3 --merge day.pdf --print', programCode: 137, exit: 9 }],
    run: 'label --unprinted',
    exit: 9,
    stderr: /3 labels \(A-1, A-2 and 1 more\) may be printed: .*--reprint A-1 A-2 A-3` prints them/,
  },
  ...each(
    {
      says: 'that a print program fails: a count and two of them, and the command for all',
      rig: labelled('A-1', 'A-2', 'A-3'),
      after: [{ write: { 'keys.csv': 'key\nA-1\nA-2\nA-3\n' } }],
      programCode: 1,
      exit: 9,
      stderr:
        /(A-1, A-2 and 1 more|line 2, line 3 and line 4) {2}label: the label was saved, but not printed: lp ended with 1\. `waybill label --unprinted --print` prints it/,
      lacks: /ended with[\s\S]*ended with/,
    },
    ['label A-1 A-2 A-3 --print', 'batch label keys.csv --print'],
  ),
  {
    says: 'and programs have it of each',
    rig: labelled('A-1', 'A-2', 'A-3'),
    programCode: 1,
    exit: 9,
    run: 'label A-1 A-2 A-3 --print --json',
    error: { issues: ['A-1', 'A-2', 'A-3'].map(path => ({ path, message: expect.any(String) })) },
  },
  {
    says: 'one of them is named with what it lacks',
    rig: labelled('A-1', 'A-2'),
    onProgram: (file, { interrupt: _ }) => {
      if (file?.endsWith('A-2.pdf')) throw new Error('no paper');
    },
    run: 'label A-1 A-2 --print',
    exit: 9,
    stderr: 'label: A-2 has a label, but printing it did not succeed\n',
  },
]);

promises('A label as a file', [
  {
    says: 'has the name of the key, and is for its user alone',
    ...HELD,
    run: 'label A-1 --download out',
    sent: fetched,
    files: { 'out/A-1.pdf': /^%PDF-[\s\S]*%%EOF/ },
    also: (_, { folder }) => expect(statSync(join(folder, 'out/A-1.pdf')).mode & 0o777).toBe(0o600),
  },
  {
    says: 'has the name of the shipment if there is no key',
    rig: { files: FILES },
    run: 'ship order.json --label --download out -q',
    also: ({ stdout }, rig) =>
      expect(readFileSync(join(rig.folder, 'out', `${stdout.trim()}.pdf`), 'latin1')).toMatch(/^%PDF-/),
  },
  {
    says: 'is told apart where two keys give one name',
    rig: shop('A/1', 'A?1'),
    run: ['label', 'A/1', 'A?1', '--download', 'out'],
    files: { 'out/A_1.pdf': /^%PDF-/, 'out/A_1-2.pdf': /^%PDF-/ },
  },
  ...each({ says: 'has its own ending if it is no PDF', run: 'label K1 --download out' }, [
    {
      rig: async () => (await labelledBy({ 'S-1': png(20, 30) })).rig,
      files: { 'out/K1.png': /^.PNG/, 'out/K1.pdf': null },
    },
    {
      rig: async () => (await labelledBy({ 'S-1': Buffer.from('^XA^FDone^FS^XZ\n'.repeat(9)) })).rig,
      files: { 'out/K1.zpl': /^\^XA/, 'out/K1.pdf': null },
    },
  ]),
  {
    says: 'is kept with the journal: nothing is sent to save it again',
    ...HELD,
    after: ['label A-1 --download first'],
    run: 'label A-1 --download second',
    sent: [],
    files: { 'second/A-1.pdf': /^%PDF-/ },
  },
  {
    says: 'that is there with the same bytes is fine',
    ...HELD,
    after: ['label A-1 --download out'],
    run: 'label A-1 --download out',
    files: { 'out/A-1.pdf': /^%PDF-/, 'out/A-1-2.pdf': null },
  },
  {
    says: 'leaves another file alone, and gets a number',
    rig: shop('A-1'),
    after: [{ write: { 'out/A-1.pdf': 'mine' } }],
    run: 'label A-1 --download out',
    files: { 'out/A-1.pdf': /^mine$/, 'out/A-1-2.pdf': /^%PDF-/ },
  },
]);

/** Labels of three sizes, by which the pages of a file are known. */
const sized = async () =>
  (await labelledBy({ 'S-1': png(203, 203), 'S-2': png(406, 203), 'S-3': png(609, 203) })).rig;
const widths =
  (...inches: number[]) =>
  async (_: Ran, { folder }: Rig) =>
    expect((await sizesIn(join(folder, 'today.pdf'))).map(([width]) => width)).toEqual(
      inches.map(one => one * 72),
    );

promises('--merge', [
  ...each({ rig: sized }, [
    { says: 'is all labels as one PDF', run: 'label K1 K2 K3 --merge today.pdf', also: widths(1, 2, 3) },
    { says: 'in the order given', run: 'label K3 K1 K2 --merge today.pdf', also: widths(3, 1, 2) },
    {
      says: 'replaces an earlier one of ours',
      after: ['label K1 --merge today.pdf --print'],
      run: 'label K2 K3 --merge today.pdf',
      also: widths(2, 3),
    },
  ]),
  {
    says: 'leaves any other file alone',
    rig: sized,
    after: [{ write: { 'today.pdf': '%PDF-1.7 mine' } }],
    run: 'label K1 --merge today.pdf',
    exit: 2,
    sent: [],
    files: { 'today.pdf': /^%PDF-1\.7 mine$/ },
  },
  {
    says: 'a label in it counts as printed',
    rig: shop('A-1', 'A-2'),
    after: ['label A-1 --merge today.pdf'],
    run: 'label A-1 A-2 --print',
    printed: ['A-2.pdf'],
  },
  ...each(
    { rig: shop('A-1'), after: ['label A-1 --merge today.pdf'], lacks: /printed before|label printed/ },
    [
      {
        says: 'a label in an earlier file is said to be there, and since when, and not to be printed',
        run: 'label A-1 --print',
        stderr:
          /^1 label is in \S+today\.pdf \(merged 2 Mar 2026 [\d:]+\), and is not printed again \(A-1\); `waybill label --print --reprint A-1`/m,
        printed: [],
      },
      {
        says: 'and so it is in the next file',
        run: 'label A-1 --merge next.pdf',
        stderr: /next\.pdf \(1 label, all of them already in \S+today\.pdf \(merged 2 Mar 2026 [\d:]+\)\)/,
      },
      {
        says: 'and in its history',
        run: 'history show A-1',
        stdout: /international label merged into \S+today\.pdf/,
      },
      {
        says: 'its file is forgotten with the rest',
        after: ['label A-1 --merge today.pdf', 'history prune A-1 --yes'],
        run: 'history show A-1',
        stdout: 'international label merged',
        lacks: 'today.pdf',
      },
    ],
  ),
  {
    says: 'what a printer printed was printed before, in a file, too',
    rig: shop('A-1'),
    after: ['label A-1 --merge today.pdf --print'],
    run: 'label A-1 --print',
    stderr: '1 label was printed before, and is not printed again (A-1)',
  },
  {
    says: 'with --print is one print job',
    rig: shop('A-1', 'A-2'),
    run: 'label A-1 A-2 --merge today.pdf --print',
    printed: ['today.pdf'],
  },
]);

const FAILED = { programCode: 1, exit: 9 };

const withoutProgram = async (): Promise<Rig> => {
  const rig = await shopRig({});
  await book(rig, ['A-1', 'A-2', 'A-3'], '--label');
  return rig;
};
const missing = () => {
  throw Object.assign(new Error('spawn lp ENOENT'), { code: 'ENOENT' });
};
const NO_PROGRAM =
  /there is no program lp here\. `waybill profile set \S+ printCommand=PROGRAM` names another/;

promises('--print', [
  {
    says: 'runs lp on the file',
    ...HELD,
    run: 'label A-1 --print',
    also: ({ programs }) => expect(programs).toEqual([['lp', expect.stringMatching(/A-1\.pdf$/)]]),
  },
  {
    says: 'runs the printCommand of the profile',
    rig: async () => {
      const rig = await shopRig({ printCommand: 'lp -d Zebra' });
      await book(rig, ['A-1']);
      return rig;
    },
    run: 'label A-1 --print',
    also: ({ programs }) =>
      expect(programs).toEqual([['lp', '-d', 'Zebra', expect.stringMatching(/A-1\.pdf$/)]]),
  },
  ...each({ ...HELD, after: ['label A-1 --print'] }, [
    { says: 'prints new ones only', run: 'label A-1 --print', printed: [] },
    {
      says: 'with --reprint prints recorded ones, too',
      run: 'label A-1 --print --reprint',
      printed: ['A-1.pdf'],
    },
  ]),
  {
    says: '--reprint alone is a wrong command line',
    ...HELD,
    run: 'label A-1 --reprint',
    exit: 2,
    sent: [],
  },
  ...each({ ...HELD, run: 'label A-1 --print', printed: ['A-1.pdf'] }, [
    { says: 'what could not be printed is exit 9', ...FAILED, sent: fetched },
    { says: 'each time until it is', after: [{ line: 'label A-1 --print', ...FAILED }], ...FAILED },
    {
      says: 'and is given back, so that the next command prints it',
      after: [{ line: 'label A-1 --print', ...FAILED }],
    },
  ]),
  ...each(
    {
      says: 'says what was printed, how many and on which printer, in one line',
      rig: labelled('A-1', 'A-2', 'A-3'),
      stderr: /^3 labels sent to the default printer: A-1, A-2 and 1 more$/m,
    },
    [
      'label A-1 A-2 A-3 --print',
      'label A-1 A-2 A-3 --merge day.pdf --print',
      { after: [{ write: { 'keys.csv': 'key\nA-1\nA-2\nA-3\n' } }], run: 'batch label keys.csv --print' },
    ],
  ),
  {
    says: 'says it of one',
    rig: { files: FILES },
    run: 'ship order.json --key A-9 --label --print',
    stderr: /^1 label sent to the default printer: A-9$/m,
  },
  {
    says: 'says the printer that the printCommand names',
    rig: async () => {
      const rig = await shopRig({ printCommand: 'lp -d Zebra' });
      await book(rig, ['A-1']);
      return rig;
    },
    run: 'label A-1 --print',
    stderr: /^1 label sent to the printer Zebra: A-1$/m,
  },
  ...each({ rig: withoutProgram, exit: 9, onProgram: missing }, [
    {
      says: 'without a print program says once how to name another, tries it once, and prints none',
      run: 'label A-1 A-2 A-3 --print',
      stderr: NO_PROGRAM,
      lacks: /printCommand=[\s\S]*printCommand=|sent to|known/,
      printed: ['A-1.pdf'],
      also: async (_, rig) => expect((await rig.run('label --unprinted -q')).stdout).toBe('A-1\nA-2\nA-3\n'),
    },
    ...each({ says: 'without one, too', stderr: NO_PROGRAM, lacks: /sent to/ }, [
      'label A-1 --print',
      'label A-1 A-2 --merge day.pdf --print',
      'papers A-1 A-2 --only slip --print',
    ]),
  ]),
  {
    says: 'that a label was printed is recorded',
    ...HELD,
    after: ['label A-1 --print'],
    run: 'history show A-1',
    stdout: 'label printed',
  },
  {
    says: 'keeps the file in a folder of its user alone',
    ...HELD,
    run: 'label A-1 --print',
    also: (_, { folder }) => expect(statSync(join(folder, 'state/labels')).mode & 0o077).toBe(0),
  },
]);

promises('label --unprinted', [
  {
    says: 'names all that were made and not printed',
    rig: labelled('A-1', 'A-2'),
    after: ['label A-2 --print'],
    run: 'label --unprinted -q',
    stdout: /^A-1\n$/,
  },
  ...each({ run: 'label --unprinted --print' }, [
    { says: 'with --print prints them', rig: labelled('A-1', 'A-2'), printed: ['A-1.pdf', 'A-2.pdf'] },
    {
      says: 'with --print prints each once',
      rig: labelled('A-1'),
      after: ['label --unprinted --print'],
      printed: [],
    },
  ]),
  ...each({ says: 'none is exit 0', rig: shop('A-1'), sent: [], printed: [] }, [
    'label --unprinted',
    'label --unprinted --print',
  ]),
  {
    says: 'asks for no file of a domestic label, which the service does not give',
    rig: { files: FILES },
    after: ['ship-dual pair.json --key P-1 --label', 'label --unprinted --print'],
    run: 'label --unprinted -q',
    stdout: /^$/,
  },
  ...each({ says: 'takes no shipment, and nothing else takes --since', exit: 2, sent: [] }, [
    { run: 'label A-1 --unprinted', stderr: '"A-1" does not go with --unprinted' },
    { run: 'label --unprinted --international S-1', stderr: '--international does not go with --unprinted' },
    { run: 'label --unprinted --print --reprint', stderr: '--reprint does not go with --unprinted' },
    { run: 'label A-1 --since today', stderr: '--since needs --unprinted' },
  ]),
]);

/** Two desks that run a command at one moment; what both printed. */
async function twoDesks(): Promise<Rig> {
  const rig = await labelled('A-1')();
  return {
    ...rig,
    async run(...given) {
      const [one, other] = await Promise.all([rig.run(...given), rig.run(...given)]);
      return { ...one, programs: [...one.programs, ...other.programs] };
    },
  };
}

/** The label of A-1 is being printed by a process that is gone. */
async function abandoned(): Promise<Rig> {
  const rig = await labelled('A-1')();
  const [printing, began] = event();
  const onProgram = () => {
    began();
    return new Promise(() => {});
  };
  void rig.run('label A-1 --print', { onProgram });
  await printing;
  await rig.later(2 * 60 * 60 * 1000);
  return rig;
}

promises('Who prints claims the label first', [
  ...each({ says: 'two desks print one label once', rig: twoDesks, printed: ['A-1.pdf'] }, [
    'label A-1 --print',
    'label --unprinted --print',
  ]),
  ...each({ rig: abandoned }, [
    ...each(
      {
        says: 'one whose process died is named, and not printed',
        exit: 9,
        stderr: '--reprint A-1',
        printed: [],
      },
      ['label --unprinted', 'label --unprinted --print', 'label A-1 --print'],
    ),
    { says: 'a person says --reprint', run: 'label A-1 --print --reprint', printed: ['A-1.pdf'] },
  ]),
]);

/** The print program of A-1 was ended by this signal, as its exit code says. */
const cutOff = (line: string, programCode: number) => ({ line, programCode, exit: 9 });

promises('A print program that a signal ended may have printed', [
  ...each(
    {
      says: 'exit 9, and the label is named with the command of a person',
      rig: labelled('A-1'),
      programCode: 137,
      exit: 9,
      stderr: /may be printed: .*Look at the printer; .*`waybill label --print --reprint A-1` prints it/,
      lacks: /not printed|same command/,
      printed: [expect.stringMatching(/^(A-1|day)\.pdf$/) as unknown as string],
    },
    [
      'label A-1 --print',
      'label --unprinted --print',
      'label A-1 --merge day.pdf --print',
      ...[129, 139].map(programCode => ({ run: 'label A-1 --print', programCode })),
      // `timeout 60 lp` has ended lp.
      { run: 'label A-1 --print', programCode: 124 },
      // The program had the signal of this command, and made a code of its own of it.
      ...(
        [
          ['SIGINT', 130],
          ['SIGTERM', 143],
          ['SIGHUP', 129],
        ] as const
      ).map(([signal, exit]) => ({
        run: 'label A-1 --print',
        exit,
        programCode: 1,
        onProgram: ((_, { interrupt }) => interrupt(signal)) satisfies Promised['onProgram'],
      })),
    ],
  ),
  ...each({ rig: labelled('A-1'), exit: 9, printed: [] }, [
    ...each(
      { says: 'no later command prints the label by itself, and each names it', stderr: '--reprint A-1' },
      [
        ...[
          'label A-1 --print',
          'label --unprinted',
          'label --unprinted --print',
          'label A-1 --merge m.pdf',
        ].map(run => ({ after: [cutOff('label A-1 --print', 143)], run })),
        { after: [cutOff('label A-1 --merge day.pdf --print', 143)], run: 'label A-1 --print' },
      ],
    ),
    {
      says: 'a reprint that fails leaves it so',
      after: [
        cutOff('label A-1 --print', 137),
        { line: 'label A-1 --print --reprint', programCode: 1, exit: 9 },
      ],
      run: 'label A-1 --print',
    },
  ]),
  {
    says: 'a person says --reprint, and then it is printed',
    rig: labelled('A-1'),
    after: [cutOff('label A-1 --print', 137)],
    run: 'label A-1 --print --reprint',
    printed: ['A-1.pdf'],
    also: async (_, rig) => expect((await rig.run('label --unprinted')).exitCode).toBe(0),
  },
  {
    says: 'a label that was printed before its reprint was cut off is printed',
    rig: labelled('A-1'),
    after: ['label A-1 --print', cutOff('label A-1 --print --reprint', 137)],
    run: 'label --unprinted',
  },
  {
    says: 'the labels of a merged print are named together',
    rig: labelled('A-1', 'A-2'),
    programCode: 143,
    run: 'label A-1 A-2 --merge day.pdf --print',
    exit: 9,
    stderr: /2 labels \(A-1, A-2\) may be printed: .*`waybill label --print --reprint A-1 A-2`/,
  },
  {
    says: 'a label whose print was not begun is given back',
    rig: labelled('A-1', 'A-2'),
    after: [
      {
        line: 'label A-1 A-2 --print',
        programCode: 143,
        onProgram: (_, { interrupt }) => interrupt('SIGTERM'),
        exit: 143,
      },
    ],
    run: 'label --unprinted --print',
    exit: 9,
    printed: ['A-2.pdf'],
  },
  ...each(
    {
      says: 'no program is told to run the command again, which would not print them',
      rig: labelled('A-1', 'A-2'),
      programCode: 137,
      exit: 9,
      stderr: '"retry":"never"',
    },
    [
      'label A-1 A-2 --print --json',
      'label A-1 A-2 --merge day.pdf --print --json',
      { run: 'label A-1 A-2 --print --json', after: [cutOff('label A-1 A-2 --merge day.pdf --print', 137)] },
    ],
  ),
  ...each(
    {
      says: 'papers behind a label are not printed without it',
      rig: labelled('A-1'),
      programCode: 137,
      exit: 9,
      stderr: '`waybill label --print --reprint --papers slip A-1` prints it',
    },
    [
      { run: 'label A-1 --print --papers slip', printed: ['A-1.pdf'] },
      { run: 'label A-1 --merge day.pdf --print --papers slip', printed: ['day.pdf'] },
    ],
  ),
  {
    says: 'papers of their own are named, too',
    rig: shop('A-1'),
    programCode: 137,
    run: 'papers A-1 --only slip --print',
    exit: 9,
    stderr: /whether \S+A-1-slip\.pdf was printed is not known/,
  },
  ...each(
    {
      says: 'in a batch, too',
      rig: async () => {
        const rig = await labelled('A-1', 'A-2')();
        rig.file('keys.csv', 'key\nA-1\nA-2\n');
        return rig;
      },
      exit: 9,
      printed: [],
      stderr: '--reprint',
    },
    ['', '--merge day.pdf'].map(more => ({
      after: [cutOff(`batch label keys.csv --print ${more}`, 137)],
      run: 'label A-1 A-2 --print',
    })),
  ),
]);

/** Two shipments, K1 and K2, whose labels are one and the same file. */
const twins = async (): Promise<Rig> => {
  const { rig } = await labelledBy({ 'S-1': PDF, 'S-2': PDF });
  rig.file('keys.csv', 'key\nK1\nK2\n');
  return rig;
};
const SAME = /label of S-2 \(order "K2"\) is, byte for byte, that of S-1 \(order "K1"\)/;

promises('Two labels of different shipments with the same bytes', [
  ...each({ says: 'are a warning that names both', rig: twins, stderr: SAME }, [
    'label K1 K2 --download out',
    'label K1 K2 --merge day.pdf -q',
    'label K1 K2 --print --strict',
    ...['', '-q', '--print', '--concurrency 1'].map(more => ({
      run: `batch label keys.csv --download out ${more}`,
      stderr: /label of S-\d \(order "K\d"\) is, byte for byte, that of S-\d \(order "K\d"\)/,
    })),
    { after: ['label K1 --download out'], run: 'label K2 --download out' },
    { after: ['label K1 K2 --download out'], run: 'label K2 --print' },
  ]),
  {
    says: 'of the two legs of a pair, too',
    rig: async () => {
      const { env } = await cannedService({
        '/v2/shipments': {
          status: 201,
          body: Object.fromEntries(
            ['international', 'domestic'].map(leg => [
              leg,
              {
                shipment: { id: `${leg}-1` },
                label: { success: true, trackingNumber: leg, labelPdf: PDF.toString('base64') },
              },
            ]),
          ),
        },
      });
      return createRig({ env, files: FILES });
    },
    run: 'ship-dual pair.json --key P-1 --label --download out',
    stderr: /label of domestic-1 .*byte for byte, that of international-1/,
  },
  ...each({ says: 'no warning for the same shipment got again', rig: twins, lacks: 'byte for byte' }, [
    { after: ['label K1 --download out'], run: 'label K1 --download out' },
    { after: ['label K1 --download out'], run: 'label K1 --download out --allow-duplicate' },
    { after: ['label K1 --download out', 'history prune K1'], run: 'label K2 --download out' },
  ]),
  {
    says: 'those of the emulator differ, also for equal orders',
    rig: { files: FILES },
    after: ['ship order.json --key A-1 --label --download out'],
    run: 'ship order.json --key A-2 --label --download out',
    lacks: 'byte for byte',
  },
]);

const answer = (bytes: Buffer, status = 200, length = bytes.length) =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Word\r\ncontent-length: ${length}\r\n\r\n`), bytes]);

/** A service whose label is a link with these answers, one after the other. */
const linked =
  (...answers: Buffer[]) =>
  async (): Promise<Rig> => {
    const left = [...answers];
    const { url } = await rawServer(socket => void socket.end(left.shift() ?? ''));
    const label = { success: true, trackingNumber: 'T-1', label: new URL('/l', url).href };
    const { env } = await cannedService({
      '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
    });
    return createRig({ env });
  };

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 30, 0, 20, 1, 1, 0x11, 0, 0xff, 0xda, 0, 2]),
  Buffer.alloc(3000, 0x5a),
  Buffer.from([0xff, 0xd9]),
]);
const PNG = png(20, 30);
const LABEL = 'label --international S-1 --download out --retries 0';
const NONE = { 'out/S-1.pdf': null, 'out/S-1.png': null, 'out/S-1.gif': null, 'out/S-1.jpg': null };
const PARTS: [what: string, part: Buffer, whole: Buffer, ending: string][] = [
  ['a 206', answer(PDF, 206), PDF, 'pdf'],
  ['a PDF without its end', answer(PDF.subarray(0, -7)), PDF, 'pdf'],
  ['a PNG that is cut off', answer(PNG.subarray(0, -20)), PNG, 'png'],
  ['a GIF that is cut off', answer(GIF.subarray(0, -1)), GIF, 'gif'],
  ['a JPEG that is cut off', answer(JPEG.subarray(0, 2000)), JPEG, 'jpg'],
  ['a PDF with fewer bytes than its content-length', answer(PDF, 200, PDF.length + 1), PDF, 'pdf'],
  ['what is no file of a label', answer(Buffer.from('no label')), PDF, 'pdf'],
];

promises(
  'A label that is not whole',
  PARTS.flatMap(([what, part, whole, ending]) => [
    { says: `${what} is no label, and is not saved`, run: LABEL, rig: linked(part), exit: 9, files: NONE },
    {
      says: `${what} is asked for again, and no other is made`,
      rig: linked(part, answer(whole)),
      after: [{ line: LABEL, exit: 9 }],
      run: LABEL,
      stderr: 'was made before',
      files: { [`out/S-1.${ending}`]: /./ },
    },
  ]),
);
