// How packages, items, parties and lengths of time are written.
import { expect } from 'vitest';
import { createRig } from '../rig/command.ts';
import { bookingAt, fill, labelAt } from '../rig/journal.ts';
import { shopRig } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { FILES } from './orders.ts';
import { each, promises } from './promise.ts';

const quote = (spec: string) => ['quote', '--from', 'TR', '--to', 'DE', '--package', spec, '--dry-run'];
const dimensions = { length: 30, width: 20, height: 10 };

promises('A package', [
  {
    says: 'is pieces x weight each @ length x width x height',
    run: quote('2x1.5kg@30x20x10cm'),
    json: { body: { packages: [{ quantity: 2, weight: 1.5, dimensions }] } },
  },
  ...each(
    {
      says: 'pieces, kg and cm may be left out',
      json: { body: { packages: [{ quantity: 1, weight: 1.5, dimensions }] } },
    },
    ['1.5kg@30x20x10cm', '1x1.5@30x20x10cm', '1x1.5kg@30x20x10', '1.5@30x20x10'].map(spec => ({
      run: quote(spec),
    })),
  ),
  ...each(
    { says: 'any other form is refused, with one that is right', exit: 2, stderr: '1.5kg@30x20x10cm' },
    ['2kg', '1.5kg@30x20', 'heavy@30x20x10', '1.5lb@30x20x10in'].map(spec => ({ run: quote(spec) })),
  ),
  { says: 'decimals have a dot', run: quote('1,5kg@30x20x10cm'), exit: 2, stderr: 'dot' },
  {
    says: 'may have blanks and large letters',
    run: quote(' 3 X .5 KG @ 30 x 20.5 x 10 CM '),
    json: { body: { packages: [{ quantity: 3, weight: 0.5, dimensions: { ...dimensions, width: 20.5 } }] } },
  },
]);

const item = (spec: string) => ['ship', 'order.json', '--dry-run', '--item', spec];
const TEA = 'description=Tea,hsCode=090210,countryOfOrigin=TR,quantity=2,unitPrice=12.5';

promises('An item', [
  {
    says: 'is its fields, and the total is quantity × unitPrice where it is left out',
    rig: { files: FILES },
    run: item(TEA),
    json: {
      body: {
        items: [
          {
            description: 'Tea',
            hsCode: '090210',
            countryOfOrigin: 'TR',
            quantity: 2,
            unitPrice: 12.5,
            totalPrice: 25,
          },
        ],
      },
    },
  },
  {
    says: 'a total that is given stays',
    rig: { files: FILES },
    run: item(`${TEA},totalPrice=24`),
    json: { body: { items: [{ totalPrice: 24 }] } },
  },
  {
    says: 'a text may have commas',
    rig: { files: FILES },
    run: item(TEA.replace('Tea', 'Tea, green, 100 g')),
    json: { body: { items: [{ description: 'Tea, green, 100 g' }] } },
  },
  ...each({ says: 'any other form is refused', rig: { files: FILES }, exit: 2 }, [
    { run: item('Tea') },
    { run: item('=Tea') },
    { run: item(`${TEA},quantity=3`) },
  ]),
]);

const saved = async () => {
  const rig = await shopRig({ parties: { me: SHIPMENT.sender }, parcels: { small: '1kg@30x20x10cm' } });
  for (const [name, content] of Object.entries(FILES)) rig.file(name, content);
  return rig;
};

promises('A party', [
  ...each({ rig: saved }, [
    ...each(
      { says: 'is a JSON file, or a saved one by its name', json: { body: { invoice: SHIPMENT.sender } } },
      ['ship order.json --dry-run --invoice me.json', 'ship order.json --dry-run --invoice @me'],
    ),
    ...each({ says: 'that there is not is refused', exit: 2, sent: [] }, [
      'ship order.json --sender nobody.json',
      'ship order.json --sender @nobody',
    ]),
    {
      says: 'a saved name that is not known is named with those that are',
      run: 'ship order.json --sender @mee',
      exit: 2,
      stderr: 'did you mean me?',
    },
  ]),
]);

/** Waits of track, which looks once more when its time is over. */
const waits =
  (...all: number[]) =>
  ({ waits: seen }: { waits: number[] }) =>
    expect(seen).toEqual(all.map(seconds => seconds * 1000));

const WATCHED = { rig: { files: FILES }, after: ['ship order.json --key A-1'], exit: 9 };

promises('A length of time', [
  ...each({ says: 'is seconds, minutes, hours or days', ...WATCHED }, [
    { run: 'track A-1 --max-wait 90 --interval 90', also: waits(90) },
    { run: 'track A-1 --max-wait 90s --interval 90', also: waits(90) },
    { run: 'track A-1 --max-wait 5m --interval 5m', also: waits(300) },
    { run: 'track A-1 --max-wait 2h --interval 2h', also: waits(7200) },
    { run: 'track A-1 --max-wait 1d --interval 1d', also: waits(86_400) },
    { run: 'track A-1 --max-wait 90 --interval 1m', also: waits(60, 30) },
  ]),
  ...each({ says: 'anything else is refused', exit: 2, sent: [] }, [
    'track A-1 --max-wait soon',
    'track A-1 --max-wait 5x',
    'track A-1 --max-wait 0',
    'track A-1 --watch --interval 0',
    'track --active --stale never',
    'quote --from TR --to DE --package 1@1x1x1 --timeout 5x',
  ]),
]);

const DAY = 86_400_000;

/** Orders K-1 to K-3 of a week ago, yesterday and today, with labels that nobody printed. */
async function days() {
  const rig = await createRig();
  const at = (days: number) => ({ at: rig.clock.now - days * DAY, settledAt: rig.clock.now - days * DAY });
  await fill(
    rig,
    'state',
    [7, 1, 0].flatMap((ago, index) => [
      bookingAt(rig, index + 1, at(ago)),
      labelAt(rig, index + 11, index + 1, at(ago)),
    ]),
  );
  return rig;
}

const LIST = 'history list --query [].key -o text --since';

promises('Since', [
  ...each({ says: 'is today, yesterday, a date or a length of time', rig: days }, [
    { run: `${LIST} today`, stdout: /^K-3\n$/ },
    { run: `${LIST} yesterday`, stdout: /^K-3\tK-2\n$/ },
    { run: `${LIST} 2026-03-01`, stdout: /^K-3\tK-2\n$/ },
    { run: `${LIST} 36h`, stdout: /^K-3\tK-2\n$/ },
    { run: `${LIST} 8d`, stdout: /^K-3\tK-2\tK-1\n$/ },
    { run: 'label --unprinted -q --since today', stdout: /^K-3\n$/ },
    { run: 'label --unprinted -q --since yesterday', stdout: /^K-2\nK-3\n$/ },
  ]),
  ...each({ says: 'a date that is none is refused', exit: 2, sent: [] }, [
    `${LIST} 2026-02-30`,
    `${LIST} 2026-13-01`,
    `${LIST} 2026-00-10`,
    `${LIST} 2026-02-00`,
    `${LIST} tomorrow`,
    `${LIST} soon`,
    'label --unprinted --since 2026-02-30',
    'track --active --since 2026-02-30',
  ]),
]);
