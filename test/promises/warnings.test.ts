// What is probably a mistake, although the service allows it: a warning on stderr, and the order is sent.
import { BOOKED, orderWith } from './orders.ts';
import { each, promises } from './promise.ts';

const SHIP = 'ship order.json';
const COUNTRY = 'receiver.address.country.code';
const ZIP = 'receiver.address.zipCode';

/** The order with these changes is sent, and this is warned of. */
const warned = (says: string, changes: Record<string, unknown>, ...told: (string | RegExp)[]) => ({
  says: `a warning is ${says}`,
  run: SHIP,
  rig: orderWith(changes),
  stderr: [/^warning: /m, ...told],
});

promises('Warnings', [
  ...each({ says: 'are no errors', sent: BOOKED }, [
    warned(
      'text of a receiver that is not Latin',
      { 'receiver.firstName': '東京' },
      /receiver .*not Latin.*firstName/,
    ),
    warned(
      'text of a sender that is not Latin',
      { 'sender.address.city': 'Афина' },
      /sender .*not Latin.*address\.city/,
    ),
    warned(
      'an IOSS number that does not look like one',
      { 'customs.iossNumber': 'IM1' },
      'customs.iossNumber',
      'such as IM0123456789',
    ),
    warned('a postal code that does not look like one', { [ZIP]: '1011' }, ZIP, 'such as 10115'),
    warned('a postal code of another country', { [COUNTRY]: 'NL', [ZIP]: '10115' }, ZIP, 'such as 1011 AB'),
    warned(
      'a phone number that does not look like one',
      { 'receiver.phone.number': '1'.repeat(24) },
      'receiver.phone.number',
      'such as 15123456789',
    ),
    warned(
      'a dialling code that does not look like one',
      { 'receiver.phone.code': 'DE' },
      'receiver.phone.code',
      'such as +49',
    ),
    warned(
      'a Saudi short address that does not look like one',
      { [COUNTRY]: 'SA', [ZIP]: '11564', 'receiver.address.nationalShortAddress': 'Riyadh 1' },
      'receiver.address.nationalShortAddress',
      'such as RRRD2929',
    ),
    warned(
      'a total that is not quantity × unit price',
      { 'items[0].totalPrice': 130, 'customs.totalGoodsValue': 130 },
      'items[0].totalPrice is 130',
      '125',
    ),
    warned(
      'a value of the goods that is not the sum of the items',
      { 'customs.totalGoodsValue': 130 },
      'customs.totalGoodsValue is 130',
      '125',
    ),
    warned(
      'a country of origin that is no code',
      { 'items[0].countryOfOrigin': 'Turkiye' },
      'items[0].countryOfOrigin',
      'did you mean TR?',
    ),
    warned(
      'a country of origin that is none',
      { 'items[0].countryOfOrigin': 'XX' },
      'items[0].countryOfOrigin',
      'such as TR',
    ),
    warned(
      'a currency that has no three letters',
      { 'customs.currency': 'EURO' },
      'customs.currency',
      'such as EUR',
    ),
    warned('a currency of two letters', { 'customs.currency': 'EU' }, 'customs.currency', 'such as EUR'),
    warned(
      'a text that a spreadsheet has mangled',
      { 'items[0].hsCode': '1.2E+11' },
      'items[0].hsCode is "1.2E+11"',
      'spreadsheet',
    ),
    warned(
      'a text with a comma that it has mangled',
      { 'receiver.phone.number': '9,05E+12' },
      '"9,05E+12"',
      'spreadsheet',
    ),
  ]),
  ...each({ says: 'none is told of what is right', lacks: 'warning', sent: BOOKED }, [
    { run: SHIP, rig: orderWith({}) },
    { run: SHIP, rig: orderWith({ 'receiver.lastName': 'İzmir ĞŞØẞ' }) },
    { run: SHIP, rig: orderWith({ 'receiver.lastName': 'O’Neil' }) },
    { run: SHIP, rig: orderWith({ 'customs.iossNumber': 'IM2760000742' }) },
    { run: SHIP, rig: orderWith({ [ZIP]: 'D-10115' }) },
    { run: SHIP, rig: orderWith({ 'receiver.phone.number': '(0)30 / 123-456' }) },
    {
      run: SHIP,
      rig: orderWith({
        [COUNTRY]: 'SA',
        [ZIP]: '11564',
        'receiver.address.nationalShortAddress': 'RRRD2929',
      }),
    },
    {
      run: SHIP,
      rig: orderWith({ 'items[0].unitPrice': 0.1, 'items[0].totalPrice': 1, 'customs.totalGoodsValue': 1 }),
    },
    { run: SHIP, rig: orderWith({ 'items[0].hsCode': '6109.10.00' }) },
  ]),
]);
