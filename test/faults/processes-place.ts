// Processes in a bare place: no home folder, a current folder that is gone, folders that cannot be made.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { createWorld, QUOTE, SHIP, seen, stageOf } from '../rig/process.ts';
import type { Fault } from './fault.ts';

const cannot = (option: string) => spawnSync('unshare', [option, 'true']).status !== 0;
const noMounts = cannot('-rm') && 'no disk of its own can be given to a process here';
const noUsers = cannot('--map-user=54321') && 'no user id of its own can be given to a process here';
const noProc = !existsSync('/proc/self') && 'there is no folder that answers ENOENT to mkdir';

const ADD = 'profile add shop --base-url https://a.example';
const NO_HOME = 'this user has no home folder';
const OWN_STATE = { WAYBILL_STATE_DIR: 'FOLDER/state' };
const OWN_CONFIG = { WAYBILL_CONFIG_DIR: 'FOLDER/config' };

interface Place {
  /** Replaces the folders of the rig; FOLDER is the folder of the test, an empty text means none. */
  env?: Record<string, string>;
  /** What a shell does before the command. */
  before?: string;
  skip?: Fault['skip'];
}

/** The rows. `command` gives the command after it is built. */
export function placeFaults(command: () => string): readonly Fault[] {
  const row = (
    when: string,
    argv: string,
    exit: number,
    sees: Fault['sees'],
    { env = {}, before = '', skip = false }: Place,
  ): Fault => ({
    ...{ when, exit, sees, skip },
    async happen() {
      const world = await createWorld();
      const { folder } = world;
      const changed = { ...world.env, WAYBILL_CONFIG_DIR: '', WAYBILL_STATE_DIR: '', ...env };
      const kept = Object.entries(changed)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => [name, value.replace('FOLDER', folder)]);
      const { shell } = stageOf(command, { env: Object.fromEntries(kept), folder });
      return seen(await shell(`${before} "$NODE" "$COMMAND" ${argv.replace('FOLDER', folder)}`));
    },
  });
  const homeless = (
    what: string,
    argv: string,
    exit: number,
    sees: Fault['sees'],
    env = {},
    home = '-u HOME',
  ): Fault =>
    row(`a user without HOME and without an entry ${what}`, argv, exit, sees, {
      env: { XDG_CACHE_HOME: '', ...env },
      // A user id of this process alone. A shell would set HOME again.
      before: `unshare --map-user=54321 env ${home}`,
      skip: noUsers,
    });
  const deleted = (what: string, argv: string, exit: number, sees: Fault['sees']): Fault =>
    row(`the current folder was deleted, and ${what}`, argv, exit, sees, {
      env: { ...OWN_STATE, ...OWN_CONFIG },
      before: 'mkdir gone; cd gone; rmdir ../gone;',
    });
  const nowhere = (variable: string, argv: string, exit: number, sees: Fault['sees']): Fault =>
    row(`${variable} is in /proc, where no folder can be made: ${argv}`, argv, exit, sees, {
      env: {
        [variable]: '/proc/waybill',
        ...(argv.includes('demo') && {
          WAYBILL_BASE_URL: '',
          WAYBILL_SANDBOX_BASE_URL: '',
          WAYBILL_TOKEN: '',
        }),
      },
      skip: noProc,
    });
  const locked = (argv: string, exit: number, sees: Fault['sees']): Fault =>
    row(`the home folder is on a disk that nobody may write to: ${argv}`, argv, exit, sees, {
      env: { HOME: 'FOLDER/home', XDG_CACHE_HOME: '' },
      before: `mkdir home; unshare -rm sh -c 'mount -t tmpfs -o ro none "$HOME" && exec "$@"' sh`,
      skip: noMounts,
    });
  const relative = (variable: string, argv: string): Fault => ({
    when: `${variable} is relative: ${argv}`,
    exit: 2,
    sees: [
      variable,
      '"ours"',
      'a relative path',
      'nothing was sent',
      RegExp(`such as ${variable}=/\\S+/ours`),
    ],
    async happen() {
      const { run, folder } = stageOf(command, await createWorld());
      const ended = await run(argv, { env: { [variable]: 'ours' } }).ended;
      expect(readdirSync(folder)).toEqual(['order.json']);
      return seen(ended);
    },
  });

  return [
    homeless('asks for the version', '--version', 0, []),
    homeless('asks for proposals', QUOTE, 0, []),
    homeless('looks back', 'history list', 0, []),
    homeless('ships', 'ship -f FOLDER/order.json', 10, [
      NO_HOME,
      'nothing was sent',
      'Set WAYBILL_STATE_DIR',
    ]),
    homeless('ships with a folder for the journal', 'ship -f FOLDER/order.json', 0, [], OWN_STATE),
    homeless('adds a profile', ADD, 10, [NO_HOME, 'Set WAYBILL_CONFIG_DIR']),
    homeless('adds a profile in a folder for it', ADD, 0, ['profile shop saved'], OWN_CONFIG),
    homeless('has a relative HOME and ships', 'ship -f FOLDER/order.json', 10, [NO_HOME], {}, 'HOME=here'),
    deleted('the version is asked for', '--version', 0, []),
    deleted('proposals are asked for', QUOTE, 0, []),
    deleted('an absolute file is shipped', 'ship -f FOLDER/order.json', 0, []),
    deleted('a relative file is shipped', SHIP, 10, [
      'order.json',
      'the current folder was deleted',
      'nothing was sent',
    ]),
    deleted('labels go to a relative folder', 'label --international S-1 --download labels', 10, [
      'labels is a relative path',
      'nothing was sent',
    ]),
    deleted(
      'a batch comes from stdin',
      'batch quote - --format jsonl --results FOLDER/r.jsonl < /dev/null',
      0,
      [],
    ),
    deleted('the results of a batch are relative', 'batch quote - --format jsonl < /dev/null', 10, [
      /^(?!(?:.*nothing was sent){2}).*is a relative path, but the current folder was deleted; nothing was sent\. Name another file/s,
    ]),
    nowhere('WAYBILL_STATE_DIR', SHIP, 10, [
      'no folder can be made in /proc',
      'nothing was sent',
      'set WAYBILL_STATE_DIR',
    ]),
    nowhere('WAYBILL_CONFIG_DIR', ADD, 10, ['no folder can be made in /proc', 'set WAYBILL_CONFIG_DIR']),
    nowhere('XDG_CACHE_HOME', QUOTE, 0, []),
    nowhere('HOME', `--profile demo ${QUOTE}`, 10, ['no folder can be made in /proc']),
    nowhere('WAYBILL_STATE_DIR', 'label --international S-1 --download /proc/labels', 10, [
      'labels cannot be saved in /proc/labels',
      'nothing was sent',
    ]),
    nowhere('HOME', 'emulator --port 0 --data /proc/data/world.db -- true', 10, [
      'the data /proc/data/world.db cannot be opened',
    ]),
    locked(QUOTE, 0, []),
    locked('ship -f FOLDER/order.json', 10, ['EROFS', 'nothing was sent', 'set WAYBILL_STATE_DIR']),
    ...[24, 30].map(files =>
      row(`the system allows ${files} open files: ship`, 'ship -f FOLDER/order.json', 10, [/open files/], {
        env: OWN_STATE,
        before: `ulimit -n ${files};`,
      }),
    ),
    relative('WAYBILL_STATE_DIR', SHIP),
    relative('WAYBILL_STATE_DIR', QUOTE),
    relative('WAYBILL_CONFIG_DIR', QUOTE),
    relative('WAYBILL_CONFIG_DIR', ADD),
  ];
}
