// Runs a command on a real terminal and gives the screen that a person sees.
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { runsOf } from './picture-svg.mjs';

const LONGEST = 120_000;

/**
 * Starts `line` in bash, with a prompt and the line above what it prints. `shows` resolves when the screen does; `seen`
 * gives the runs of each line, down to the last that is not empty.
 */
export function openScreen(line, { columns, rows, env, cwd, within = [] }) {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
  terminal.write(`\x1b[2m$\x1b[22m \x1b[1m${line}\x1b[22m\r\n`);
  const [program = 'bash', ...args] = [...within, 'bash', '-c', line];
  const pty = spawn(program, args, { name: 'xterm-256color', cols: columns, rows, env, cwd });
  let look = () => {};
  let hasEnded = false;
  pty.onData(data => terminal.write(data, () => look()));
  const ended = new Promise(done => {
    pty.onExit(({ exitCode }) =>
      terminal.write('', () => {
        hasEnded = true;
        look();
        done(exitCode);
      }),
    );
  });

  const bufferLines = () => {
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at));
    const isEmpty = each => each.translateToString(true).trim() === '';
    return all.slice(0, all.findLastIndex(each => !isEmpty(each)) + 1);
  };
  const text = () =>
    bufferLines()
      .map(each => each.translateToString(true).trimEnd())
      .join('\n');

  const shows = wanted =>
    new Promise((done, fail) => {
      const timer = setTimeout(() => settle(fail, `${LONGEST} ms went by`), LONGEST);
      const settle = (how, why) => {
        clearTimeout(timer);
        look = () => {};
        how(why === undefined ? undefined : new Error(`${why} before ${wanted} was shown:\n${text()}`));
      };
      look = () => {
        if (wanted.test(text())) settle(done);
        else if (hasEnded) settle(fail, 'the command ended');
      };
      look();
    });

  return {
    shows,
    ended,
    type: words => pty.write(words),
    /** From the first line that matches. */
    seen(from = /^/) {
      const all = bufferLines();
      const first = all.findIndex(each => from.test(each.translateToString(true)));
      return { columns, lines: all.slice(first).map(runsOf) };
    },
    close() {
      if (!hasEnded) pty.kill('SIGKILL');
      terminal.dispose();
    },
  };
}
