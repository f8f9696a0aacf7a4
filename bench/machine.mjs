// The hardware and the versions of a measurement, without the name of the machine or of its user.
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { find, median } from './measure.mjs';

const PEERS = ['gh', 'stripe', 'curl', 'npm'];

export function describeMachine({ folder }) {
  const [{ model } = { model: 'unknown' }, ...more] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: model,
    cores: more.length + 1,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
    node: process.versions.node,
    syncMs: syncTime(join(folder, 'synced')),
  };
}

/** The versions of waybill, of the packages of the bare loop, and of the other tools; null if a tool is not installed. */
export function describeVersions({ folder, env }) {
  const versionOf = path => JSON.parse(readFileSync(path, 'utf8')).version;
  return {
    waybill: versionOf('package.json'),
    undici: versionOf('node_modules/undici/package.json'),
    ...Object.fromEntries(PEERS.map(program => [program, versionSaid(find(program), { cwd: folder, env })])),
  };
}

function versionSaid(path, settings) {
  if (!path) return null;
  const { stdout } = spawnSync(path, ['--version'], { ...settings, encoding: 'utf8' });
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown';
}

// The median time of a sync of a few bytes. A booking waits for two.
function syncTime(path) {
  const file = openSync(path, 'w');
  const times = Array.from({ length: 25 }, () => {
    const begun = performance.now();
    writeSync(file, 'synced');
    fsyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  return Number(median(times).toFixed(2));
}
