// What `ship` and `ship-dual` do for a record of a batch.

import type { OwnOptions } from '../../batch/input-types.ts';
import { TEXT, WHOLE_NUMBER, YES_OR_NO } from '../../batch/record-options.ts';
import { deskOf, placedResult, requestJob } from '../../batch/run/job.ts';
import { recordedResult } from '../../batch/run/result-line.ts';
import { answerOf } from '../../booking/answer.ts';
import { needsAcceptance } from '../../booking/standing.ts';
import { boundIn } from '../../contract/read.ts';
import { finishRecord } from '../../labels/finish.ts';
import { labelBefore } from '../../labels/make.ts';
import { proposalFor } from '../../order/carrier.ts';
import { targetFlags, wantsFiles } from '../../order/options.ts';
import { proposedFacts } from '../../output/told.ts';
import { bookAndLabel, SHIP, withLabel } from '../ship.ts';
import { bookPair, SHIP_DUAL } from '../ship-dual.ts';

export const shipJob = requestJob(SHIP, {
  requiresKey: true,
  hasEstimate: true,
  bounds: ['maxPrice', 'maxDays', 'rules', 'release'],
  recordOptions: {
    carrier: {
      description: 'carrier id, or cheapest or fastest of the proposals that can be booked',
      path: 'carrier.id',
    },
    service: { description: 'only a proposal of this service type', ...TEXT },
    maxPrice: {
      description: 'no proposal above this',
      allowed: 'an amount above 0 with a currency such as 20EUR',
      parse: boundIn,
    },
    maxDays: { description: 'no proposal that may take more days', ...WHOLE_NUMBER },
    label: { description: 'make the label right after the shipment', ...YES_OR_NO },
  },
  start: (_, options) => {
    const isLabelled = (recordOptions: OwnOptions = {}): boolean =>
      Boolean(recordOptions.label ?? options.label);
    return {
      hasFollowUp: isLabelled,
      async perform(session, order, files) {
        const desk = deskOf(session);
        const { booking, failure, label } = await bookAndLabel(order, files, desk);
        const finished =
          failure || !label ? { failure } : await finishRecord(SHIP.operation, files, label, desk);
        return {
          ...placedResult({ booking }, label),
          result: withLabel(answerOf(booking).body, label?.body),
          isUnlabelled: label?.failure !== undefined,
          ...finished,
        };
      },
      async recorded(run, _order, booking) {
        if (booking?.state !== 'created') return undefined;
        // A booking gets no label before its price is accepted.
        const label = needsAcceptance(booking)
          ? { labels: {} }
          : run.desk && (await labelBefore(booking, run.desk));
        if (label === undefined) return undefined;
        const { labels, failure } = label;
        const known = recordedResult(booking, targetFlags({ globals: run.globals }), labels);
        return failure ? { ...known, failure, isUnlabelled: true } : known;
      },
      async estimate(session, order) {
        const { received, isPriced } = await proposalFor(order, session);
        const facts = proposedFacts(received);
        return { result: received, facts: isPriced ? facts : { ...facts, price: null } };
      },
    };
  },
});

export const pairJob = requestJob(SHIP_DUAL, {
  requiresKey: true,
  bounds: ['maxPrice', 'rules', 'release'],
  recordOptions: {
    maxPrice: {
      description: 'what both legs may cost together',
      allowed: 'an amount above 0 with a currency such as 40EUR',
      parse: boundIn,
    },
  },
  start: (_, options) => ({
    // The labels of a pair come with the booking, but may still have to be saved.
    hasFollowUp: () => wantsFiles(options),
    async perform(session, order, files) {
      const desk = deskOf(session);
      const { booking, labels } = await bookPair(order, files, desk);
      return {
        ...placedResult({ booking }, labels),
        result: labels.body,
        isUnlabelled: labels.failure?.code === 'outcome_unknown',
        ...(await finishRecord(SHIP_DUAL.operation, files, labels, desk)),
      };
    },
    recorded: async (session, _, booking) =>
      booking?.state === 'created' ? recordedResult(booking, targetFlags(session)) : undefined,
  }),
});
