// The labels of a run as one file and one print job, in the order of the input.

import type { LabelPages } from '../../labels/merge.ts';
import { noteNotPrinted, outputLabels } from '../../labels/print.ts';
import type { LabelFiles } from '../../labels/save.ts';
import type { Means } from '../../order/order.ts';
import type { ResultLine } from '../../output/schemas.ts';

export type LabelJob = ReturnType<typeof openLabelJob>;

export function openLabelJob(means: Means | undefined, files: LabelFiles | undefined) {
  const labels: (LabelPages & { line: number })[] = [];
  return {
    /** A record has ended. `isWanted`: was it to have a label? */
    add({ line, key, error }: ResultLine, isWanted: boolean, pages?: LabelPages): void {
      if (!isWanted || files === undefined) return;
      const missing = { name: key ?? `line ${line}`, files: [], failed: error !== null };
      labels.push({ line, ...(pages ?? missing) });
    },
    /** When all have ended. Gives a sentence for everything that failed. */
    async finish(): Promise<string[]> {
      if (labels.length === 0 || means === undefined) return [];
      labels.sort((one, other) => one.line - other.line);
      if (files?.merged) return outputLabels(files, labels, means);
      // They were printed one by one.
      if (files?.print === 'unprinted') await noteNotPrinted(labels, means);
      return [];
    },
  };
}
