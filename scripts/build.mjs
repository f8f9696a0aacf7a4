import { bundle } from './bundle.mjs';
import { writeManPages } from './man.mjs';

await bundle('dist');
await writeManPages('dist/man');
