// What a person is told about the service that a command would ask, or has asked.
import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure, type FailureCode } from '../errors.ts';
import type { Host } from '../host.ts';
import { describeCredentials } from '../profile/mask.ts';
import type { Target } from '../profile/target.ts';
import { unknownHint } from '../profile/unknown-variables.ts';

/** Refuses an operation that cannot be called on this target, before anything is sent. */
export function requireReachable(operation: Operation, target: Target, env: Host['env']): void {
  const { command } = operation;
  const { name, from, sandbox, base, credentials, tls } = target;
  const refuse = (code: FailureCode, message: string) => new Failure(code, message, { operation: command });
  if (sandbox && !operation.sandbox)
    throw refuse(
      'sandbox_unavailable',
      `${typedName(operation)} has no sandbox address, and production is never used in its place; nothing was sent. To call production, give --no-sandbox`,
    );
  if (from === 'demo') return;
  if (from === 'nowhere')
    throw refuse(
      'unauthorized',
      `there is no profile and no address in the environment. To try it with nothing set up: \`waybill ${typedName(operation)} --profile demo\`. For your own service: \`waybill profile add NAME\`, which asks for the rest (in a script: \`waybill profile add NAME --base-url URL --token-stdin\`), or set WAYBILL_BASE_URL and WAYBILL_TOKEN${unknownHint(env)}`,
    );
  const mine = from === 'environment';
  if (base === undefined && sandbox)
    throw refuse(
      'sandbox_unavailable',
      mine
        ? 'there is no sandbox address: set WAYBILL_SANDBOX_BASE_URL'
        : `the profile ${name} has no sandbox address; \`waybill profile set ${name} sandboxBaseUrl=URL\` gives it one`,
    );
  if (base === undefined)
    throw refuse(
      'unauthorized',
      mine
        ? `there is no production address: set WAYBILL_BASE_URL${unknownHint(env)}`
        : `the profile ${name} has no address; \`waybill profile set ${name} baseUrl=URL\` gives it one`,
    );
  if (operation.scope !== null && credentials === undefined && tls.clientCert === undefined)
    throw refuse(
      'unauthorized',
      mine
        ? `the address comes from the environment, but WAYBILL_TOKEN is not set, nor WAYBILL_TOKEN_FILE: an address of the environment never gets the credential of a profile${unknownHint(env)}`
        : `the profile ${name} has no credentials; \`waybill profile set ${name} --token-stdin\` reads a token`,
    );
}

/** What people have to know about any response that is not from production. */
export function originNote({ from, sandbox }: Target): string | undefined {
  if (from === 'demo')
    return `demo${sandbox ? ' (sandbox)' : ''}: the built-in emulator answered; nothing real was booked or moved`;
  return sandbox ? 'sandbox: answered by the sandbox; nothing real was booked or moved' : undefined;
}

/** Which credential the service refused, and what to do about it. */
export function refusalNote(
  status: number,
  operation: Operation,
  { from, name = '', credentials, sources }: Target,
): string | undefined {
  if ((status !== 401 && status !== 403) || credentials === undefined || from === 'demo') return undefined;
  const { stored } = credentials;
  const isProfile = from !== 'environment';
  const credential = `the credential of ${sources.credentials}${isProfile ? ` (${describeCredentials(stored)})` : ''}`;
  const { scope } = operation;
  const needed = scope === null || scope === 'any' ? '' : scope;
  if (status === 403)
    return `${credential} is known, but may not do this${needed && `: ${typedName(operation)} needs the scope ${needed}`}`;
  const cures = {
    token: isProfile ? `\`waybill profile set ${name} --token-stdin\` sets another one` : 'set another one',
    headers: 'check what they contain',
    file: 'the file was read again, and has no other token that is accepted',
    command: 'run the command by itself to see what it prints',
    url: 'a new one was asked for, and none was accepted',
  };
  return `${credential} is not accepted${needed && `, or lacks the scope ${needed}`}; ${cures[stored.kind]}. \`waybill profile whoami\` shows where it comes from`;
}
