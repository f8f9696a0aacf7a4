import type { Wing } from '../wing.ts';

/** The questions of commands, on a terminal. */
export const forms: Wing = {
  forms: {
    request: async () => (await import('./request.ts')).askForRequest,
    outcome: async () => (await import('./outcome.ts')).askOutcome,
    party: async () => (await import('./party.ts')).askForParty,
    labels: () => import('./label.ts'),
  },
};
