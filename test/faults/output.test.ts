import { runFaults } from './fault.ts';
import { FAULTS } from './output.ts';

runFaults('what is shown', FAULTS);
