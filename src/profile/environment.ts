/** One of our environment variables; empty, `0` and `false` are the same as unset. */
export function setting(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === '' || value === '0' || value.toLowerCase() === 'false'
    ? undefined
    : value;
}
