import type { Fault } from './fault.ts';
import { KEPT } from './files-kept.ts';
import { LINKS } from './files-links.ts';
import { LOST } from './files-lost.ts';
import { SAVED } from './files-saved.ts';

export const FAULTS: readonly Fault[] = [...KEPT, ...LINKS, ...LOST, ...SAVED];
