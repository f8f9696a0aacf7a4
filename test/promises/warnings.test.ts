// What is probably a mistake, although the service allows it: a warning on stderr, and the order is sent.
import { changed } from '../contract/rig.ts';
import { jsonLines, order } from '../rig/batch.ts';
import { BOOKED, orderWith } from './orders.ts';
import { each, promises } from './promise.ts';

const SHIP = 'ship order.json';
const COUNTRY = 'receiver.address.country.code';
const ZIP = 'receiver.address.zipCode';

/** The order with these changes is sent, and the last field of them is warned of, with these words. */
const warned = (what: string, changes: Record<string, unknown>, ...words: (string | RegExp)[]) => ({
  says: `a warning is ${what}`,
  run: SHIP,
  rig: orderWith(changes),
  stderr: [/^warning: /m, Object.keys(changes).at(-1) ?? '', ...words],
});
const SAUDI = (address: string) => ({
  ...{ [COUNTRY]: 'SA', [ZIP]: '11564' },
  'receiver.address.nationalShortAddress': address,
});
const TOTAL = { 'items[0].totalPrice': 130, 'customs.totalGoodsValue': 130 };

const LINE = 'receiver.address.line1';
/** Orders to streets without numbers, and a map that reads phone numbers. */
const STREETS = {
  files: {
    'orders.jsonl': jsonLines(
      ['Hauptstrasse', 'Ringweg', 'Am Bach', 'Lindenallee', 'Weg 1'].map((line, index) =>
        changed(order(`A-${index + 1}`), { [LINE]: line }),
      ),
    ),
    'phones.jsonl': jsonLines([
      { ...(changed(order('A-1'), { 'receiver.phone': undefined }) as object), Phone: '4915123456789' },
    ]),
    'phones.json': { columns: { Phone: 'receiver.phone' }, transform: { Phone: 'phone' } },
  },
};

promises('Warnings', [
  ...each({ says: 'of an address and a parcel are told before money is spent', sent: BOOKED }, [
    warned('a street without a house number', { [LINE]: 'Hauptstrasse' }, 'has no house number'),
    warned(
      'a line that labels cut',
      { [LINE]: `Industriestrasse 12, Halle 4, Tor 17b` },
      'that labels print',
    ),
    warned(
      'a receiver in the USA without a state',
      { [COUNTRY]: 'US', [ZIP]: '78701', [LINE]: '5 Main St', 'receiver.address.city': 'Austin' },
      'such as Austin, TX',
    ),
    warned(
      'a phone number with its code',
      { 'receiver.phone.number': '4915123456789' },
      'is sent without it',
    ),
    {
      ...warned(
        'a parcel that is too heavy',
        { chargeableWeight: 85, 'packages[0].weight': 85 },
        'up to 30 kg',
      ),
      run: `${SHIP} --dry-run`,
      sent: [],
    },
    warned('a parcel that is too long', { 'packages[0].dimensions.length': 300 }, 'up to 150 cm'),
  ]),
  {
    says: 'that many records have are one line, with two of them',
    rig: STREETS,
    run: 'batch ship orders.jsonl --dry-run',
    stderr:
      /^warning: 4 records \(lines 1, 2, 3 and 4\), such as A-1 "Hauptstrasse" and A-2 "Ringweg": receiver\.address\.line1 has no house number/m,
    sent: [],
  },
  {
    says: 'are told of a phone number whose code a map takes off',
    rig: STREETS,
    run: 'batch ship phones.jsonl --map ./phones.json --dry-run',
    stderr:
      'warning: line 1, A-1, "4915123456789": receiver.phone.number begins with 49, the code of its country',
    sent: [],
  },
  ...each({ says: 'are no errors', sent: BOOKED }, [
    {
      ...warned('text of a receiver that is not Latin', { 'receiver.firstName': '東京' }),
      stderr: /^warning: receiver .*not Latin.*firstName/m,
    },
    {
      ...warned('text of a sender that is not Latin', { 'sender.address.city': 'Афина' }),
      stderr: /^warning: sender .*not Latin.*address\.city/m,
    },
    warned('an odd IOSS number', { 'customs.iossNumber': 'IM1' }, 'such as IM0123456789'),
    warned('an odd postal code', { [ZIP]: '1011' }, 'such as 10115'),
    warned('a postal code of another country', { [COUNTRY]: 'NL', [ZIP]: '10115' }, 'such as 1011 AB'),
    warned('an odd phone number', { 'receiver.phone.number': '1'.repeat(24) }, 'such as 15123456789'),
    warned('an odd dialling code', { 'receiver.phone.code': 'DE' }, 'such as +49'),
    warned('an odd Saudi short address', SAUDI('Riyadh 1'), 'such as RRRD2929'),
    {
      ...warned('a total that is not quantity × unit price', TOTAL),
      stderr: [/^warning: /m, 'items[0].totalPrice is 130', '125'],
    },
    warned('a value that is not the sum of the items', { 'customs.totalGoodsValue': 130 }, 'is 130', '125'),
    warned('a name as the origin', { 'items[0].countryOfOrigin': 'Turkiye' }, 'did you mean TR?'),
    warned('an origin that is no country', { 'items[0].countryOfOrigin': 'XX' }, 'such as TR'),
    warned('a currency of four letters', { 'customs.currency': 'EURO' }, 'such as EUR'),
    warned('a currency of two letters', { 'customs.currency': 'EU' }, 'such as EUR'),
    warned('what a spreadsheet mangled', { 'items[0].hsCode': '1.2E+11' }, 'is "1.2E+11"', 'spreadsheet'),
    warned('that with a comma', { 'receiver.phone.number': '9,05E+12' }, '"9,05E+12"', 'spreadsheet'),
  ]),
  ...each(
    { says: 'none is told of what is right', run: SHIP, lacks: 'warning', sent: BOOKED },
    [
      {},
      { 'receiver.lastName': 'İzmir ĞŞØẞ' },
      { 'receiver.lastName': 'O’Neil' },
      { 'customs.iossNumber': 'IM2760000742' },
      { [ZIP]: 'D-10115' },
      { 'receiver.phone.number': '(0)30 / 123-456' },
      SAUDI('RRRD2929'),
      { 'items[0].unitPrice': 0.1, 'items[0].totalPrice': 1, 'customs.totalGoodsValue': 1 },
      { 'items[0].hsCode': '6109.10.00' },
    ].map(changes => ({ rig: orderWith(changes) })),
  ),
]);
