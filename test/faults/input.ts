import type { Fault } from './fault.ts';
import { CSV_FAULTS } from './input-csv.ts';
import { JSON_FAULTS } from './input-json.ts';
import { LINE_FAULTS } from './input-lines.ts';
import { LOST_FAULTS } from './input-lost.ts';
import { NAME_FAULTS } from './input-names.ts';
import { VALUE_FAULTS } from './input-values.ts';

export const FAULTS: readonly Fault[] = [
  ...JSON_FAULTS,
  ...CSV_FAULTS,
  ...VALUE_FAULTS,
  ...NAME_FAULTS,
  ...LINE_FAULTS,
  ...LOST_FAULTS,
];
