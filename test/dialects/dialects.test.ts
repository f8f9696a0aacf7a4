import { CAPITAL } from './capital.ts';
import { journeys } from './journeys.ts';
import { NUMERIC } from './numeric.ts';
import { TURKISH } from './turkish.ts';

journeys('of a third kind: a shipment inside shipment, labels as base64', CAPITAL);
journeys('numeric: all inside result, ids as numbers', NUMERIC);
journeys('Turkish: all inside data, numbers as text', TURKISH);
