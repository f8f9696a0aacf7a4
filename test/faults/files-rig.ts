// Runs one command that finds prepared files, and checks which files it changes.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { processesOf } from '../../src/journal/holder.ts';
import { openJournal } from '../../src/journal/sqlite/journal.ts';
import { Json } from '../../src/json.ts';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { localHost } from '../rig/journal.ts';
import { cannedService, SHIPMENT } from '../rig/service.ts';
import { http, type Raw, type Reply, rawServer, script } from '../rig/sockets.ts';
import type { Fault } from './fault.ts';

export const PDF = `%PDF-1.7\n${'label '.repeat(100)}\n%%EOF\n`;
const MAKE = 'POST /v2/carriers/create';

/** The content at a path, to detect a change: bytes, names, or the target of a link. */
export function at(path: string): unknown {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'nothing';
  if (stat.isSymbolicLink()) return { link: readlinkSync(path) };
  if (stat.isDirectory()) return { names: readdirSync(path).sort() };
  return stat.isFile() ? { text: readFileSync(path, 'latin1') } : 'neither file nor folder';
}

export function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

interface Placed {
  when: string;
  exit: number;
  sees: Fault['sees'];
  /** Relative to the folder of the rig. It must not change. */
  path: string;
  argv: string;
  stdin?: string;
  /** Creates the obstacle at the path. */
  put(path: string, rig: Rig): void | Promise<void>;
}

/** A row in which a file or folder is in the way: it is reported and not changed, and nothing is sent. */
export const leftAlone = ({ when, exit, sees, path, argv, stdin, put }: Placed): Fault => ({
  when,
  exit,
  sees,
  async happen() {
    const rig = await createRig({ journalLost: true });
    const place = join(rig.folder, path);
    mkdirSync(dirname(place), { recursive: true });
    await put(place, rig);
    const before = at(place);
    const ran = await rig.run(argv, { stdin: stdin ?? JSON.stringify(SHIPMENT) });
    expect(at(place)).toEqual(before);
    expect(ran.requests).toEqual([]);
    expect(ran.stdout).toBe('');
    return ran;
  },
});

const LABEL = 'label --international S-1 --download labels';

export interface LabelScene {
  /** The link in the answer, if it does not lead to the label server. */
  link?(server: Raw): string;
  reply?: string | Reply;
  /** A service that is not on loopback. It made the label in an earlier run. */
  service?: string;
  /** Prepares the folder of labels. */
  before?(folder: string): void;
  after?(folder: string, server: Raw, ran: Ran): void;
  options?(server: Raw): RunOptions;
  more?: string;
}

/** Runs `label --download` and checks its output and its folder. */
export async function download({
  link = server => new URL('/l.pdf', server.url).href,
  reply = http(200, PDF),
  service,
  before,
  after,
  options,
  more = '',
}: LabelScene): Promise<Ran> {
  const server = await rawServer(typeof reply === 'string' ? script(reply) : reply);
  const label = { success: true, trackingNumber: 'T-1', label: link(server) };
  const canned = await cannedService({
    '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
  });
  const rig = await createRig({
    journalLost: true,
    env: service === undefined ? canned.env : { WAYBILL_BASE_URL: service },
  });
  if (service !== undefined) await journalled(rig, service, label.label);
  const folder = join(rig.folder, 'labels');
  mkdirSync(folder);
  before?.(folder);
  const ran = await rig.run(`${LABEL} ${more}`, options?.(server));
  // The label is paid for, so it is shown even if its file is not saved.
  expect(ran.stdout).toContain('T-1');
  expect(canned.seen).toEqual(service === undefined ? [MAKE] : []);
  for (const request of server.requests) expect(request).not.toMatch(/authorization|demo|cookie/i);
  // No incomplete file remains.
  expect(readdirSync(folder).filter(name => name.includes('waybill'))).toEqual([]);
  after?.(folder, server, ran);
  return ran;
}

/** Records a label that was made in an earlier run. */
async function journalled(rig: Rig, address: string, link: string): Promise<void> {
  const me = processesOf({
    platform: 'linux',
    process: { host: 'test', id: process.pid, exists: () => true },
  });
  const journal = await openJournal(
    join(rig.folder, 'state/journal.db'),
    me,
    localHost(() => rig.clock.now),
  );
  const request = new Json({ international: 'S-1' });
  const claim = await journal.claim({
    scope: { address, account: '' },
    ...{
      operation: 'label',
      keySpace: 'label',
      key: null,
      fingerprint: 'f',
      source: null,
      recordName: null,
      request,
    },
    ...{ profile: null, sandbox: false, allowDuplicate: false, run: null, actor: null, maxPrice: null },
    labels: [{ leg: 'international', shipment: 'S-1' }],
  });
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const label = { success: true, trackingNumber: 'T-1', label: link };
  await journal.recordOutcome(claim.id, {
    ...{ state: 'created', code: null, why: '', httpStatus: 200, ids: {}, overPrice: null },
    answer: JSON.stringify({ success: true, international: label }),
    labels: { international: { made: true, trackingNumber: 'T-1', link } },
  });
  await journal.close();
}
