const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `4.1 MB`: a size for people. */
export function bytesWords(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const size = bytes / 1000 ** power;
  return `${power === 0 ? size : size.toFixed(1)} ${UNITS[power]}`;
}
