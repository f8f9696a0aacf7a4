import { isLoopback } from '../text.ts';
import { EU_MEMBERS } from './countries.ts';
import type { Issue, Rule, RuleContext } from './operation.ts';
import { getAt, textAt } from './paths.ts';
import { DOCUMENT_MAX_KG } from './proposals.ts';

// The rules of the service document that concern more than one field. They see bodies of any shape.

const blank = (value: unknown) => typeof value !== 'string' || value.trim() === '';

const receiverCountry = (body: unknown) => textAt(body, 'receiver.address.country.code');

const economy = (body: unknown, { economyCarriers }: RuleContext) =>
  ['carrier.id', 'carriers.international.id'].some(path => {
    const id = textAt(body, path);
    return id !== undefined && economyCarriers.includes(id);
  });

/** A text must be given if `isNeeded`. */
const requiredText = (
  path: string,
  description: string,
  why: string,
  isNeeded: (body: unknown, context: RuleContext) => boolean,
): Rule => ({
  description: `${path} is ${description}.`,
  check: (body, context) =>
    isNeeded(body, context) && blank(getAt(body, path)) ? [{ path, message: `is required ${why}` }] : [],
});

export const nationalShortAddress = requiredText(
  'receiver.address.nationalShortAddress',
  'required if the receiver is in Saudi Arabia (SA)',
  'for a receiver in Saudi Arabia',
  body => receiverCountry(body) === 'SA',
);

export const iossNumber = requiredText(
  'customs.iossNumber',
  'mandatory for the economy carrier to EU countries',
  'for the economy carrier to an EU country',
  (body, context) => economy(body, context) && EU_MEMBERS.has(receiverCountry(body) ?? ''),
);

export const marketplaceNumber = requiredText(
  'customs.marketplaceNumber',
  'mandatory for the economy carrier to the UK (GB)',
  'for the economy carrier to the UK',
  (body, context) => economy(body, context) && receiverCountry(body) === 'GB',
);

export const documents: Rule = {
  description: `With packageType document each package weighs at most ${DOCUMENT_MAX_KG} kg and its quantity is 1.`,
  check: body => {
    const packages = getAt(body, 'packages');
    if (getAt(body, 'packageType') !== 'document' || !Array.isArray(packages)) return [];
    return packages.flatMap((entry, index) => {
      const weight = getAt(entry, 'weight');
      const quantity = getAt(entry, 'quantity');
      const issues: Issue[] = [];
      if (typeof quantity === 'number' && quantity !== 1)
        issues.push({
          path: `packages[${index}].quantity`,
          message: `must be exactly 1 for a document, not ${quantity}`,
        });
      if (typeof weight === 'number' && weight > DOCUMENT_MAX_KG)
        issues.push({
          path: `packages[${index}].weight`,
          message: `must be at most ${DOCUMENT_MAX_KG} kg for a document, not ${weight}`,
        });
      return issues;
    });
  },
};

export const someShipment: Rule = {
  description: 'At least one of international and domestic is given.',
  check: body =>
    getAt(body, 'international') === undefined && getAt(body, 'domestic') === undefined
      ? [{ path: '', message: 'needs at least one shipment id: international, domestic or both' }]
      : [],
};

export const httpsUrl: Rule = {
  description:
    'url is an HTTPS address (plain http only to loopback, and only if the service is on loopback too).',
  check: (body, { serviceOnLoopback }) => {
    const given = textAt(body, 'url');
    if (given === undefined || given.trim() === '') return [];
    const message = 'must be an https: address';
    // The URL parser accepts blanks, line breaks and missing slashes; the service gets the text as it is.
    if (!/^[a-z]+:\/\/\S+$/i.test(given) || !URL.canParse(given))
      return [{ path: 'url', message: `${message}, not ${JSON.stringify(given)}` }];
    const url = new URL(given);
    if (url.protocol === 'https:') return [];
    if (url.protocol === 'http:' && serviceOnLoopback && isLoopback(url.hostname)) return [];
    return [{ path: 'url', message: `${message}, not ${url.protocol}` }];
  },
};
