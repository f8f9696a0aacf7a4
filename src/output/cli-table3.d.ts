// Its measure of text, which is not in its types: columns are cut by the same measure that pads them.
declare module 'cli-table3/src/utils.js' {
  const utils: { strlen(text: string): number };
  export default utils;
}
