import { expect, test } from 'vitest';
import { configFolder, stateFolder } from '../../src/profile/environment.ts';

const place = (env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') => ({
  env,
  platform,
  home: '/home/ada',
  cwd: '/work',
});

test.each<[NodeJS.Platform, string, string]>([
  ['linux', '/home/ada/.config/waybill', '/home/ada/.local/state/waybill'],
  ['freebsd', '/home/ada/.config/waybill', '/home/ada/.local/state/waybill'],
  ['darwin', '/home/ada/Library/Preferences/waybill', '/home/ada/Library/Application Support/waybill'],
  ['win32', '/home/ada/AppData/Roaming/waybill', '/home/ada/AppData/Local/waybill'],
])('on %s config and state have the folders of the platform', (platform, config, state) => {
  expect(configFolder(place({}, platform))).toBe(config);
  expect(stateFolder(place({}, platform))).toBe(state);
});

test('the variables of the platform move the folders, and our own variables come first', () => {
  const xdg = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' };
  expect([configFolder(place(xdg)), stateFolder(place(xdg))]).toEqual(['/c/waybill', '/s/waybill']);
  const ours = place({ ...xdg, WAYBILL_CONFIG_DIR: '/own/c', WAYBILL_STATE_DIR: '/own/s' });
  expect([configFolder(ours), stateFolder(ours)]).toEqual(['/own/c', '/own/s']);
});

test.each(['', 'relative', './x'])(
  'an XDG variable that is %j is ignored, as its specification requires',
  value => {
    const env = { XDG_CONFIG_HOME: value, XDG_STATE_HOME: value };
    expect(configFolder(place(env))).toBe(configFolder(place()));
    expect(stateFolder(place(env))).toBe(stateFolder(place()));
  },
);
