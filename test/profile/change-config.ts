// Run by concurrent.test.ts as processes of their own: `add NAME`, or `hold`, which never lets go of the config.
import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { changeConfig } from '../../src/profile/store.ts';

const [what, name = ''] = process.argv.slice(2);
const place = { env: process.env, cwd: process.cwd(), home: homedir(), platform: process.platform };

void changeConfig(place, config => {
  if (what === 'hold') {
    writeSync(1, 'holding\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  return { ...config, profiles: { ...config.profiles, [name]: { account: name } } };
});
