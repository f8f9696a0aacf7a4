// Every option of every command is typed here once, with the options that it may stand with, and the command does its work.
// For an option that sets a field, the field is looked at; what all others do is tested beside their commands. The options
// that every command takes are tested in test/promises/options.test.ts.
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandName, OPERATIONS } from '../../src/contract/operations.ts';
import { getAt, isRecord, parsePath } from '../../src/contract/paths.ts';
import { plainFields } from '../../src/order/options.ts';
import { commandTree } from '../../src/shell/program.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { DUAL, fixture, SHIPMENT, switchable, UNDECIDED } from '../rig/service.ts';
import { allCommands } from './commands.ts';

const ROUTE = '--from TR --to DE --postal-code 10115';
const SINGLE = '--weight 1 --length 10 --width 10 --height 10 --quantity 2';
const ODD = '--set note=x --allow-unknown';
const GOODS = `--type package --category gift --delivery-type DDP --package 1kg@10x10x10 --total-goods-value 25 --currency EUR --ioss-number IM0123456789 --marketplace-number M1 --item description=T,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5 --sender me.json --receiver you.json --invoice me.json ${ODD}`;
const BOOK = '--allow-duplicate --new-journal';
const LABELS = '--download labels --print --reprint --papers invoice,slip --fit a5 --crop auto --stamp {key}';
const FOUR = '--merge four.pdf --per-page 4';
const BATCH =
  '--format csv --encoding windows-1252 --key-column order --map map.json --include K9 --skip-invalid --concurrency 1 --rate 1000 --results out.jsonl --failed mend.csv';
const BATCH_BOOK = '--new-journal --max-unknown 2 --retry-rejected';
const CREDENTIALS = '--auth-header X-Key --auth-scheme Key --client-cert me.pem --client-key me.key';

/** What is typed, in this order, in one folder; ends with 0 unless another exit code is named. */
const LINES: readonly (string | readonly [line: string, exitCode: number])[] = [
  `quote ${ROUTE} --type package --package 1kg@10x10x10 --service express --sort price ${ODD} --dry-run`,
  `quote ${ROUTE} ${SINGLE} --cheapest`,
  'quote -f parcel.json --fastest',
  `rates ${ROUTE} --package 1kg@10x10x10 ${ODD} --dry-run`,
  `rates ${ROUTE} ${SINGLE}`,
  'rates -f rates.json',
  `ship ${GOODS} --carrier EXP --chargeable-weight 2 --label ${FOUR} --dry-run`,
  `ship -f any.json --key A --carrier fastest --service express --max-price 900EUR --max-days 9 --label ${LABELS} --merge a.pdf ${BOOK}`,
  'ship --like A --key B --no-carrier --no-max-price --no-max-days --no-label',
  'ship --like A --swap --key G',
  'ship -f any.json --carrier EXP --key E --plan plan.json',
  'ship -f plan.json',
  'ship -f any.json --key R --rules rules.json --release R --dry-run',
  'ship -f any.json --key R --carrier EXP --no-rules --dry-run',
  'ship-dual -f dual.json --key R --rules rules.json --release R --dry-run',
  'ship-dual -f dual.json --key R --no-rules --dry-run',
  'mcp --production --download labels --concurrency 2',
  'help agents --path',
  `ship-dual ${GOODS} --international EXP --domestic DOM --label ${FOUR} --dry-run`,
  `ship-dual -f dual.json --key C --max-price 900EUR --label ${LABELS} --merge c.pdf ${BOOK}`,
  'ship-dual --like C --key D --no-max-price --no-label',
  'ship-dual -f dual.json --key F --plan pair-plan.json',
  `label --key A --merge b.pdf ${LABELS}`,
  'papers A --only slip --download papers --merge papers.pdf --print',
  `label --international S-1 --domestic S-2 ${ODD} ${BOOK} --dry-run`,
  `label -f legs.json ${FOUR} --dry-run`,
  'label --unprinted --since today',
  ['track --key A --watch --interval 1m --until delivered --max-wait 1h', 9],
  'track --active --since 9d --stale 1s',
  ['track S-1 --domestic', 4],
  `webhook create --url https://a.example --event shipment.status.updated --header X-A:1 --max-retries 9 --initial-delay-ms 500 --backoff-multiplier 3 --max-delay-ms 9000 ${ODD} --dry-run`,
  `webhook create -f hook.json --key W --secret-file secret.json ${BOOK}`,
  ['webhook listen --port 0 --count 1 --max-wait 0.01', 9],
  `batch quote ids.csv ${ROUTE} --type package --package 1kg@10x10x10 --service express --sort price --cheapest ${BATCH}`,
  `batch quote ids.csv ${ROUTE} ${SINGLE} --fastest ${ODD} --no-map --dry-run --key-column order`,
  `batch rates ids.csv ${ROUTE} --package 1kg@10x10x10 ${BATCH}`,
  `batch rates ids.csv ${ROUTE} ${SINGLE} ${ODD} --no-map --dry-run --key-column order`,
  `batch ship ids.csv ${GOODS} --carrier EXP --chargeable-weight 2 --label ${FOUR} --dry-run --estimate ${BATCH}`,
  `batch ship-dual ids.csv ${GOODS} --international EXP --domestic DOM --label ${FOUR} --dry-run ${BATCH}`,
  `batch ship ids.csv ${GOODS.replace(ODD, '').replace('--marketplace-number M1', '')} --carrier cheapest --service express --max-price 900EUR --max-days 9 --max-overpriced 2 --label --merge s.pdf ${LABELS} ${BATCH_BOOK} --key-column order`,
  `batch ship-dual legs.jsonl --max-price 900EUR --max-overpriced 2 --label --merge d.pdf ${LABELS} ${BATCH_BOOK} --key-column order`,
  `batch label ids.csv --merge l.pdf ${LABELS} ${BATCH} ${BATCH_BOOK}`,
  `batch label ids.csv --international S-1 --domestic S-2 ${ODD} ${FOUR} --no-map --dry-run --key-column order`,
  `batch track ids.csv --domestic ${BATCH} --dry-run`,
  [
    `batch ship ids.csv ${GOODS} --chargeable-weight 2 --no-carrier --no-max-price --no-max-days --no-map --no-label --set carrier.id=EXP --dry-run --key-column order`,
    9,
  ],
  [`batch ship-dual legs.jsonl --no-map --no-max-price --no-label --dry-run --key-column order`, 9],
  [`batch ship ids.csv ${GOODS} --rules rules.json --release O-1 --dry-run --key-column order`, 9],
  [`batch ship ids.csv ${GOODS} --carrier EXP --no-rules --dry-run --key-column order`, 9],
  ['batch ship-dual legs.jsonl --rules rules.json --release P-1 --dry-run --key-column order', 9],
  ['batch ship-dual legs.jsonl --no-rules --dry-run --key-column order', 9],
  'batch track ids.csv --no-map --dry-run --key-column order',
  'batch template ship --schema',
  ['batch map ids.csv --out found.json --format csv --encoding windows-1252', 9],
  'history list --state created --since 9d --until 0s --key A --operation ship --search anna --country DE --carrier EXP --limit 2 --unprinted --unlabelled',
  ['history list --before bk_0', 4],
  'history show W --show-secret',
  'history resolve LOST --not-created --reason gone --force',
  'history resolve LOST --reopen',
  'history resolve LOST --same-as A',
  'history resolve LOST --reopen',
  'history resolve LOST --created S-1 --unchecked',
  'history resolve PAIR --created S-2 --domestic S-3 --unchecked',
  'history resolve -f resolved.csv',
  ['history accept A --reason known', 2],
  ['history cancelled A --reason known', 0],
  ['history cancelled A --reopen', 0],
  'history summary --since 9d --until 0s --by month,carrier',
  'history handover --carrier EXP --pdf handover.pdf',
  'history handover --again',
  'history handover --undo 1',
  'history handover --carrier EXP --leave A',
  'history export sent.csv --for csv --since 9d --columns key --map map.json',
  'history export --for csv --again',
  [
    'history reconcile invoice.csv --by Order --price Freight --currency EUR --since 9d --until 0s --carrier EXP --tolerance 0.05 --encoding windows-1252',
    9,
  ],
  ['history reconcile rows.csv --no-header --by 1 --price 2 --currency EUR', 9],
  'history import out.jsonl --done none',
  'history check --new-journal',
  'history check --restored --reason known',
  ['history move postgres://127.0.0.1:1/none --dry-run --new-journal', 10],
  'history prune --older-than 9d',
  `profile add a --base-url https://a.example --sandbox-base-url https://s.example --account 7 ${CREDENTIALS} --token-stdin`,
  'profile add b -f profile.json --token-command token',
  'profile add c --base-url https://c.example --token-url /token --client-header X-Id=@me.key --header X-Key=@me.key',
  `profile set a ${CREDENTIALS} --token-stdin`,
  'profile set b --token-command token --header X-Other=@me.key',
  'profile set c --token-url /token --client-header X-Id=@me.key',
  'profile party add me -f me.json --set address.city=Bonn',
  'profile party edit me --set address.city=Berlin',
  'profile party import parties.csv --map map.json --replace --format csv --encoding windows-1252',
  [
    'emulator --port 0 --host 127.0.0.1 --as-production --data /dev/null/x --token t:shipment:write --speed 9 --latency 1 --fault 500:0.1 --seed 1 --audit audit.json',
    10,
  ],
  'profile set demo rules=rules.json',
  'profile rules demo --try any.json',
  'schema ship --example',
  'schema --openapi',
];

const FILES = {
  'parcel.json': fixture('v1/carriers/proposal/POST/minimal.request.json'),
  'rates.json': fixture('api/v1/shipping/rates/POST/minimal.request.json'),
  'any.json': UNDECIDED,
  'dual.json': DUAL,
  'me.json': SHIPMENT.sender,
  'you.json': SHIPMENT.receiver,
  'legs.json': { international: 'S-1' },
  'hook.json': { url: 'https://a.example', events: ['shipment.status.updated'] },
  'ids.csv': 'order\nO-1\n',
  'legs.jsonl': JSON.stringify({ order: 'P-1', ...DUAL }),
  'map.json': {},
  'resolved.csv': 'id,resolution\n',
  'invoice.csv': 'Order,Freight\nA,1\n',
  'rows.csv': 'A,1\n',
  'profile.json': { baseUrl: 'https://b.example' },
  'parties.csv':
    'name,firstName,lastName,email,phone.code,phone.number,address.line1,address.city,address.zipCode,address.country.code\nanna,Anna,Beispiel,anna@example.com,+49,3023125001,Weg 1,Berlin,10115,DE\n',
  'me.key': 'secret',
  'rules.json': '[{"name":"all","then":{"carrier":"EXP","hold":"look"}}]',
};

interface Typed {
  name: string;
  value: string;
  /** The field of the body that it sets. */
  path: string | undefined;
}

/** The options that a line types, each with the command that has it: `ship --key`. */
function typedIn(program: Command, line: string): Typed[] {
  const words = line.split(' ');
  let command = program;
  const path: string[] = [];
  for (let sub: Command | undefined = program; sub; sub = subOf(command, words[path.length])) {
    if (sub !== program) path.push(sub.name());
    command = sub;
  }
  const own = path.filter(word => word !== 'batch').join(' ');
  const operation = Object.values(OPERATIONS).find(one => commandName(one) === own);
  const fields = operation ? plainFields(operation) : [];
  return words.flatMap((word, index) => {
    const option = command.options.find(({ short, long }) => word === short || word === long);
    if (option === undefined) return [];
    const field = fields.find(({ flag }) => flag === option.flags);
    return { name: [...path, option.long].join(' '), value: words[index + 1] ?? '', path: field?.pattern };
  });
}

const subOf = (command: Command, word: string | undefined): Command | undefined =>
  command.commands.find(one => one.name() === word);

/** The bodies that were sent, or shown by a dry run. */
const bodiesOf = ({ stdout, requests }: Ran, isDry: boolean): unknown[] =>
  isDry
    ? [JSON.parse(stdout).body]
    : requests.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body));

test('every option is typed, and sets its field', async () => {
  const program = await commandTree();
  const commands = await allCommands(program);
  const untyped = new Set(
    commands.flatMap(path => {
      const command = path.reduce((found, name) => subOf(found, name) ?? found, program);
      return command === program ? [] : command.options.map(({ long }) => [...path, long].join(' '));
    }),
  );
  const fault = switchable('reset-after');
  const rig = await createRig({ ...fault, files: FILES });
  fault.turn('on');
  await rig.run('ship -f any.json --carrier EXP --chargeable-weight 5 --key LOST');
  await rig.run('ship-dual -f dual.json --key PAIR');
  fault.turn('off');
  const faults: string[] = [];
  for (const entry of LINES) {
    const [line, exitCode] = typeof entry === 'string' ? [entry, 0] : entry;
    const ran = await rig.run(line, { stdin: 'demo' });
    if (ran.exitCode !== exitCode) faults.push(`${line}: exit ${ran.exitCode}: ${ran.stderr}`);
    const typed = typedIn(program, line);
    for (const { name } of typed) untyped.delete(name);
    const isDry = line.includes('--dry-run');
    if (isDry && line.startsWith('batch')) continue;
    for (const { name, value, path } of typed.filter(one => one.path !== undefined)) {
      const set = bodiesOf(ran, isDry).map(
        body => isRecord(body) && String(getAt(body, parsePath(path ?? '') ?? [])),
      );
      if (!set.includes(value)) faults.push(`${line}: ${name} sets ${set}`);
    }
  }
  expect(faults).toEqual([]);
  expect([...untyped]).toEqual([]);
});
