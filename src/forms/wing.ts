import type { Wing } from '../wing.ts';

/** The part of waybill that asks questions on a terminal, for the commands. */
export const forms: Wing = {
  forms: {
    request: async () => (await import('./request.ts')).askForRequest,
    outcome: async () => (await import('./outcome.ts')).askOutcome,
    party: async () => (await import('./party.ts')).askForParty,
    labels: () => import('./label.ts'),
  },
};
