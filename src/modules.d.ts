// Modules that have no types of their own.

/** The bytes of a font; the build puts it beside the command. */
declare module '*.ttf' {
  export const font: Uint8Array;
}

// The measure of text by which cli-table3 pads columns: what is cut is cut by the same one.
declare module 'cli-table3/src/utils.js' {
  const utils: { strlen(text: string): number };
  export default utils;
}

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}

declare module 'undici/index.js' {
  import * as undici from 'undici';
  export default undici;
}

// What the build writes beside the command. The tests have it from its source.

declare module 'waybill:commands' {
  export const commands: Awaited<ReturnType<typeof import('./documents/commands.ts')['commands']>>;
}

declare module 'waybill:reader' {
  export const reader: import('./host/thread.ts').ThreadCode;
}

declare module 'waybill:schemas' {
  export const schemas: Awaited<ReturnType<typeof import('./documents/schemas.ts')['schemas']>>;
}

/** Of the wing `agents`. */
declare module 'waybill:tools' {
  export const tools: Awaited<ReturnType<typeof import('./agents/documents/tools.ts')['tools']>>;
}

declare module 'waybill:topics' {
  export const topics: Awaited<ReturnType<typeof import('./documents/topics.ts')['topics']>>;
}
