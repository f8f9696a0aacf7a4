// Begins the thread that reads labels, with the files that the command was started with.
import { workerData } from 'node:worker_threads';
import { createLoader, NO_CODE, partsOfExecutable, partsOfPackage } from './loader.ts';

declare const WAYBILL_ENTRY: string;
declare const WAYBILL_IS_EXECUTABLE: boolean;

const parts = WAYBILL_IS_EXECUTABLE ? partsOfExecutable() : partsOfPackage(workerData);
const { readLabels } = createLoader(WAYBILL_ENTRY, workerData, parts, NO_CODE).load('waybill.cjs') as {
  readLabels(): Promise<void>;
};
void readLabels();
