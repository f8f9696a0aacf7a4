import type { Shell } from './candidate.ts';

/** The shells by name; only the file of one shell is loaded. */
export const SHELLS: Readonly<Record<string, () => Promise<Shell>>> = {
  bash: async () => (await import('./bash.ts')).bash,
  zsh: async () => (await import('./zsh.ts')).zsh,
  fish: async () => (await import('./fish.ts')).fish,
  powershell: async () => (await import('./powershell.ts')).powershell,
};
