import { builtCommand } from '../built/rig.ts';
import { runFaults } from './fault.ts';
import { processFaults } from './processes.ts';

runFaults('processes', processFaults(builtCommand()));
