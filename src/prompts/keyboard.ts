import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Aborted, type Terminal } from './terminal.ts';

/** What a prompt takes for its input: the keys that are meant for it. */
export interface Keyboard {
  keys: PassThrough;
  /** As if a person had typed it. */
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

// A terminal sends the whole code of a key at once; only a slow line tears it apart. In milliseconds.
const ESCAPE_TIMEOUT_MS = 50;
const PASTES_MARKED = '\x1b[?2004h';
const PASTES_AS_TYPED = '\x1b[?2004l';
const LINE_BREAKS = ['return', 'enter', 'tab'];

/** The keyboard for one question. What was typed before the question was there is no answer to it. Throws `Left`. */
export async function openKeyboard(terminal: Terminal, events: KeyboardEvents): Promise<Keyboard> {
  const { input, output, turn } = terminal;
  if (input.readableEnded || input.destroyed) throw new Aborted();
  const keys = new PassThrough();
  const forward = forwarding(keys, events);
  const { aborted } = events;
  // Readline has no other way to say how long it waits; what counts is the first call for a stream.
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

/** Passes keys on; a paste is text, whatever is in it: its line breaks are blanks and answer nothing. */
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

  return (text: string | undefined, key: Key): void => {
    const { name = '' } = key;
    if (name === 'paste-start' || name === 'paste-end') {
      pasting = name === 'paste-start';
      gap = false;
    } else if (pasting) paste(text, key);
    else if (answered || ignored.includes(name) || (key.ctrl && name === 'z')) return;
    else if (name === 'escape') back();
    else {
      answered = name === 'return' || name === 'enter';
      pass(text, key);
      // Where pastes are not marked, what comes along with an Enter is no answer to the next question.
      if (answered) void Promise.resolve().then(() => (answered = false));
    }
  };
}
