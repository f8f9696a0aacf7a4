// What is probably a mistake, although the service allows it: a warning on stderr, and the order is sent.
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

promises('Warnings', [
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
