declare const WAYBILL_VERSION: string | undefined;

/** Put in by the build; tests run the sources as they are. */
export const VERSION: string = typeof WAYBILL_VERSION === 'string' ? WAYBILL_VERSION : '0.0.0-dev';
