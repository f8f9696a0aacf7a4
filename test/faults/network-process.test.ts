import { builtCommand } from '../rig/process.ts';
import { runFaults } from './fault.ts';
import { networkProcessFaults } from './network-process.ts';

runFaults('the network, seen from a process', networkProcessFaults(builtCommand()));
