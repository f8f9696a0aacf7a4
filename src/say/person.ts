// What a person at a terminal reads: options and commands as they are typed.
import { commandText } from '../text.ts';
import { type Message, type Reader, sayingOf, wordsFor } from './notices.ts';
import type { Text } from './sentence.ts';

export const personWords = (text: Text): string => text.map(wordsOfPart).join('');

export const PERSON: Reader = { saying: sayingOf, write: personWords };

export const messageWords = (message: Message): string => wordsFor(PERSON, message);

function wordsOfPart(part: Text[number]): string {
  if (typeof part === 'string') return part;
  switch (part.part) {
    case 'flag':
      return part.value === undefined ? part.flag : `${part.flag} ${part.value}`;
    case 'command':
      return `\`${commandText(part.command)}\``;
    case 'pattern':
      return `\`${part.pattern}\``;
    case 'reader':
      return personWords(part.person);
    case 'unspoken':
      return part.words;
  }
}
