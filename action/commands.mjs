/** Shows a message beside a line of a file. `place`: `file`, `line` and `title`, each where known. */
export function annotate(kind, place, message) {
  const properties = Object.entries(place).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  const head = [kind, properties.join(',')].filter(Boolean).join(' ');
  process.stdout.write(`::${head}::${escaped(message)}\n`);
}

/** A value stays on its line: the runner reads each line as a command. */
const escaped = value => String(value).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** Prints a line that the runner cannot take for a command, whatever the service or a file has put into it. */
export const print = text =>
  void process.stdout.write(`waybill: ${text.replaceAll(/[\r\n]+/g, ' ').replaceAll('##[', '## [')}\n`);

/** Text as it is, on one line: Markdown may have a backslash before every mark of ASCII, and then it means nothing. */
export function cell(text) {
  return String(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[!-/:-@[-`{-~]/g, mark => `\\${mark}`);
}
