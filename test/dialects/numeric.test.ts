import { journeys } from './journeys.ts';
import { NUMERIC } from './numeric.ts';

journeys('numeric: all inside result, ids as numbers', NUMERIC);
