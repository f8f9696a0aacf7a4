// The table of faults of the network and the service.
import type { Fault } from './fault.ts';
import { ANSWERS } from './network-answers.ts';
import { CONNECT } from './network-connect.ts';
import { WIRE } from './network-wire.ts';

export const FAULTS: readonly Fault[] = [...CONNECT, ...WIRE, ...ANSWERS];
