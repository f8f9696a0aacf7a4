// The table as a whole: how many rows it has, and that no two of an area say the same.
import { expect, test } from 'vitest';
import { COMMAND } from './credentials-command.ts';
import { GIVEN } from './credentials-given.ts';
import { RENEWAL } from './credentials-renewal.ts';
import { STORE } from './credentials-store.ts';
import { URL_FAULTS } from './credentials-url.ts';
import type { Fault } from './fault.ts';
import { FAULTS as files } from './files.ts';
import { FAULTS as input } from './input.ts';
import { FAULTS as network } from './network.ts';
import { networkProcessFaults } from './network-process.ts';
import { FAULTS as output } from './output.ts';
import { processFaults } from './processes.ts';

const credentials = [...GIVEN, ...COMMAND, ...URL_FAULTS, ...RENEWAL, ...STORE];
const AREAS: Readonly<Record<string, readonly Fault[]>> = {
  credentials,
  files,
  input,
  network,
  networkProcess: networkProcessFaults(() => ''),
  output,
  processes: processFaults(() => ''),
};

test('every area has rows, and no title occurs twice in an area', () => {
  for (const [area, faults] of Object.entries(AREAS)) {
    expect(faults.length, area).toBeGreaterThan(10);
    const said = faults.map(({ when }) => when);
    expect(said.filter((when, index) => said.indexOf(when) !== index)).toEqual([]);
  }
  expect(Object.values(AREAS).flat().length).toBeGreaterThan(600);
});

test('every exit code that a fault can have occurs', () => {
  const codes = new Set(Object.values(AREAS).flatMap(faults => faults.map(({ exit }) => exit)));
  expect([...codes].sort((one, other) => one - other)).toEqual(
    expect.arrayContaining([0, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  );
});
