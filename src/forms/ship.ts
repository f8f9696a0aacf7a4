// The forms of `ship` and `ship-dual`.

import { bodyOf } from '../contract/operation.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { RequestParts } from '../order/build.ts';
import type { Bounds } from '../order/order.ts';
import { priceWords, proposedWeight } from '../order/proposals.ts';
import { shipmentPackage } from '../order/specs.ts';
import { isRequired } from '../prompts/question.ts';
import { placeOf } from '../session/address.ts';
import type { Session } from '../session/session.ts';
import { carrierAt } from './carrier.ts';
import { doubtsIn } from './doubts.ts';
import type { CustomQuestion, Form, ReviewLine } from './engine/form.ts';
import type { MakeForm } from './run.ts';
import { savedPackageQuestion, savedPartyQuestion } from './saved-questions.ts';
import { SHIPMENT, SHIPMENT_GROUPS } from './shipment-fields.ts';
import { route, shipmentLines } from './words.ts';

/** What the forms of all shipments share; `carrier` is what they ask and show about the carrier. */
function shipmentForm(
  session: Session,
  { operation }: RequestParts,
  start: unknown,
  carrier: {
    questions: Form['customQuestions'];
    review(
      body: unknown,
    ): Promise<{ lines: ReviewLine[]; price?: string | undefined; warnings?: readonly string[] | undefined }>;
  },
): Form {
  const schema = bodyOf(operation);
  return {
    schema,
    fields: SHIPMENT,
    groupNames: SHIPMENT_GROUPS,
    // A person who lists the goods in a file or a flag relies on what is assumed.
    alwaysAsk: ['items[].totalPrice', ...(getAt(start, ['items']) === undefined ? ['deliveryType'] : [])],
    customQuestions: {
      ...Object.fromEntries(PARTIES.map(role => [role, savedPartyQuestion(session, schema, role)])),
      'packages[]': savedPackageQuestion(session, shipmentPackage),
      ...carrier.questions,
    },
    async review(body) {
      const { lines, price, warnings = [] } = await carrier.review(body);
      return {
        summary: [route(body), `${price ?? 'price not known'}, charged to ${placeOf(session.target())}`],
        warnings: [...doubtsIn(schema, body), ...warnings],
        lines: [...shipmentLines(schema, body), ...lines],
        submitLabel: `Book it${price === undefined ? '' : ` for ${price}`}`,
      };
    },
  };
}

/** `ship`: the carrier is one of the proposals, within the bounds of the flags. A dry run sends nothing: it has none. */
export const shipForm =
  (bounds: Bounds): MakeForm =>
  (session, parts, start) => {
    const isDry = parts.dryRun;
    const path = 'carrier.id';
    const carrier = carrierAt(session, parts, path, bounds);
    const form = shipmentForm(session, parts, start, {
      questions: {
        [path]: async (_, body) => (isDry ? TYPED_CARRIER : carrier.question(body)),
      },
      async review(body) {
        const { line, proposal, warnings } = isDry
          ? { line: { label: 'Carrier', path } }
          : await carrier.line(body);
        const weight = getAt(body, ['chargeableWeight']);
        const proposed = proposedWeight(carrier.cached(body));
        const fromProposals = proposed === undefined ? '' : `${proposed} kg, from the proposals`;
        const text = weight === undefined ? fromProposals : `${weight} kg`;
        return {
          price: proposal && priceWords(proposal),
          warnings,
          lines: [line, { label: 'Chargeable', path: 'chargeableWeight', text }],
        };
      },
    });
    const resolve = isDry ? undefined : carrier.resolve;
    return { ...form, suppliedLater: parts.unresolved, resolve, proposals: carrier.cached };
  };

const TYPED_CARRIER: CustomQuestion = {
  question: {
    kind: 'text',
    id: 'carrier.id',
    message: 'Carrier id, cheapest or fastest',
    hint: 'A dry run asks for no proposals.',
    defaultAnswer: 'cheapest',
    check: isRequired,
  },
  parse: answer => answer.trim(),
};

/** `ship-dual`: there are proposals for the international leg only, and no price of both. */
export const dualForm: MakeForm = (session, parts, start) => {
  const path = 'carriers.international.id';
  const carrier = carrierAt(session, parts, path);
  return shipmentForm(session, parts, start, {
    questions: parts.dryRun ? {} : { [path]: async (_, body) => carrier.question(body) },
    review: async body => {
      const problem = textAt(body, path) === undefined ? 'not chosen yet' : undefined;
      const text = getAt(body, ['label']) === true ? 'made in the same call' : 'not now';
      return {
        lines: [
          { label: 'International', path, problem },
          { label: 'Domestic', path: 'carriers.domestic.id' },
          { label: 'Labels', path: 'label', text },
        ],
      };
    },
  });
};
