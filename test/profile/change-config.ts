// concurrent.test.ts runs this in processes of their own, each with the name of a profile to add.
import { homedir } from 'node:os';
import { changeConfig } from '../../src/profile/store.ts';

const [, , name = ''] = process.argv;
const place = { env: process.env, cwd: process.cwd(), home: homedir(), platform: process.platform };

void changeConfig(place, config => ({
  ...config,
  profiles: { ...config.profiles, [name]: { account: name } },
}));
