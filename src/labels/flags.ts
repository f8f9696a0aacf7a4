import type { Command } from 'commander';
import { Failure } from '../errors.ts';

export interface LabelFileOptions {
  download?: string;
  print?: boolean;
}

export const labelFileOptions = (command: Command): Command =>
  command
    .optionsGroup('Label:')
    .option('--download <dir>', 'save the label as {key or shipment id}.pdf in this folder')
    .option('--print', "save it and run the profile's printCommand (lp) on it");

/** `--download` and `--print` do not make a label, which costs money. Throws `usage`. */
export function requireLabel({ download, print }: LabelFileOptions, isWanted: boolean): void {
  if (!isWanted && (download !== undefined || print))
    throw new Failure(
      'usage',
      `--${print ? 'print' : 'download'} needs --label, which makes the label; nothing was sent`,
    );
}
