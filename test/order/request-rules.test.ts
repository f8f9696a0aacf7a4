// What is said of a request or a command line that is refused. That each field of each operation is checked is in
// test/contract/fixtures.test.ts.
import { describe, expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { DUAL, errorOf, SHIPMENT } from '../rig/service.ts';

/** The faults of a refusal as `path: message (suggestion)`; it was refused before a byte was sent. */
function faultsOf(ran: Ran): string[] {
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  const { code, issues } = errorOf(ran);
  expect(code).toBe('invalid_request');
  return issues.map(
    ({ path, message, suggestion }) => `${path}: ${message}${suggestion ? ` (${suggestion})` : ''}`,
  );
}

async function refused(command: string, body: unknown): Promise<string[]> {
  const rig = await createRig();
  return faultsOf(await rig.run([command, '-f', '-', '--json'], { stdin: JSON.stringify(body) }));
}

describe('A request is refused before anything is sent', () => {
  const cases: [string, string, unknown, string][] = [
    ['type', 'ship', 'letter', 'must be one of package, document, not "letter"'],
    [
      'category',
      'ship',
      'micro-export',
      'must be one of gift, sample, micro export, sales, document, not "micro-export" (micro export)',
    ],
    ['deliveryType', 'ship', 'dap', 'must be one of DAP, DDP, not "dap" (DAP)'],
    ['packages[0].weight', 'ship', -1, 'must not be negative, not -1'],
    ['packages[0].weight', 'ship', '3.2', 'must be a number, not "3.2"'],
    [
      'packages[0].dimensions.width',
      'ship',
      '1,5',
      'must be a number with a dot for its decimals, not "1,5"',
    ],
    ['packages', 'ship', [], 'needs at least one entry'],
    ['customs', 'ship', [], 'must be an object, not []'],
    ['items', 'ship', {}, 'must be a list, not {}'],
    ['sender.address.country.code', 'ship', 'UK', 'must be an ISO country code such as DE, not "UK" (GB)'],
    ['receiver.email', 'ship', 7, 'must be text, not 7'],
    ['receiver.email', 'ship', ' ', 'must not be empty'],
    ['carriers.domestic.id', 'ship-dual', '', 'must not be empty'],
    ['label', 'ship-dual', 'yes', 'must be true or false, not "yes"'],
  ];
  test.each(cases)('if %s of %s is %j', async (path, command, value, words) => {
    const body = command === 'ship' ? SHIPMENT : DUAL;
    expect(await refused(command, changed(body, { [path]: value }))).toEqual([`${path}: ${words}`]);
  });

  test('if a field name is misspelt, with a suggestion', async () => {
    const { receiver, ...rest } = SHIPMENT;
    expect(await refused('ship', { ...rest, reciever: receiver })).toEqual([
      'receiver: is required (--receiver)',
      'reciever: is not a field of the service document (--allow-unknown sends it anyway) (receiver)',
    ]);
    expect(await refused('ship', changed(SHIPMENT, { 'receiver.adress': {} }))).toEqual([
      'receiver.adress: is not a field of the service document (--allow-unknown sends it anyway) (address)',
    ]);
  });

  test('with every missing field named by what gives it', async () => {
    const told = async (command: string) =>
      (await refused(command, {})).map(fault => fault.replace(/.*\((.*)\)$/, '$1'));
    const goods = ['--type', '--category', '--package', '--item', '--total-goods-value', '--currency'];
    expect(await told('ship')).toEqual([...goods, '--sender', '--receiver', '--carrier']);
    expect(await told('ship-dual')).toEqual([
      ...goods,
      '--sender',
      '--receiver',
      '--international',
      '--domestic',
    ]);
    expect(await told('quote')).toEqual(['--from', '--to', '--package']);
    expect(await told('rates')).toEqual(['--package', '--from', '--to']);
    expect(await refused('ship', changed(SHIPMENT, { 'receiver.phone': undefined }))).toEqual([
      'receiver.phone.code: is required (--set receiver.phone.code=VALUE)',
      'receiver.phone.number: is required (--set receiver.phone.number=VALUE)',
    ]);
  });

  test('if a record of a batch lacks a field; no --set for all records is suggested', async () => {
    const rig = await createRig();
    rig.file('orders.jsonl', changed(SHIPMENT, { key: 'A', type: undefined, 'receiver.email': undefined }));
    expect(faultsOf(await rig.run('batch ship orders.jsonl --json'))).toEqual([
      'line 1: type: is required: package or document (--type)',
      'line 1: receiver.email: is required',
    ]);
  });

  test('if a number is not finite', async () => {
    const rig = await createRig();
    const stdin = JSON.stringify(SHIPMENT).replace('"weight":3.2', '"weight":1e999');
    expect(faultsOf(await rig.run('ship -f - --json', { stdin }))).toEqual([
      'packages[0].weight: must be a finite number, not Infinity',
    ]);
  });

  test('if a number is lacking that the country of the receiver needs, with the flag that gives it', async () => {
    const to = (code: string) =>
      changed(SHIPMENT, { 'receiver.address.country.code': code, 'carrier.id': 'ECO' });
    expect(await refused('ship', to('sa'))).toEqual([
      'receiver.address.nationalShortAddress: is required for a receiver in Saudi Arabia, who has to be asked; a file has it in a column of this name (--set receiver.address.nationalShortAddress=VALUE)',
    ]);
    expect(await refused('ship', to('DE'))).toEqual([
      'customs.iossNumber: is required for the economy carrier to an EU country (--ioss-number)',
    ]);
    expect(await refused('ship', to('GB'))).toEqual([
      'customs.marketplaceNumber: is required for the economy carrier to the UK (--marketplace-number)',
    ]);
  });

  test('if a label names no shipment, or a blank one', async () => {
    const rig = await createRig();
    expect(faultsOf(await rig.run('label --json'))).toEqual([
      ': needs at least one shipment id: international, domestic or both (a shipment, --international, --domestic or --key)',
    ]);
    expect(faultsOf(await rig.run(['label', '--international', '', '--json']))).toEqual([
      'international: must not be empty',
    ]);
  });
});

test('--allow-unknown passes a field through, and only that', async () => {
  const rig = await createRig();
  const stdin = JSON.stringify({ ...SHIPMENT, colour: 'red' });
  const ran = await rig.run('ship -f - --allow-unknown --dry-run --json', { stdin });
  expect(JSON.parse(ran.stdout).body).toMatchObject({ colour: 'red' });
  const wrong = JSON.stringify({ ...SHIPMENT, colour: 'red', type: 'letter' });
  expect(faultsOf(await rig.run('ship -f - --allow-unknown --json', { stdin: wrong }))).toHaveLength(1);
});

describe('A wrong command line is exit 2 and nothing is sent', () => {
  test.each([
    ['quote --package 1@1x1x1 --weight 2', '--package and --weight both describe packages'],
    ['quote --weight 2 --height 1', '--length, --width are missing'],
    ['quote --quantity 2', '--weight, --length, --width, --height are missing'],
    ['quote --cheapest --fastest', 'cannot be used with'],
    ['ship --item hsCode', '--item "hsCode" is not of the form'],
    ['ship --item =T-shirt', 'is not of the form NAME=VALUE'],
    ['ship --item quantity=2,description=a,quantity=3', 'gives quantity twice'],
    ['ship --max-days soon', '--max-days'],
    ['ship --download labels', '--download needs --label'],
    ['ship --print', '--print needs --label'],
    ['ship-dual -f dual.json --download labels', '--download needs --label'],
  ])('%s', async (line, words) => {
    const rig = await createRig({ files: { 'dual.json': DUAL } });
    const ran = await rig.run(`${line} --json`);
    expect(errorOf(ran)).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(errorOf(ran).message).toContain(words);
    expect(ran).toMatchObject({ stdout: '', requests: [] });
  });
});

test.each([
  ['quote', '--from UK --to DE --package 2kg', '--package "2kg" is not of the form', 'did you mean GB?'],
  ['ship', '--category sale --package 2kg', '--package "2kg" is not of the form', 'did you mean sales?'],
  ['ship-dual', '--category sale --item T-shirt', '--item "T-shirt" is not of', 'did you mean sales?'],
])(
  '%s %s shows a SPEC that cannot be read together with the other problems',
  async (command, flags, ...told) => {
    const rig = await createRig();
    const { exitCode, stderr } = await rig.run(`${command} ${flags}`);
    expect(exitCode).toBe(2);
    for (const words of told) expect(stderr).toContain(words);
    // What is missing may be just what could not be read.
    expect(stderr).not.toContain('is required');
  },
);
