// concurrent.test.ts runs this in processes of their own: `add NAME`, or `hold`, which keeps the config locked.
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
