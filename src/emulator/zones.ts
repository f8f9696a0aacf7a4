// The service document shows no prices, so these zones are made up, for a sender in Turkey.

interface Zone {
  name: string;
  /** What a shipment into it costs, in percent of one to Germany. */
  percent: number;
  /** Of the receiver. */
  countries: readonly string[];
}

const zone = (name: string, percent: number, countries: string): Zone => ({
  ...{ name, percent, countries: countries.split(' ') },
});

export const ZONES: readonly Zone[] = [
  zone('near Turkey', 80, 'AL AM AZ BA BG CY GE GR IQ MD ME MK RO RS SY UA XK'),
  zone(
    'Europe',
    100,
    'AD AT AX BE BY CH CZ DE DK EE ES FI FO FR GB GG GI HR HU IE IM IS IT JE LI LT LU LV MC MT NL NO PL PT RU SE SI SJ SK SM TR VA',
  ),
  zone(
    'Middle East, North Africa, Central Asia',
    130,
    'AE BH DZ EG EH IL IR JO KG KW KZ LB LY MA OM PS QA SA TJ TM TN UZ YE',
  ),
  zone('North America, Asia', 160, 'BD CA CN HK ID IN JP KR LK MO MX MY PH PK PR SG TH TW US VN'),
];

export const FAR: Zone = { name: 'all others', percent: 200, countries: [] };

export const zoneOf = (country: string): Zone =>
  ZONES.find(({ countries }) => countries.includes(country)) ?? FAR;
