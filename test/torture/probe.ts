// What the edited source calls. It is bundled into the command, and the environment says what it does.
import { connect } from 'node:net';
import { noteCommit } from './power-loss.ts';

/** Names of variables. */
export const PROBE = {
  /** `NAME:N`: the process ends at that step, when it comes to it for the Nth time. */
  step: 'TORTURE_STEP',
  /** A port of loopback: the process waits for the gate that is there. */
  gate: 'TORTURE_GATE',
} as const;

const [wanted, count = '1'] = (process.env[PROBE.step] ?? '').split(':');
let left = Number(count);

/** @public */
export function tortureStep(name: string): void {
  if (name !== wanted) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

/** Says that it is here, and goes on when it is let through. @public */
export async function tortureGate(): Promise<void> {
  const port = process.env[PROBE.gate];
  if (port !== undefined)
    await new Promise(open => connect(Number(port), '127.0.0.1').once('data', open).once('close', open));
}

/** @public */
export const tortureCommit = noteCommit;
