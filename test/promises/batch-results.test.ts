import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { created, ends, jsonLines, keys, linesIn, order, orders, scriptedService } from '../rig/batch.ts';
import { createRig, type Ran, type Rig, type RigOptions } from '../rig/command.ts';
import { COLUMNS, csv, FLAGS, row } from '../rig/csv-orders.ts';
import { elsewhere } from '../rig/journal.ts';
import { UNDECIDED } from '../rig/service.ts';
import { event } from '../rig/sockets.ts';
import { BOOKED, LABELLED, scripted, textOf } from './begin.ts';
import { each, promises } from './promise.ts';

const of = (...records: unknown[]): RigOptions => ({ files: { 'orders.jsonl': jsonLines(records) } });
const SHIP = 'batch ship orders.jsonl --concurrency 1 --json';
const booked = (count: number) => Array(count).fill(BOOKED);
const bad = (key: string) => order(key, { category: 'sale' });
const FORMULAS = ['-1', '+49', '=A1', '@x'].map(key => order(key));
const write = (...records: unknown[]) => ({ write: { 'orders.jsonl': jsonLines(records) } });
const are =
  (...expected: string[]) =>
  (_: unknown, rig: Rig) =>
    expect(ends(linesIn(rig))).toEqual(expected);
const have =
  (...lines: object[]) =>
  (_: unknown, rig: Rig) =>
    expect(linesIn(rig)).toMatchObject(lines);
const FIELDS =
  'operation place key line state exitCode sent sandbox shipmentId domesticShipmentId trackingNumber domesticTrackingNumber carrier price currency overPrice mended labelFile run actor journal recorded'.split(
    ' ',
  );

promises('The results of a batch', [
  {
    says: 'They have one line for each record of the input',
    rig: of(order('A'), order('B', { carrier: { id: 'NOPE' } }), bad('C')),
    run: `${SHIP} --skip-invalid`,
    exit: 9,
    also: are('A created 0 true', 'B rejected 5 true', 'C invalid 2 false'),
  },
  {
    says: 'A line has these fields, and the result or the error; this user alone reads them',
    rig: of(order('A')),
    run: SHIP,
    also: (_, rig) => {
      const [line] = linesIn(rig);
      expect(Object.keys(line ?? {})).toEqual([...FIELDS, 'result']);
      expect(line).toMatchObject({
        ...{ operation: 'ship', place: rig.address, key: 'A', line: 1, state: 'created', exitCode: 0 },
        ...{ sent: true, sandbox: false, carrier: 'EXP', price: 52.9, currency: 'EUR', mended: false },
        ...{ shipmentId: expect.any(String), labelFile: null, domesticShipmentId: null },
      });
      expect(statSync(join(rig.folder, 'orders.results.jsonl')).mode & 0o777).toBe(0o600);
    },
  },
  {
    says: 'A line of a failed record has its error',
    rig: of(order('A', { carrier: { id: 'NOPE' } })),
    run: SHIP,
    exit: 9,
    also: have({ shipmentId: null, error: { code: 'rejected', httpStatus: 422 } }),
  },
  {
    says: '`place` is the address and the account',
    rig: async () => {
      const rig = await createRig(of(order('A')));
      const shop = { baseUrl: rig.address, account: 'ACME', credentials: { kind: 'token', token: 'demo' } };
      rig.file('config/config.json', { profiles: { shop } });
      return rig;
    },
    run: `${SHIP} --profile shop`,
    also: (ran, rig) => have({ place: `${rig.address} account ACME` })(ran, rig),
  },
  ...each({ rig: of(order('A')) }, [
    { says: '`place` is `demo` in the demo', run: `${SHIP} --profile demo`, also: have({ place: 'demo' }) },
    {
      says: 'A line has the run and who booked it',
      run: `${SHIP} --run night --actor anna`,
      also: have({ run: 'night', actor: 'anna' }),
    },
    {
      says: '--results names the file',
      run: `${SHIP} --results r.jsonl`,
      json: { results: 'r.jsonl' },
      files: { 'r.jsonl': '"key":"A"', 'orders.results.jsonl': null },
    },
    {
      says: '.csv gives CSV',
      run: `${SHIP} --results r.csv`,
      files: {
        'r.csv': [/^operation,place,key,line,state,exitCode,sent,/, /\nship,[^,]+,A,1,created,0,true,/],
      },
    },
  ]),
  ...each({ rig: of(...orders(2)) }, [
    {
      says: 'Every line says that it was the sandbox',
      run: `${SHIP} --sandbox`,
      json: { sandbox: true },
      stderr: 'sandbox',
      also: have({ sandbox: true }, { sandbox: true }),
    },
    {
      says: 'The file of an earlier run is replaced; `sent` is false for what was created before',
      after: [SHIP, write(order('ORDER-1'))],
      run: SHIP,
      sent: [],
      also: are('ORDER-1 created 0 false'),
    },
  ]),
  {
    says: 'Each line has `journal`, the identity of the journal of its run, and `recorded`',
    rig: of(...orders(1)),
    after: [SHIP, write(...orders(2))],
    run: SHIP,
    also: (_, rig) => {
      const [first, second] = linesIn(rig);
      expect(first).toMatchObject({ journal: expect.stringMatching(/^jr_[0-9a-f]{32}$/), recorded: true });
      expect(second?.journal).toBe(first?.journal);
    },
  },
  {
    says: '`overPrice` is of a record above its bound',
    rig: scripted(key => created(key, 499), of(order('A', { maxPrice: '60EUR' }))),
    run: SHIP,
    exit: 11,
    also: have({ state: 'created', exitCode: 11, overPrice: true }),
  },
  {
    says: 'Lines are in the order in which records finish',
    rig: async () => {
      const [isSecond, second] = event();
      return scripted(
        async key => {
          if (key === 'ORDER-1') await isSecond;
          else second();
          return created(key);
        },
        of(...orders(2)),
      )();
    },
    run: 'batch ship orders.jsonl --concurrency 2',
    also: (_, rig) => expect(linesIn(rig).map(({ key }) => key)).toEqual(['ORDER-2', 'ORDER-1']),
  },
  {
    says: 'stdout has the summary: shipments, labels and cost of this run, and those of earlier ones',
    rig: of(...orders(1)),
    after: [`${SHIP} --label`, write(...orders(2))],
    run: `${SHIP} --label`,
    json: {
      ...{ shipments: 1, labels: 1, cost: { EUR: 52.9 }, already: 1 },
      before: { shipments: 1, labels: 1, cost: { EUR: 52.9 } },
    },
  },
  ...each(
    { says: 'They are not written over the input, or over what is no results file', exit: 2, sent: [] },
    [
      { rig: of(order('A')), run: `${SHIP} --results orders.jsonl` },
      { rig: of(order('A')), run: `${SHIP} --failed orders.jsonl` },
      { rig: of(order('A')), run: `${SHIP} --results ./x/../orders.jsonl` },
      { rig: of(order('A')), run: `${SHIP} --results same.jsonl --failed same.jsonl` },
      {
        rig: async () => {
          const rig = await createRig(of(order('A')));
          symlinkSync(join(rig.folder, 'orders.jsonl'), join(rig.folder, 'link.jsonl'));
          return rig;
        },
        run: `${SHIP} --results link.jsonl`,
        files: { 'orders.jsonl': /^\{"key":"A"/ },
      },
      ...['call Anna\n', '{"key":"A","type":"package"}\n', '{"operation":"ship","key":"A"}\n'].map(text => ({
        rig: { files: { 'orders.jsonl': jsonLines([order('A')]), 'mine.jsonl': text } },
        run: `${SHIP} --results mine.jsonl`,
        files: { 'mine.jsonl': text },
      })),
      ...[
        'call Anna\n',
        'order,payment_error\nA-1,card declined\n',
        '{"order":"A-1","_error":"no card"}\n',
      ].map(text => ({
        rig: { files: { 'orders.jsonl': jsonLines([bad('A')]), 'mine.txt': text } },
        run: `${SHIP} --failed mine.txt`,
        files: { 'mine.txt': text },
      })),
    ],
  ),
  {
    says: 'A line keeps the run and the person that booked it',
    rig: of(order('A')),
    after: [`${SHIP} --run first --actor anna`, write(order('A'), order('B'))],
    run: `${SHIP} --run second --actor ben`,
    also: (_, rig) =>
      expect(linesIn(rig)).toMatchObject([
        { key: 'A', run: 'first', actor: 'anna' },
        { key: 'B', run: 'second', actor: 'ben' },
      ]),
  },
  {
    says: 'For people the summary tells what was booked before from what this run booked',
    rig: of(...orders(3)),
    after: [`${SHIP} --label`],
    run: 'batch ship orders.jsonl --label',
    stdout: [/^Sent +0$/m, /^Booked +nothing$/m, /^Booked before +3 shipments, 3 labels, 158\.70 EUR$/m],
  },
  ...each({ says: 'Keys that a spreadsheet would take for formulas are known again', exit: 0, sent: [] }, [
    { rig: of(...FORMULAS), after: [`${SHIP} --results r.csv`], run: `${SHIP} --results r.csv` },
    { rig: of(...FORMULAS), after: [SHIP], run: SHIP },
  ]),
  {
    says: 'A file of --failed that cannot be written leaves no part of them behind: exit 10',
    rig: of(order('A')),
    run: `${SHIP} --failed missing/failed.jsonl`,
    exit: 10,
    sent: [],
    files: { 'orders.results.jsonl': null, 'orders.results.jsonl.part': null },
  },
]);

/** Another machine has booked the file. */
const bookedElsewhere =
  (flags = '') =>
  async (): Promise<Rig> => {
    const rig = await createRig(of(...orders(2)));
    await rig.run(`${SHIP} ${flags}`, { env: elsewhere(rig) });
    return rig;
  };

/** Another machine is at work on the file: the run comes while its first order is sent. */
const claimedBy = (line: string) => async (): Promise<Rig> => {
  const rig = await createRig(of(...orders(2)));
  return {
    ...rig,
    async run(argv, options) {
      let ran: Ran | undefined;
      const { env } = await scriptedService(async key => {
        ran ??= await rig.run(argv, { ...options, env });
        return created(key);
      });
      expect(await rig.run(line, { env: { ...elsewhere(rig), ...env } })).toMatchObject({ exitCode: 0 });
      return ran ?? rig.run(argv, options);
    },
  };
};

promises("Another machine's results", [
  ...each({ rig: bookedElsewhere(), exit: 2, sent: [] }, [
    {
      says: 'They are not replaced: exit 2, and the command that takes them over is named',
      run: SHIP,
      error: {
        code: 'duplicate',
        message: expect.stringContaining('waybill history import orders.results.jsonl'),
      },
      also: are('ORDER-1 created 0 true', 'ORDER-2 created 0 true'),
    },
    {
      says: 'They are not replaced by another operation either',
      run: 'batch track orders.jsonl --results orders.results.jsonl',
    },
  ]),
  {
    says: 'Once they are imported they are replaced',
    rig: bookedElsewhere(),
    after: ['history import orders.results.jsonl --done none'],
    run: SHIP,
    sent: [],
    also: are('ORDER-1 created 0 false', 'ORDER-2 created 0 false'),
  },
  ...each({ rig: of(order('A')), run: SHIP, sent: [] }, [
    {
      says: 'Those of a journal that was put back since, and may lack them, are not replaced',
      after: [SHIP, 'history check --restored --reason moved'],
      exit: 2,
      stderr: 'history import orders.results.jsonl',
    },
    {
      says: 'Once they are imported into the journal that was put back, they are replaced',
      after: [
        SHIP,
        'history check --restored --reason moved',
        'history import orders.results.jsonl --done none',
      ],
      also: are('A created 0 false'),
    },
  ]),
  {
    says: 'A file that another journal has claimed is exit 2, before anything is sent',
    rig: claimedBy(SHIP),
    run: SHIP,
    exit: 2,
    sent: [],
    stderr: 'is claimed by a run with another journal',
  },
  {
    says: 'A CSV that another journal has claimed is not said to be imported: no command does that',
    rig: claimedBy(`${SHIP} --results r.csv`),
    run: `${SHIP} --results r.csv`,
    exit: 2,
    sent: [],
    lacks: 'history import r.csv',
    stderr: 'run the batch there again with --results FILE.jsonl',
  },
  {
    says: 'A claim that is a link to nowhere is exit 10, before anything is sent',
    rig: async () => {
      const rig = await createRig(of(order('A')));
      symlinkSync('/nowhere/at/all', join(rig.folder, 'orders.results.jsonl.claim'));
      return rig;
    },
    run: SHIP,
    exit: 10,
    stderr: 'orders.results.jsonl.claim cannot be used',
    sent: [],
  },
  {
    says: 'Those of a rehearsal in the demo are replaced',
    rig: bookedElsewhere('--profile demo'),
    run: SHIP,
    sent: booked(2),
  },
  {
    says: 'Those of another place that this journal does not know are not replaced',
    rig: bookedElsewhere('--sandbox'),
    run: SHIP,
    exit: 2,
    sent: [],
  },
  {
    says: 'Those of another place that this journal knows are replaced',
    rig: of(...orders(1)),
    after: [`${SHIP} --sandbox`],
    run: SHIP,
    sent: booked(1),
  },
  {
    says: 'They are not replaced by an estimate either',
    rig: bookedElsewhere(),
    run: `${SHIP} --dry-run --estimate`,
    exit: 2,
    sent: [],
    also: are('ORDER-1 created 0 true', 'ORDER-2 created 0 true'),
  },
]);

const rejectedOnce = scripted(
  (key, attempt) =>
    key === 'B' && attempt === 1 ? { status: 422, body: { message: 'no street' } } : created(key),
  of(order('A'), order('B')),
);

promises('Running a batch again', [
  {
    says: 'It does what is left',
    rig: of(...orders(2)),
    after: [SHIP, write(order('NEW'), ...orders(2))],
    run: SHIP,
    sent: booked(1),
    json: { sent: 1, already: 2 },
  },
  {
    says: 'Created records are not sent again, also by `ship --key`',
    rig: { files: { 'orders.jsonl': jsonLines([order('A')]), 'a.json': { ...order('A'), key: undefined } } },
    after: [SHIP],
    run: 'ship a.json --key A',
    sent: [],
  },
  {
    says: 'A rejected record is not sent again unchanged',
    rig: rejectedOnce,
    after: [{ line: SHIP, exit: 9 }],
    run: SHIP,
    exit: 9,
    also: are('A created 0 false', 'B rejected 5 false'),
  },
  {
    says: '--retry-rejected tries the rejected ones',
    rig: rejectedOnce,
    after: [{ line: SHIP, exit: 9 }],
    run: `${SHIP} --retry-rejected`,
    also: are('A created 0 false', 'B created 0 true'),
  },
  {
    says: 'A rejected record that was changed is sent',
    rig: rejectedOnce,
    after: [{ line: SHIP, exit: 9 }, write(order('A'), order('B', { category: 'gift' }))],
    run: SHIP,
    also: are('A created 0 false', 'B created 0 true'),
  },
  ...each({ rig: of(...orders(1)), run: SHIP, exit: 9 }, [
    {
      says: 'A record changed since it was created is a `duplicate` of its own, and stops nothing',
      after: [SHIP, write(order('ORDER-1', { category: 'gift' }), order('NEW'))],
      sent: booked(1),
      also: are('NEW created 0 true', 'ORDER-1 duplicate 2 false'),
    },
    {
      says: 'A `duplicate` says in which fields it differs, when it was booked, and what to type',
      after: [SHIP, write(order('ORDER-1', { category: 'gift' }))],
      stderr: [
        /"ORDER-1\\?" was already booked at .*, and differs: category \\?"sales\\?" -> \\?"gift\\?"/,
        /`waybill history show bk_\w+.*` shows it, and a second parcel needs a new order number/,
      ],
    },
    {
      says: 'One that only chooses its carrier in another way says that no field differs',
      after: [SHIP, write(order('ORDER-1', { carrier: { id: 'cheapest' } }))],
      stderr: 'and differs in no field: it chooses its carrier in another way',
    },
  ]),
  {
    says: 'A header that says another thing of its cells makes it one, too, and says in which fields',
    rig: { files: { 'orders.csv': csv(COLUMNS, row('A')), 'sender.json': UNDECIDED.sender } },
    after: [
      `batch ship orders.csv ${FLAGS} --carrier EXP`,
      {
        write: {
          'orders.csv': csv(
            COLUMNS.replace('receiver.firstName,receiver.lastName', 'receiver.lastName,receiver.firstName'),
            row('A'),
          ),
        },
      },
    ],
    run: `batch ship orders.csv ${FLAGS} --carrier EXP`,
    exit: 9,
    sent: [],
    stderr: ['receiver.firstName', 'receiver.lastName'],
  },
  {
    says: 'An unknown record is not sent again: exit 8',
    rig: { ...of(...orders(1)), faults: [{ kind: 500, probability: 1 }] },
    after: [{ line: SHIP, exit: 8 }],
    run: SHIP,
    exit: 8,
    sent: [],
    also: are('ORDER-1 unknown 8 false'),
  },
  {
    says: 'What was not sent is sent',
    rig: of(...orders(2)),
    after: [{ line: `${SHIP} --retries 0`, exit: 9, env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } }],
    run: `${SHIP} --results second.jsonl`,
    sent: booked(2),
  },
  {
    says: 'A missing label is made, and the shipment is not booked again',
    rig: of(...orders(1)),
    after: [SHIP],
    run: `${SHIP} --label`,
    sent: [LABELLED],
  },
  {
    says: 'Stopped by a signal, no record is lost and none is booked twice',
    rig: of(...orders(4)),
    after: [{ line: SHIP, exit: 130, onRequest: (_, { interrupt }) => interrupt('SIGINT') }],
    run: SHIP,
    sent: booked(3),
    also: (_, rig) =>
      expect(
        linesIn(rig)
          .map(({ key }) => key)
          .sort(),
      ).toEqual(keys(4)),
  },
  {
    says: 'Several runs over one file at one time book each key once',
    rig: of(...orders(5)),
    run: 'history list',
    also: async (_, rig) => {
      const { env, arrivals } = await scriptedService(key => created(key));
      const runs = await Promise.all([1, 2, 3].map(() => rig.run('batch ship orders.jsonl', { env })));
      expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
      expect(arrivals.map(({ key }) => key).sort()).toEqual(keys(5));
    },
  },
  {
    says: 'What the service refused keeps its problems',
    rig: of(order('A', { carrier: { id: 'NOPE' } })),
    after: [{ line: SHIP, exit: 9 }],
    run: `${SHIP} --failed mend.jsonl`,
    exit: 9,
    files: {
      'orders.results.jsonl': '"issues":[{"path":"carrier.id"',
      'mend.jsonl': /^\{"_error":"carrier\.id \\"NOPE/,
    },
  },
]);

const NIGHT = 'batch ship orders.jsonl --skip-invalid --failed mend.jsonl --concurrency 1';
/** A person mends a file of --failed. */
const mending =
  (from: RegExp, into: string, records: unknown[] = [order('A'), bad('B')]) =>
  async (): Promise<Rig> => {
    const rig = await createRig(of(...records));
    await rig.run(NIGHT);
    rig.file('mend.jsonl', textOf(rig, 'mend.jsonl').replace(from, into));
    return rig;
  };
const mended = mending(/"sale"/, '"sales"');
const MEND = 'batch ship mend.jsonl --json';
const JSON_NIGHT = 'batch ship orders.json --skip-invalid --failed mend.json';
const CSV_NIGHT = `batch ship orders.csv ${FLAGS} --carrier EXP --skip-invalid --failed mend.csv`;
const TWO_ROWS = csv(
  COLUMNS,
  row('A', 'DE', 'cup'),
  row('B', 'Deutschlnd', 'cup'),
  row('B', 'Deutschlnd', 'pot'),
);

promises('--failed', [
  {
    says: 'It writes the invalid records in the format of the input, with a column _error',
    rig: of(order('A'), bad('B')),
    run: NIGHT,
    exit: 9,
    files: { 'mend.jsonl': /^\{"_error":"[^"]*category.*"_record":"rec_[0-9a-f]{32}".*"key":"B"/ },
  },
  {
    says: 'It writes the rejected records',
    rig: of(order('A'), order('B', { carrier: { id: 'NOPE' } })),
    run: NIGHT,
    exit: 9,
    files: { 'mend.jsonl': [/^\{"_error":/, /"key":"B"/] },
  },
  {
    says: 'Of a JSON array it writes a JSON array',
    rig: { files: { 'orders.json': [order('A'), bad('B')] } },
    run: 'batch ship orders.json --skip-invalid --failed mend.json',
    exit: 9,
    also: (_, rig) =>
      expect(JSON.parse(textOf(rig, 'mend.json'))).toMatchObject([
        { _error: expect.stringContaining('category'), _record: expect.stringMatching(/^rec_/), key: 'B' },
      ]),
  },
  {
    says: 'Of a CSV it writes a CSV, with every row of the record',
    rig: {
      files: {
        'orders.csv': csv(
          COLUMNS,
          row('A', 'DE', 'cup'),
          row('A', 'DE', 'pot'),
          row('B', 'Deutschlnd', 'cup'),
          row('B', 'Deutschlnd', 'pot'),
        ),
        'sender.json': UNDECIDED.sender,
      },
    },
    run: `batch ship orders.csv ${FLAGS} --carrier EXP --skip-invalid --failed mend.csv`,
    exit: 9,
    files: {
      'mend.csv':
        /^\ufeff?(\u00ef\u00bb\u00bf)?_error,_record,key,.*\n.*,rec_(\w{32}),B,.*\n.*,rec_\2,B,[^\n]*\n$/,
    },
  },
  {
    says: 'It is in UTF-8',
    rig: async () => {
      const rig = await createRig({ files: { 'sender.json': UNDECIDED.sender } });
      writeFileSync(
        join(rig.folder, 'orders.csv'),
        Buffer.from(csv(COLUMNS, row('A', 'Deutschlnd', 'M\u00fctze')), 'latin1'),
      );
      return rig;
    },
    run: `batch ship orders.csv ${FLAGS} --carrier EXP --encoding windows-1254 --failed mend.csv`,
    exit: 2,
    also: (_, { folder }) => expect(readFileSync(join(folder, 'mend.csv'), 'utf8')).toContain('Mütze'),
  },
  { says: 'Mended, it is booked', rig: mended, run: MEND, sent: booked(1) },
  ...each({ after: [MEND], run: SHIP, sent: [] }, [
    {
      says: 'Then the record of the night is `created`, not sent, `mended`: the file of the night ends with 0',
      rig: mended,
      json: { states: { created: 2 }, mended: 1 },
      also: (_, rig) =>
        expect(linesIn(rig).find(({ key }) => key === 'B')).toMatchObject({
          state: 'created',
          sent: false,
          mended: true,
        }),
    },
    {
      says: 'That is so of a record that was rejected with this very content',
      rig: mending(/"NOPE"/, '"EXP"', [order('A'), order('B', { carrier: { id: 'NOPE' } })]),
      json: { mended: 1 },
    },
  ]),
  {
    says: 'The name of a record is kept through a second --failed',
    rig: mending(/"sale"/, '"salt"'),
    run: 'batch ship mend.jsonl --failed again.jsonl',
    exit: 2,
    also: (_, rig) => {
      const name = (file: string) => /"_record":"(rec_\w+)"/.exec(textOf(rig, file))?.[1];
      expect(name('again.jsonl')).toBe(name('mend.jsonl'));
    },
  },
  {
    says: 'The name is no part of the input that is compared',
    rig: mended,
    after: [MEND, { write: { 'plain.jsonl': jsonLines([order('B')]) } }],
    run: 'batch ship plain.jsonl --json',
    sent: [],
    json: { already: 1 },
  },
  ...each({ says: 'Nothing else counts as mended' }, [
    {
      says: 'A record whose key was booked from a file without its name is not mended',
      rig: mended,
      after: [{ write: { 'mend.jsonl': jsonLines([order('B')]) } }, MEND],
      run: SHIP,
      exit: 2,
      sent: [],
    },
    {
      says: 'A record that was changed since is not mended',
      rig: mended,
      after: [MEND, write(order('A'), { ...bad('B'), chargeableWeight: 9 })],
      run: `${SHIP} --skip-invalid`,
      exit: 9,
      json: { mended: 0, states: { created: 1, invalid: 1 } },
    },
    {
      says: 'A record that was booked in another place is not mended',
      rig: mended,
      after: [`${MEND} --sandbox`],
      run: `${SHIP} --skip-invalid`,
      exit: 9,
      json: { mended: 0 },
    },
    {
      says: 'A booked key with other content is a `duplicate`',
      rig: of(order('A'), order('B')),
      after: [SHIP, write(order('A'), order('B', { category: 'gift' }))],
      run: SHIP,
      exit: 9,
      json: { mended: 0, states: { created: 1, duplicate: 1 } },
    },
  ]),
  {
    says: 'A copy of a name is refused',
    rig: async () => {
      const rig = await mended();
      const line = textOf(rig, 'mend.jsonl');
      rig.file('mend.jsonl', line + line.replace('"key":"B"', '"key":"C"'));
      return rig;
    },
    run: MEND,
    exit: 2,
    sent: [],
    stderr: '_record',
  },
  {
    says: 'Where nothing failed there is no file, and an earlier one is removed',
    rig: mended,
    after: [MEND],
    run: NIGHT,
    files: { 'mend.jsonl': null },
  },
  ...each({ says: 'A file of the same input that nobody has touched is replaced', exit: 9 }, [
    {
      rig: of(order('A'), bad('B')),
      after: [{ line: NIGHT, exit: 9 }, write(order('A'), bad('B'), bad('C'))],
      run: `${NIGHT} --json`,
      json: { failed: 'mend.jsonl', failedKept: null },
      files: { 'mend.jsonl': [/"key":"B"/, /"key":"C"/], 'mend.2.jsonl': null },
    },
    {
      rig: { files: { 'orders.json': [order('A'), bad('B')] } },
      after: [{ line: JSON_NIGHT, exit: 9 }],
      run: JSON_NIGHT,
      files: { 'mend.json': /"key":"B"/, 'mend.2.json': null },
    },
    {
      rig: { files: { 'orders.csv': TWO_ROWS, 'sender.json': UNDECIDED.sender } },
      after: [{ line: CSV_NIGHT, exit: 9 }],
      run: CSV_NIGHT,
      files: { 'mend.csv': 'Deutschlnd', 'mend.2.csv': null },
    },
  ]),
  ...each(
    { says: 'A file that has records of another input is kept aside under a number, and named', exit: 9 },
    [
      {
        rig: of(order('A'), bad('B')),
        after: [{ line: NIGHT, exit: 9 }, write(order('A'), bad('C'))],
        run: `${NIGHT} --json`,
        json: { failed: 'mend.jsonl', failedKept: 'mend.2.jsonl' },
        stderr: 'mend.2.jsonl',
        files: { 'mend.jsonl': '"key":"C"', 'mend.2.jsonl': '"key":"B"' },
      },
      {
        rig: of(order('A'), bad('B')),
        after: [
          { line: NIGHT, exit: 9 },
          write(order('A'), bad('C')),
          { line: NIGHT, exit: 9 },
          write(order('A'), bad('D')),
        ],
        run: NIGHT,
        files: { 'mend.jsonl': '"key":"D"', 'mend.2.jsonl': '"key":"B"', 'mend.3.jsonl': '"key":"C"' },
      },
      {
        rig: { files: { 'orders.json': [order('A'), bad('B')] } },
        after: [{ line: JSON_NIGHT, exit: 9 }, { write: { 'orders.json': [bad('C'), order('A')] } }],
        run: JSON_NIGHT,
        files: { 'mend.json': '"key":"C"', 'mend.2.json': '"key":"B"' },
      },
      {
        rig: { files: { 'orders.csv': TWO_ROWS, 'sender.json': UNDECIDED.sender } },
        after: [{ line: CSV_NIGHT, exit: 9 }, { write: { 'orders.csv': TWO_ROWS.replaceAll('B', 'C') } }],
        run: CSV_NIGHT,
        files: { 'mend.csv': ',C,', 'mend.2.csv': ',B,' },
      },
    ],
  ),
  ...each({ says: 'So is one that was changed by hand, also where nothing failed' }, [
    {
      rig: mended,
      run: `${NIGHT} --json`,
      exit: 9,
      json: { failedKept: 'mend.2.jsonl' },
      files: { 'mend.jsonl': '"sale"', 'mend.2.jsonl': '"sales"' },
    },
    {
      rig: mended,
      after: [write(order('A'))],
      run: `${NIGHT} --json`,
      json: { failed: null, failedKept: 'mend.2.jsonl' },
      stderr: 'mend.2.jsonl',
      files: { 'mend.jsonl': null, 'mend.2.jsonl': '"sales"' },
    },
  ]),
]);
