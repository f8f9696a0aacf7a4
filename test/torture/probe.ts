// Functions that the code at the markers calls. They are bundled into the command, and the environment controls them.
import { subscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { noteCommit } from './power-loss.ts';
import { SENT } from './steps.ts';

/** Names of variables. */
export const PROBE = {
  /** `NAME:N`: the process is killed at the Nth pass of that step. */
  step: 'TORTURE_STEP',
  /** Any text: the process is stopped there, and not killed. */
  stop: 'TORTURE_STOP',
  /** A port of loopback: the process waits at the gate that listens there. */
  gate: 'TORTURE_GATE',
} as const;

const [wanted, count = '1'] = (process.env[PROBE.step] ?? '').split(':');
let left = Number(count);

/** @public */
export function tortureStep(name: string): void {
  if (name !== wanted) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, process.env[PROBE.stop] ? 'SIGSTOP' : 'SIGKILL');
}

// undici says it for each request.
subscribe('undici:request:bodySent', () => tortureStep(SENT));

/** Connects to the gate and continues when the gate opens. @public */
export async function tortureGate(): Promise<void> {
  const port = process.env[PROBE.gate];
  if (port !== undefined)
    await new Promise(open => connect(Number(port), '127.0.0.1').once('data', open).once('close', open));
}

/** @public */
export const tortureCommit = noteCommit;
