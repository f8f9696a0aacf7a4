// The labels of a run as one file and one print job, in the order of the input.
import { notPrinted, outputLabels } from '../../labels/finish.ts';
import type { LabelPages } from '../../labels/merge.ts';
import type { LabelFiles } from '../../labels/save.ts';
import type { Session } from '../../session/session.ts';
import type { ResultLine } from './result-line.ts';

export type LabelJob = ReturnType<typeof openLabelJob>;

export function openLabelJob(session: Session, files: LabelFiles | undefined) {
  const labels: (LabelPages & { line: number })[] = [];
  let old = 0;
  return {
    /** A record has ended. `isWanted`: was it to have a label? */
    add({ line, key, error }: ResultLine, isWanted: boolean, pages?: LabelPages): void {
      if (!isWanted || files === undefined) return;
      const { name = key ?? `line ${line}`, files: paths = [], why } = pages ?? {};
      if (files.merged)
        labels.push({ line, name, files: paths, why: why ?? (pages ? undefined : error?.message) });
      // The others were printed one by one.
      else if (files.print === 'new') old += paths.filter(({ isNew }) => !isNew).length;
    },
    /** When all have ended. Gives a sentence for everything that failed. */
    async finish(): Promise<string[]> {
      if (old > 0) await session.printer.note(notPrinted(old));
      if (!files?.merged || labels.length === 0) return [];
      return outputLabels(
        session,
        files,
        labels.sort((one, other) => one.line - other.line),
      );
    },
  };
}
