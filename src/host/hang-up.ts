import { closeSync, fstatSync, readFileSync, statSync } from 'node:fs';

/**
 * Was the process started to survive its terminal, as by `nohup`? Node forgets that its parent ignored SIGHUP, so this
 * looks at what is left to see: a parent that ignores it (a script run by `nohup`, `trap '' HUP`), the variable in which a
 * shell names the program that it starts, and the /dev/null for writing that `nohup` opens as stdin.
 */
export const ignoresHangUp = (): boolean =>
  /(^|\/)nohup$/.test(process.env._ ?? '') ||
  /^SigIgn:\t.*[13579bdf]$/m.test(fromSystem(`/proc/${process.ppid}/status`)) ||
  /^flags:\t0*\d*1$/m.test(fromSystem('/proc/self/fdinfo/0'));

function fromSystem(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Only Linux has it.
    return '';
  }
}

/**
 * Closes the streams whose terminal is gone. To be called last: Node resets each terminal when it ends, and aborts the
 * process where that fails.
 */
export function closeLostTerminals(): void {
  for (const fd of [0, 1, 2])
    try {
      const stat = fstatSync(fd);
      // For a file, a pipe and /dev/null no module need be loaded.
      const isDevice = stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
      if (isDevice && !process.getBuiltinModule('node:tty').isatty(fd)) closeSync(fd);
    } catch {
      // It is closed already.
    }
}
