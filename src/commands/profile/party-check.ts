// What is wrong with a party before it is saved.

import { nationalShortAddress, type Rule } from '../../contract/operations.ts';
import type { Issue } from '../../contract/shapes.ts';
import { savedParty } from '../../contract/shipments.ts';
import { completed } from '../../order/build.ts';
import { validate } from '../../order/check.ts';

/** The exit codes of a command that saves parties. */
export const PARTY_EXITS = { invalid_request: 'a party is not valid. Nothing was saved' };

const SHORT_ADDRESS: Rule = {
  ...nationalShortAddress,
  check: (party, context) =>
    nationalShortAddress
      .check({ receiver: party }, context)
      .map(issue => ({ ...issue, path: issue.path.replace(/^receiver\./, '') })),
};

/** A party with its country in upper case, and its phone number as it is dialled. */
export const completeParty = (party: unknown): Promise<unknown> => completed(savedParty, party);

/** What is wrong with a party. Whether it suits a role and a request is checked when it is used. */
export const partyIssues = (party: unknown): Issue[] =>
  validate({ body: savedParty, rules: [SHORT_ADDRESS] }, party, {
    rules: { economyCarriers: [], serviceOnLoopback: false },
    allowUnknown: false,
  });
