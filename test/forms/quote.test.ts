// quote and rates: they cost nothing, so that they are sent as soon as nothing is missing.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, asked, faultOf, ids, type Script } from '../rig/person.ts';
import { bodyOf, sent } from '../rig/service.ts';

const command = (ran: { stderr: string }): string =>
  /without questions: `waybill (.*)`/.exec(ran.stderr)?.[1] ?? 'nothing';

const QUOTE: Script = {
  packageType: 'package',
  'packages[0].quantity': '2',
  'packages[0].weight': '1.5',
  'packages[0].dimensions.length': '30',
  'packages[0].dimensions.width': '20',
  'packages[0].dimensions.height': '10',
  'packages[+]': 'no',
  originCountry: 'TR',
  destinationCountry: 'DE',
  postalCode: '',
};

const RATES: Script = {
  'data.packages[0].piece': '2',
  'data.packages[0].pieceWeight': '1.5',
  'data.packages[0].lengthCm': '30',
  'data.packages[0].width': '20',
  'data.packages[0].height': '10',
  'data.packages[+]': 'no',
  'data.countryFrom': 'TR',
  'data.countryTo': 'DE',
  'data.postalCode': '',
};

describe.each([
  ['quote', QUOTE, '/v1/carriers/proposal', '--type package '],
  ['rates', RATES, '/api/v1/shipping/rates', ''],
] as const)('%s', (name, answers, path, type) => {
  const all = Object.keys(answers);
  const to = all.at(-2);

  test('asks for everything, and the command it names does the same', async () => {
    const rig = await createRig();
    const dry = await answering(rig, `${name} --dry-run`, answers);
    expect(dry).toMatchObject({ exitCode: 0, requests: [], stdout: expect.stringContaining('"POST"') });
    const ran = await answering(rig, `${name} --json`, answers);
    expect(ran.exitCode).toBe(0);
    expect(ids(ran)).toEqual(all);
    expect(sent(ran)).toEqual([`POST ${path}`]);
    expect(JSON.parse(ran.stdout)).toHaveProperty('proposals');

    const told = await answering(rig, name, answers);
    expect(command(told)).toBe(`${name} ${type}--package 2x1.5kg@30x20x10cm --from TR --to DE`);
    const again = await rig.run(command(told), { terminal: true });
    expect(bodyOf(again)).toEqual(bodyOf(ran));
    expect(again.stdout).toBe(told.stdout);
  });

  test('asks only for what is missing, and the command has everything', async () => {
    const rig = await createRig();
    const parcels = ['--package', '1kg@10x10x10', '--package', '3x2@20x20x20'];
    const ran = await answering(rig, [name, '--from', 'tr', ...parcels, '--postal-code', '01067 A'], answers);
    expect(ids(ran)).toEqual([to]);
    const words =
      command(ran)
        .match(/'[^']*'|\S+/g)
        ?.map(word => word.replaceAll("'", '')) ?? [];
    const again = await rig.run(words);
    expect(bodyOf(again)).toEqual(bodyOf(ran));
  });
});

test('the filters of a quote are part of its command', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'quote --cheapest --service economy', QUOTE);
  expect(ran.exitCode).toBe(0);
  expect(command(ran)).toContain('--cheapest');
  expect(command(ran)).toContain('--service economy');
  expect((await rig.run(command(ran), { terminal: true })).stdout).toBe(ran.stdout);
});

test('documents are quoted as such, within their limits', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'quote', {
    ...QUOTE,
    packageType: 'document',
    'packages[0].quantity': '1',
  });
  const weight = asked(ran, 'packages[0].weight');
  for (const heavy of ['3', '2.6', '2,6'])
    expect(await faultOf(weight, heavy)).toContain('at most 2.5 kg for a document');
  expect(await faultOf(weight, '2,5')).toBeUndefined();
  expect(await faultOf(asked(ran, 'packages[0].quantity'), '2')).toBe(
    'It must be exactly 1 for a document, not 2',
  );
  expect(bodyOf(ran)).toMatchObject({ packageType: 'document' });
});
