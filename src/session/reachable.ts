import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure, type FailureCode } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Target } from '../profile/target.ts';
import { unknownHint } from './unknown-variables.ts';

/** Refuses an operation that cannot be called on this target, before anything is sent. */
export function requireReachable(operation: Operation, target: Target, env: Host['env'] = {}): void {
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
