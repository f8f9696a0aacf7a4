import { runFaults } from './fault.ts';
import { FAULTS } from './input.ts';

runFaults('what is given', FAULTS);
