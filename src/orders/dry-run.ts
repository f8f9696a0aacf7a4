import type { Operation } from '../contract/operations.ts';
import type { View } from '../output/print.ts';
import { safeJson } from '../output/safe.ts';
import { requireReachable } from '../session/reachable.ts';
import type { Session } from '../session/session.ts';

interface DryRun {
  method: string;
  url: string;
  body: unknown;
  unresolved: readonly string[];
}

/** Shows the request that would be sent. Sends nothing, shows no credential. */
export async function showDryRun(
  session: Session,
  operation: Operation,
  body: unknown,
  unresolved: readonly string[] = [],
): Promise<void> {
  requireReachable(operation, { ...session.target(), credentials: NO_MATTER });
  const request: DryRun = {
    method: operation.method,
    url: session.scope().address + operation.path,
    body,
    unresolved,
  };
  await session.printer.note('dry run: nothing was sent');
  await session.printer.result(request, dryRunView);
}

// A request can be shown without a credential.
const NO_MATTER = { stored: { kind: 'headers', headers: {} }, header: '', scheme: '' } as const;

// JSON for people too: this is what would be sent.
const dryRunView: View<DryRun> = {
  essential: ({ method, url }) => [`${method} ${url}`],
  table: request => safeJson(request, 2),
};
