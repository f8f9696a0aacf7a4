// Is the folder of the local journal on a disk of this machine? On a network disk, the locks and the shared memory of SQLite work
// within one machine only: two machines would book the same orders, and damage the file.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { vouchedFor } from '../profile/environment.ts';
import type { Notice } from '../say/notices.ts';

/** File systems that several machines may have open at one time, by their numbers in Linux. */
const NETWORK = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x20030528, 'OrangeFS'],
  [0xaad7aaea, 'PanFS'],
  [0xbeefdead, 'StorNext'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

/** File systems that hide whether a disk of this machine or a network is behind them, as in containers and virtual machines. */
const HIDDEN = new Map([
  [0x65735546, 'FUSE'],
  [0x01021997, '9p'],
  [0x786f4256, 'a shared folder of VirtualBox'],
  [0xbacbacbc, 'a shared folder of VMware'],
  [0x7c7c6673, 'a shared folder of Parallels'],
]);

/**
 * What to warn of before anything is booked with the journal in `file`; `undefined`: nothing. Throws `storage` if its folder is on
 * a network; for the demo, which books nothing real, that is a warning.
 */
export function stateDiskWarning(
  host: Pick<Host, 'env' | 'fileSystem'>,
  file: string,
  isDemo: boolean,
): Notice | undefined {
  if (vouchedFor(host.env, 'stateDisk')) return undefined;
  let present = file;
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  const number = host.fileSystem(present);
  if (number === undefined) return undefined;
  const hidden = HIDDEN.get(number);
  if (hidden !== undefined) return { kind: 'journal-perhaps-on-network', path: file, fileSystem: hidden };
  const network = NETWORK.get(number);
  if (network === undefined) return undefined;
  const notice: Notice = { kind: 'journal-on-network', path: file, fileSystem: network };
  if (isDemo) return notice;
  throw new Failure('storage', notice);
}
