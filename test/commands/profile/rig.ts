// A rig without any profile, for those that are made at a terminal.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRig, type Ran, type Rig, type RigOptions, type RunOptions } from '../../rig/command.ts';
import { type Script, says } from '../../rig/person.ts';

export const TOKEN = 'tok-very-private';
export const WRONG = 'tok-quite-wrong';
// Nobody listens there.
export const CLOSED = 'http://127.0.0.1:1';

// No address and no token in the environment: what is typed is what holds.
const BARE = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
export const bareRig = (more: RigOptions = {}) =>
  createRig({ tokens: new Map([[TOKEN, 'all']]), ...more, env: { ...BARE, ...more.env } });

export const run = (rig: Rig, argv: string | string[], script: Script, more: RunOptions = {}) =>
  rig.run(argv, { terminal: true, answers: says(script), ...more });

export const configOf = ({ folder }: Rig) => join(folder, 'config', 'config.json');
export const savedIn = (rig: Rig) => JSON.parse(readFileSync(configOf(rig), 'utf8'));
export const filesIn = ({ folder }: Rig) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));

export const answersOf = ({ requests }: Ran) => requests.map(({ answered }) => answered);

/** All that a person, or whoever reads over their shoulder, could see. */
export const seenIn = ({ shown, questions }: Ran) => shown + JSON.stringify(questions);

export const all = (rig: Rig): Script => ({
  name: 'live',
  baseUrl: rig.address,
  sandboxBaseUrl: '',
  token: TOKEN,
});
