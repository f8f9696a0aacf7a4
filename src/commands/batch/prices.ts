import { requestJob } from '../../batch/run/job.ts';
import { isBookable, proposalsIn } from '../../order/proposals.ts';
import { NO_FACTS, proposedFacts } from '../../output/told.ts';
import { QUOTE, quoted } from '../quote.ts';
import { RATES } from '../rates.ts';

export const quoteJob = requestJob(QUOTE, {
  requiresKey: false,
  start: (_, options) => ({
    async perform(session, { body, key }) {
      const result = await quoted(session, options, body.value, key);
      const [only, other] = proposalsIn(result);
      // Among several, the one that would be booked is not known.
      const isClear = only && other === undefined && isBookable(only);
      return { result, facts: isClear ? proposedFacts(only.received) : NO_FACTS };
    },
  }),
});

export const ratesJob = requestJob(RATES, {
  requiresKey: false,
  start: () => ({
    perform: async ({ service }, { body, key }) => ({
      result: await service.read(RATES.operation, { body: body.value, key }),
      facts: NO_FACTS,
    }),
  }),
});
