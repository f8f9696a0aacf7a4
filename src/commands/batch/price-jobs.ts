import { requestJob } from '../../batch/run/job.ts';
import { isBookable, proposalsIn } from '../../order/proposals.ts';
import { NO_FACTS, proposedFacts } from '../../output/told.ts';
import { QUOTE, requestQuote } from '../quote.ts';
import { RATES } from '../rates.ts';

export const quoteJob = requestJob(QUOTE, {
  requiresKey: false,
  start: (_, options) => ({
    async perform(session, order) {
      const result = await requestQuote(session, options, order.body.value, order.key);
      const [only, other] = proposalsIn(result);
      // Only a single bookable proposal gives facts: of several, nobody knows which one will be booked.
      const isClear = only && other === undefined && isBookable(only);
      return { result, facts: isClear ? proposedFacts(only.received) : NO_FACTS };
    },
  }),
});

export const ratesJob = requestJob(RATES, {
  requiresKey: false,
  start: () => ({
    perform: async (session, order) => ({
      result: await session.service.read(RATES.operation, { body: order.body.value, key: order.key }),
      facts: NO_FACTS,
    }),
  }),
});
