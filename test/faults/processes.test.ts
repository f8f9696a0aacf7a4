import { builtCommand } from '../rig/process.ts';
import { sampled } from '../torture/size.ts';
import { runFaults } from './fault.ts';
import { processFaults } from './processes.ts';
import { signalFaults } from './processes-signals.ts';

const command = builtCommand();

// A booking that a signal meets is always tested.
const signals = signalFaults(command);
const titles = new Set(signals.map(({ when }) => when));
const others = processFaults(command).filter(({ when }) => !titles.has(when));

runFaults('processes', [...signals, ...sampled(others, 2)]);
