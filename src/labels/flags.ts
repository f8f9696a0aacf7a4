import type { Command } from 'commander';
import { Failure } from '../errors.ts';

export interface LabelFileOptions {
  download?: string;
  merge?: string;
  print?: boolean;
  reprint?: boolean;
}

export const labelFileOptions = (command: Command): Command =>
  command
    .optionsGroup('Label:')
    .option('--download <dir>', 'save the label as {key or shipment id}.pdf in this folder')
    .option('--merge <file>', 'write all labels as one PDF, in the order given')
    .option('--print', "run the profile's printCommand (lp) on each label that this command makes")
    .option('--reprint', 'with --print: on labels that were made before, too');

/** Are the labels to be files, those of earlier commands too? */
export const wantsFiles = ({ download, merge, print = false }: LabelFileOptions): boolean =>
  download !== undefined || merge !== undefined || print;

/** These do not make a label, which costs money. Throws `usage`. */
export function requireLabel(options: LabelFileOptions, isWanted: boolean): void {
  if (isWanted || !wantsFiles(options)) return;
  const { merge, print } = options;
  const flag = print ? 'print' : merge === undefined ? 'download' : 'merge';
  throw new Failure('usage', `--${flag} needs --label, which makes the label; nothing was sent`);
}
