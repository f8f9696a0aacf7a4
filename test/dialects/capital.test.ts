import { CAPITAL } from './capital.ts';
import { journeys } from './journeys.ts';

journeys('of a third kind: a shipment inside shipment, labels as base64', CAPITAL);
