// The client of a session: each call with its own credential, and what people have to know of it.
import type { Operation } from '../contract/operations.ts';
import type { Host } from '../host.ts';
import { type Client, type ClientSettings, createClient } from '../http/client.ts';
import type { Credentials } from '../http/credentials.ts';
import type { Transport } from '../http/transport.ts';
import type { Diagnostics } from '../output/diagnostics.ts';
import { describeCredentials } from '../profile/mask.ts';
import type { Target } from '../profile/target.ts';

export interface CallSettings extends Omit<ClientSettings, 'credentials'> {
  target: Target;
  transport: Transport;
  printer: Diagnostics;
  credentialOfCall: (() => Credentials) | undefined;
  /** Is it the only call under way? */
  alone: boolean;
  /** What was told in this session already. */
  told: Set<string>;
}

export function sessionClient(settings: CallSettings, host: Host): Client {
  const { target, transport, printer, credentialOfCall, alone, told, ...rest } = settings;
  const tellOnce = async (words: string | undefined) => {
    if (words === undefined || told.has(words)) return;
    told.add(words);
    await printer.note(words);
  };
  return {
    async call(operation, input) {
      const credentials = credentialOfCall?.();
      const client = createClient(transport, { ...rest, ...(credentials && { credentials }) }, host);
      // Whoever presses Ctrl-C has to know why nothing happens, and what a second one does.
      const tell = () =>
        void printer.note(
          `${operation.command}: stopping as soon as its outcome is known; a second signal leaves it unknown`,
        );
      if (operation.books && alone) host.interrupted.addEventListener('abort', tell);
      try {
        const exchange = await client.call(operation, input);
        if (exchange.kind === 'answer') {
          await tellOnce(markOf(target));
          await tellOnce(refusalWords(exchange.status, operation, target));
        }
        return exchange;
      } finally {
        host.interrupted.removeEventListener('abort', tell);
      }
    },
  };
}

/** What every answer says that is not from production. */
function markOf({ from, sandbox }: Target): string | undefined {
  if (from === 'demo')
    return `demo${sandbox ? ' (sandbox)' : ''}: the built-in emulator answered; nothing real was booked or moved`;
  return sandbox ? 'sandbox: answered by the sandbox; nothing real was booked or moved' : undefined;
}

/** Whose credential it is that is not taken, and what to do about it. */
function refusalWords(
  status: number,
  { command, scope }: Operation,
  { from, name = '', credentials }: Target,
): string | undefined {
  if ((status !== 401 && status !== 403) || credentials === undefined || from === 'demo') return undefined;
  const { stored } = credentials;
  const whose = from === 'environment' ? 'WAYBILL_TOKEN' : `profile ${name} (${describeCredentials(stored)})`;
  const lacking = scope === null || scope === 'any' ? '' : scope;
  if (status === 403)
    return `the credential of ${whose} is known, but may not do this${lacking && `: ${command} needs the scope ${lacking}`}`;
  const another = `\`waybill profile set ${name} --token-stdin\` gives it another`;
  const cures = {
    token: from === 'environment' ? 'set another one' : another,
    headers: 'look at what is in there',
    command: 'run it by itself to see what it prints',
    url: 'it was fetched anew, and was not taken either',
  };
  return `the credential of ${whose} is not taken${lacking && `, or lacks the scope ${lacking}`}; ${cures[stored.kind]}. \`waybill profile whoami\` says where it comes from`;
}
