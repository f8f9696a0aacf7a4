// A service that needs a token, its address that issues tokens, and profiles that use both.

import { expect } from 'vitest';
import type { Ran, Rig } from './command.ts';
import { SECRET } from './oracles.ts';
import { bareRig } from './profile.ts';
import { http, rawServer } from './sockets.ts';

/** Saves a profile `live` for the address, without an error. */
export async function add(rig: Rig, address: string, flags: string[]): Promise<Ran> {
  const ran = await rig.run(['profile', 'add', 'live', '--base-url', address, ...flags]);
  expect([ran.exitCode, ran.stderr]).toEqual([0, ran.stderr]);
  return ran;
}

export interface Gate {
  address: string;
  /** The complete requests for a token. */
  fetches: string[];
  /** Every other request, as `METHOD PATH with` and the last part of the token. */
  calls: string[];
  /** Makes the service refuse the newest token. */
  revoke(): void;
}

export interface GateOptions {
  /** The answer to the nth request for a token; `undefined`: a valid token. */
  give?(index: number): string | undefined;
  /** Whether the service accepts its tokens. */
  takes?: boolean;
  /** How long a token is valid, in seconds. */
  lifetime?: number;
  /** Called with each request before it is answered; the token is not yet revoked. */
  onCall?(gate: Gate, index: number): void;
}

/** The nth token that a gate issues. */
export const tokenOf = (index: number): string => `${SECRET}-token-${index}`;

/** Issues tokens at `/oauth/token` and accepts the newest. It creates every booking and answers 404 to all other requests. */
export async function gate({ give, takes = true, lifetime, onCall }: GateOptions = {}): Promise<Gate> {
  let valid = '';
  const { url } = await rawServer((socket, request) => {
    const [method = '', path = ''] = request.split(' ', 2);
    if (path.endsWith('/oauth/token')) {
      const index = made.fetches.push(request) - 1;
      const given = give?.(index);
      if (given !== undefined) return void socket.write(given);
      valid = tokenOf(index);
      const body = { access_token: valid, token_type: 'Bearer', ...(lifetime && { expires_in: lifetime }) };
      return void socket.write(http(200, JSON.stringify(body)));
    }
    const token = /^authorization: Bearer (.*?)\r$/im.exec(request)?.[1] ?? 'none';
    const isTaken = takes && token === valid;
    const index = made.calls.push(`${method} ${path} with ${token.replace(`${SECRET}-`, '')}`) - 1;
    onCall?.(made, index);
    if (!isTaken) return void socket.write(http(401, '{"message":"invalid token"}'));
    const booked = { id: `S-${index}`, carrier: { id: 'EXP' } };
    socket.write(
      method === 'POST' ? http(201, JSON.stringify(booked)) : http(404, '{"message":"no such shipment"}'),
    );
  });
  const made: Gate = {
    address: url.origin,
    fetches: [],
    calls: [],
    revoke: () => {
      valid = 'none';
    },
  };
  return made;
}

export const BY_URL = '--token-url /oauth/token --client-header X-Client-Secret=@env:CLIENT_SECRET'.split(
  ' ',
);
const CLIENT = { CLIENT_SECRET: `${SECRET}-client` };

/** A rig whose profile `live` fetches its tokens from the gate. */
export async function gated(options: GateOptions = {}): Promise<{ rig: Rig; service: Gate }> {
  const rig = await bareRig({ env: CLIENT });
  const service = await gate(options);
  await add(rig, service.address, BY_URL);
  return { rig, service };
}
