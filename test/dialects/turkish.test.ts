import { journeys } from './journeys.ts';
import { TURKISH } from './turkish.ts';

journeys('Turkish: all inside data, numbers as text', TURKISH);
