// Runs before each test file, also where one worker runs several of them.
import fc from 'fast-check';
import { SEED } from './torture/size.ts';

fc.configureGlobal({ seed: SEED });
