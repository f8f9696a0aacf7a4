declare const WAYBILL_VERSION: string | undefined;

/** The build inserts the version; tests run the sources without a build. */
export const VERSION: string = typeof WAYBILL_VERSION === 'string' ? WAYBILL_VERSION : '0.0.0-dev';
