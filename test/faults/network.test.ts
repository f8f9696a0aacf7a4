import { runFaults } from './fault.ts';
import { FAULTS } from './network.ts';

runFaults('the network', FAULTS);
