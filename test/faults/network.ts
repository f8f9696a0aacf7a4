// The table of what the network and the far end of it may do.
import type { Fault } from './fault.ts';
import { ANSWERS } from './network-answers.ts';
import { CONNECT } from './network-connect.ts';
import { WIRE } from './network-wire.ts';

export const FAULTS: readonly Fault[] = [...CONNECT, ...WIRE, ...ANSWERS];
