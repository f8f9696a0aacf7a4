import type { Wing } from '../wing.ts';

/** The part of waybill that serves tools to agents. */
export const agents: Wing = {
  commands: {
    mcp: {
      group: 'Set up and try',
      summary: 'tools for agents, over the Model Context Protocol',
      load: () => import('./mcp.ts'),
    },
  },
};
