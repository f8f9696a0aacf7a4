import { requestJob } from '../../batch/run/job.ts';
import { offersIn } from '../../order/carrier.ts';
import { NO_FACTS, proposedFacts } from '../../output/told.ts';
import { askingOf } from '../means.ts';
import { QUOTE, quoted } from '../quote.ts';
import { RATES } from '../rates.ts';

export const quoteJob = requestJob(QUOTE, {
  requiresKey: false,
  start: (_, options) => ({
    async perform(desk, { body, key }) {
      const result = await quoted(askingOf(desk), options, body.value, key);
      const [only, other] = offersIn(result);
      // Among several, the one that would be booked is not known.
      return { result, facts: proposedFacts(other === undefined ? only : undefined) };
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
