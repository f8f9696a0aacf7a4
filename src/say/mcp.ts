// What is said by the server of the Model Context Protocol: to its client, to an agent, and to a person whom the client asks.
import { type BookedBefore, sameOrderWords } from './booked.ts';
import { forOperation, type OfOperation } from './order.ts';
import { flag, pattern, type Saying, say, stranger } from './sentence.ts';

/** Why an agent books nothing in production. */
export type WhyNoProduction =
  | { because: 'not-started-for-it' | 'terminal' }
  /** `profile`: the profile that has the address; missing if the environment has it, where variables set the limits. */
  | { because: 'no-limits'; missing: readonly Limit[]; profile?: string | undefined };

/** A limit without which agents book nothing in production. */
type Limit = 'maxPrice' | 'maxPerDay';

const VARIABLES: Readonly<Record<Limit, string>> = {
  maxPrice: 'WAYBILL_POLICY_MAX_PRICE',
  maxPerDay: 'WAYBILL_POLICY_MAX_PER_DAY',
};

function whyNoProduction(why: WhyNoProduction) {
  switch (why.because) {
    case 'not-started-for-it':
      return say`this server books there only if a person has started it for that; one that was started for the sandbox books there`;
    case 'terminal':
      return say`the profile says policy.production=terminal: only a person at a terminal books there`;
    case 'no-limits': {
      const { missing, profile } = why;
      const settings = missing.map(name => `policy.${name}`);
      const names = settings.join(' and ');
      const set = settings.map(name => `${name}=AMOUNT`).join(' ');
      const cure =
        profile === undefined
          ? say`starts this server with ${missing.map(name => `${VARIABLES[name]}=AMOUNT`).join(' and ')}, because its address comes from the environment`
          : say`sets ${names} of the profile ${profile}, with ${pattern(`waybill profile set ${profile} ${set}`)}`;
      return say`an agent books there only within limits (${names}): a person ${cure}`;
    }
  }
}

export const MCP = {
  /** `isClosed`: the place is production, and the server was started without `--production`. */
  'agents-served': (server: { place: string; isSandbox: boolean; isClosed: boolean }): Saying => ({
    what: say`the Model Context Protocol is on stdin and stdout; bookings go to ${server.place}${server.isSandbox ? ' (sandbox)' : ''}${server.isClosed ? say`, which is production: without ${flag('--production')} nothing is booked` : ''}`,
  }),
  'client-disagrees': (notice: { why: string }): Saying => ({
    what: say`the client and this command do not agree: ${notice.why}`,
  }),
  'arguments-invalid': (notice: { tool: string }): Saying => ({
    what: say`${notice.tool}: the arguments are not valid`,
  }),
  'plan-of-no-server': (plan: OfOperation & { hash: string }): Saying => ({
    what: forOperation(plan, say`${stranger(plan.hash)} is the hash of no plan that this server made`),
    toDo: say`Call plan with the key of the order: what is booked is shown, and of all else the hash. Plans end with their server`,
  }),
  /** `beside`: the names of arguments that were given beside the plan. */
  'plan-with-order': (plan: OfOperation & { beside: readonly string[] }): Saying => ({
    what: forOperation(plan, say`a plan takes no ${plan.beside.join(', ')}`),
  }),
  'order-without-key-or-request': (order: OfOperation): Saying => ({
    what: forOperation(order, say`an order needs key and request; or give plan, the hash of a plan`),
  }),
  'ref-with-filter': (notice: { beside: readonly string[] }): Saying => ({
    what: say`history: ref is one order, which is shown without ${notice.beside.join(', ')}`,
  }),
  'since-unreadable': (notice: { since: string; rule: string }): Saying => ({
    what: say`history: since is ${stranger(notice.since)}`,
    toDo: say`${notice.rule}`,
  }),
  'no-production-for-agents': (notice: OfOperation & { place: string } & WhyNoProduction): Saying => ({
    what: forOperation(notice, say`${notice.place} is production, and ${whyNoProduction(notice)}`),
  }),

  // Questions to a person.
  'person-said-no': (order: OfOperation): Saying => ({
    what: forOperation(order, say`a person was asked, and the answer was not yes`),
    toDo: say`Do not ask again by yourself`,
  }),
  'nobody-asked': (order: OfOperation): Saying => ({
    what: forOperation(order, say`the order may be booked by now, and nobody was asked`),
    toDo: say`Call ship again: then a person is asked`,
  }),
  'answer-of-other-call': (): Saying => ({
    what: say`what a person said holds for one call with its arguments, once, and this call was not asked about`,
    toDo: say`Make the call again without an answer`,
  }),

  'label-not-in-journal': (notice: { booking: string }): Saying => ({
    what: say`the journal has no label of booking ${stranger(notice.booking)} here`,
  }),
  'label-without-link': (notice: { booking: string }): Saying => ({
    what: say`the service gave no link to the label of booking ${notice.booking}`,
  }),
  'label-lies-at': (notice: { order: string; where: string }): Saying => ({
    what: say`label of ${notice.order}: ${notice.where}`,
  }),
};

// What is wrong with arguments: words that stand behind the path of an argument.

export const REQUIRED = 'is required';

export const unknownArgumentWords = (tool: string, names: readonly string[]): string =>
  `is not an argument of ${tool}, which takes ${names.join(', ')}`;

export const otherUnitWords = (unit: unknown): string => `is ${stranger(unit)}, and a quote is in cm`;

/** The question to a person. `order`: the order in words. `twin`: an earlier booking of the same order under another key. */
export const bookingQuestion = (order: string, twin: BookedBefore | undefined): string =>
  twin ? `Book this once more? ${order}; ${sameOrderWords(twin)}` : `Book this? ${order}`;

// Messages from the client that are no frames of the protocol.

export type FrameFault =
  | { fault: 'too-long'; most: number }
  | { fault: 'no-json'; why: string }
  | { fault: 'no-message' | 'input-ended' }
  | { fault: 'id-taken'; id: string | number };

export function frameFaultWords(fault: FrameFault): string {
  switch (fault.fault) {
    case 'too-long':
      return `the frame is not JSON: it has more than ${fault.most} characters`;
    case 'no-json':
      return `the frame is not JSON: ${fault.why}`;
    case 'no-message':
      return 'the frame is no message of JSON-RPC 2.0';
    case 'id-taken':
      return `the id ${JSON.stringify(fault.id)} is that of a request that has no answer yet`;
    case 'input-ended':
      return 'the input has ended';
  }
}
