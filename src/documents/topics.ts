// The sections of docs/ that `waybill help TOPIC` shows. The build writes them as `dist/topics.json`.
import { readFile } from 'node:fs/promises';
import { TOPICS } from '../shell/topics.ts';

/** By the name of a topic: its sections as Markdown. Each begins with its heading, without the `## ` in front. */
export async function topics(): Promise<Readonly<Record<string, readonly string[]>>> {
  const sections = async (topic: (typeof TOPICS)[string]) => {
    const parts = (await readFile(`docs/${topic.page}.md`, 'utf8')).split(/^## /m);
    return topic.headings.map(heading => parts.find(part => part.startsWith(`${heading}\n`)) ?? '');
  };
  const entries = Object.entries(TOPICS).map(async ([name, topic]) => [name, await sections(topic)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
