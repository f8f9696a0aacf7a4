import { writeFileSync } from 'node:fs';
import { bundle } from './bundle.mjs';
import { licencesOf } from './licences.mjs';
import { writeManPages } from './man.mjs';

const { packages } = await bundle('dist');
writeFileSync('THIRD-PARTY-LICENSES', licencesOf(packages));
await writeManPages('dist/man');
