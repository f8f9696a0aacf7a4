/** The text of a page of docs/; the bundler puts it in. */
declare module '*.md' {
  const text: string;
  export default text;
}
