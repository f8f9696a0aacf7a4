// What a weave needs of the command, so that it can be built with code put into it.
export { Journal } from '../../src/journal/journal.ts';
export { main } from '../../src/main.ts';
export { Service } from '../../src/service/service.ts';
