// What a program reads of a booking with -o record, and the commands that help, for the profile that was typed.
import { expect, test } from 'vitest';
import { createRig, type Ran } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { cannedService, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);

const result = ({ stdout }: Pick<Ran, 'stdout'>) => JSON.parse(stdout);

/** The objects in the lines about bookings. */
const lines = ({ stderr }: Pick<Ran, 'stderr'>) =>
  stderr.split('\n').flatMap(line => (line.startsWith('{"booking":') ? JSON.parse(line).booking : []));

test('-o record of ship --label is one object, with the label', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f - --key K --label --download out -o record', { stdin });
  const [shipment, label] = lines(ran);
  expect(result(ran)).toEqual({
    ...shipment,
    trackingNumbers: label.trackingNumbers,
    labelFiles: [expect.stringContaining('out/K.pdf')],
  });
  expect(label.trackingNumbers).toEqual([expect.any(String)]);
});

const SHOWN = '`waybill history show bk_\\w+ --profile shop` shows';

test.each([
  ['ship -f -', `${SHOWN} it`],
  ['ship -f - --key B', `${SHOWN} that order`],
  ['ship --like A --key C --dry-run', '`waybill history cancelled bk_\\w+ --profile shop --reason TEXT`'],
  ['history resolve A --created S', SHOWN],
  ['history cancelled LOST --reason no', '`waybill history resolve bk_\\w+ --profile shop` records what'],
])('`%s` names the next command for the profile that was typed', async (argv, words) => {
  const rig = await shopRig();
  const book = (key: string) => rig.run(`ship -f - --profile shop ${key}`, { stdin });
  await book('--key A');
  if (argv === 'ship -f -') await book('--allow-duplicate');
  if (argv.includes('LOST')) {
    const { env } = await cannedService({ '/v1/shipments': { status: 500, body: {} } });
    await rig.run(['profile', 'set', 'shop', `baseUrl=${env.WAYBILL_BASE_URL}`, '--yes']);
    await book('--key LOST');
  }
  expect((await rig.run(`--profile shop ${argv}`, { stdin })).stderr).toMatch(new RegExp(words));
});
