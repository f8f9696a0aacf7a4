// Its own measure of a text, which its types do not tell of: the columns must be cut as it will pad them.
declare module 'cli-table3/src/utils.js' {
  const utils: { strlen(text: string): number };
  export default utils;
}
