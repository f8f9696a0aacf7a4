// Named one by one, so that the bundle leaves out the others: the editor prompt alone brings half a megabyte.
export { confirm } from '@inquirer/prompts';
