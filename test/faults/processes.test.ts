import { builtCommand } from '../rig/process.ts';
import { runFaults } from './fault.ts';
import { processFaults } from './processes.ts';

runFaults('processes', processFaults(builtCommand()));
