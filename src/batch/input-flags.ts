import { type Command, Option } from 'commander';
import { INPUT_FORMATS, type InputFormat } from './source.ts';

/** How an input is written. */
export interface FormatOptions {
  format?: InputFormat;
  encoding?: string;
}

export const formatOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'of the input, if its name does not say').choices(INPUT_FORMATS),
    )
    .option(
      '--encoding <encoding>',
      'of the input, if it is not UTF-8: windows-1254, windows-1252, utf-16le',
    );
