import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Aborted, type Terminal } from './terminal.ts';

// What @inquirer/core lacks: a way back, pastes whose line breaks are not Enter, and no answer from keys typed too early.

/** The input of a prompt: the keys that are meant for it. */
export interface Keyboard {
  keys: PassThrough;
  /** Acts as if a person had typed it. */
  type(text: string): void;
  close(): void;
}

export interface KeyboardEvents {
  /** Esc. */
  back(): void;
  /** Ctrl-D on an empty line, or a terminal that is gone. */
  aborted(): void;
  /** Keys that mean nothing here. */
  ignored: readonly string[];
}

// A terminal sends the whole code of a key at once; only a slow line splits it.
const ESCAPE_TIMEOUT_MS = 50;
const PASTES_MARKED = '\x1b[?2004h';
const PASTES_AS_TYPED = '\x1b[?2004l';
const LINE_BREAKS = ['return', 'enter', 'tab'];

/** The keyboard for one question. Keys from before the question do not answer it. Throws `Aborted`. */
export async function openKeyboard(terminal: Terminal, events: KeyboardEvents): Promise<Keyboard> {
  const { input, output, turn } = terminal;
  if (input.readableEnded || input.destroyed) throw new Aborted();
  const keys = new PassThrough();
  const forward = forwarding(keys, events);
  const { aborted } = events;
  // Readline has no other way to set how long it waits; only the first call for a stream counts.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_TIMEOUT_MS } as unknown as Interface);
  const early = () => {};
  input.on('keypress', early).once('end', aborted).once('close', aborted).once('error', aborted);
  input.setRawMode(true);
  input.resume();
  await turn();
  input.off('keypress', early).on('keypress', forward);
  output.write(PASTES_MARKED);
  // Readline pauses its input when it closes, and a Ctrl-D closes it.
  keys.on('pause', aborted);
  return {
    keys,
    type: text => void keys.emit('keypress', text, { sequence: text }),
    close() {
      input.off('keypress', forward).off('end', aborted).off('close', aborted).off('error', aborted);
      input.setRawMode(false);
      input.pause();
      output.write(PASTES_AS_TYPED);
    },
  };
}

/** Passes keys on. A paste is text: its line breaks become blanks and answer nothing. */
function forwarding(keys: PassThrough, { back, ignored }: KeyboardEvents) {
  let pasting = false;
  let answered = false;
  let gap = false;
  const pass = (text: string | undefined, key: Key) => void keys.emit('keypress', text, key);

  const paste = (text: string | undefined, key: Key): void => {
    if (LINE_BREAKS.includes(key.name ?? '')) gap = true;
    else if (text && !key.ctrl && !key.meta) {
      if (gap) pass(' ', { name: 'space', sequence: ' ' });
      gap = false;
      pass(text, key);
    }
  };

  /** What comes together with an answer must not answer the next question. */
  const answer = (text: string | undefined, key: Key): void => {
    answered = true;
    pass(text, key);
    void Promise.resolve().then(() => (answered = false));
  };

  return (text: string | undefined, key: Key): void => {
    const { name = '' } = key;
    if (name === 'paste-start' || name === 'paste-end') {
      pasting = name === 'paste-start';
      gap = false;
    } else if (pasting) paste(text, key);
    else if (answered || ignored.includes(name) || (key.ctrl && name === 'z')) return;
    else if (name === 'escape') back();
    // A terminal may not mark pastes.
    else if (name === 'return' || name === 'enter') answer(text, key);
    else pass(text, key);
  };
}
