import { runFaults } from './fault.ts';
import { FAULTS } from './files.ts';

runFaults('files', FAULTS);
