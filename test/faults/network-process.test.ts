import { runFaults } from './fault.ts';
import { FAULTS } from './network-process.ts';

runFaults('the network, seen from a process', FAULTS);
