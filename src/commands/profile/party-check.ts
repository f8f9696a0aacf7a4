// What is wrong with a party before it is saved.
import type { Issue, Rule } from '../../contract/operation.ts';
import { savedParty } from '../../contract/parties.ts';
import { nationalShortAddress } from '../../contract/rules.ts';
import { validate } from '../../order/check.ts';
import { complete } from '../../order/complete.ts';

const SHORT_ADDRESS: Rule = {
  ...nationalShortAddress,
  check: (party, context) =>
    nationalShortAddress
      .check({ receiver: party }, context)
      .map(issue => ({ ...issue, path: issue.path.replace(/^receiver\./, '') })),
};

/** Its country in upper case. */
export const completeParty = (party: unknown): unknown => complete(savedParty, party);

/** Whether it suits a role and a request is checked when it is used. */
export const partyIssues = (party: unknown): Issue[] =>
  validate({ body: savedParty, rules: [SHORT_ADDRESS] }, party, {
    rules: { economyCarriers: [], serviceOnLoopback: false },
    allowUnknown: false,
  });
