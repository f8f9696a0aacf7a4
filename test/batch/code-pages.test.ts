// Text that was read in another code page than it was written in.
import { describe, expect, test } from 'vitest';
import { likelyEncoding, misreadWords } from '../../src/batch/code-pages.ts';

const decoded = (bytes: Uint8Array, encoding: string) =>
  new TextDecoder(encoding).decode(bytes, { stream: true });

/** In an encoding of one byte for each sign. */
function encoded(text: string, encoding: string): Uint8Array {
  const signs = decoded(
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
    encoding,
  );
  return Uint8Array.from(text, sign => signs.indexOf(sign));
}

/** The receiver of an order, by the country. */
const NAMES: Readonly<Record<string, readonly [encoding: string, name: string, city: string]>> = {
  DE: ['windows-1252', 'Jürgen Groß', 'München'],
  FR: ['windows-1252', 'Hélène Lefèvre', 'Besançon'],
  ES: ['windows-1252', 'María Núñez', 'A Coruña'],
  DK: ['windows-1252', 'Søren Kjær', 'Ærøskøbing'],
  IS: ['windows-1252', 'Guðrún Þórsdóttir', 'Ísafjörður'],
  IE: ['windows-1252', 'Seán O’Brien', 'Dún Laoghaire'],
  TR: ['windows-1254', 'Işıl Şahin', 'Şişli'],
  PL: ['windows-1250', 'Łukasz Wiśniewski', 'Gdańsk'],
  CZ: ['windows-1250', 'Jiří Dvořák', 'Plzeň'],
  HU: ['windows-1250', 'Győző Fűzi', 'Győr'],
  RU: ['windows-1251', 'Иван Петров', 'Москва'],
  GR: ['windows-1253', 'Νίκος Παπαδόπουλος', 'Αθήνα'],
};

const order = (country: string, name: string, city: string) => ({
  receiver: { lastName: name, address: { city, country: { code: country } } },
});

describe.each(Object.entries(NAMES))('Names of %s', (country, [encoding, name, city]) => {
  test('are no doubt in their own encoding, nor in UTF-8', () => {
    for (const read of [encoding, 'utf-8', 'utf-16le'])
      expect(misreadWords(order(country, name, city), 2, { name: 'a.csv', encoding: read })).toBeUndefined();
  });

  test('name their encoding where a file is not UTF-8', () => {
    // Bytes say no country: these could be names of others.
    if (!['IS', 'CZ', 'HU'].includes(country))
      expect(likelyEncoding(encoded(`${name};${city}`, encoding))).toBe(encoding);
  });

  const mac = encoding === 'windows-1252' && !['IE', 'IS'].includes(country) ? ['macintosh'] : [];
  const own = encoding === 'windows-1252' ? [] : [encoding];
  // In UTF-8 a letter of Czech may be one of Danish.
  const readAs = ['CZ', 'HU'].includes(country) ? ['windows-1252'] : ['windows-1252', 'utf-8'];
  test.each([...mac, ...own].flatMap(is => readAs.map(read => [is, read] as const)))(
    'written in %s and read as %s are told, with the name',
    (is, read) => {
      const misread = (text: string) => decoded(encoded(text, is), 'windows-1252');
      const misreadName = misread(name);
      const record = order(country, misreadName, misread(city));
      const words = misreadWords(record, 2, { name: 'a.csv', encoding: read });
      expect(words).toBe(
        read === 'utf-8'
          ? `a.csv was saved with wrong letters: "${misreadName}" on line 2 is probably "${name}". Export it again, as UTF-8`
          : `a.csv is not windows-1252 text: "${misreadName}" on line 2 is "${name}" with --encoding ${is}`,
      );
    },
  );
});
