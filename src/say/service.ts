// What is said of the service: its addresses, its answers, and what came of a request.
import { command, flag, pattern, type Saying, say, type Text } from './sentence.ts';

/** Who has the address and the credentials: a profile; or the environment, in which variables may have a wrong name. */
type Owner = { profile: string } | { unknownVariables: readonly string[] };

const unknownVariablesText = (names: readonly string[]): Text =>
  names.length === 0 ? [] : say`. These variables are set, but unknown: ${names.join(', ')}`;

export const SERVICE = {
  'no-sandbox': ({ command: typed }: { command: string }): Saying => ({
    what: say`${typed} has no sandbox address, and production is never used in its place`,
    toDo: say`To call production, give ${flag('--no-sandbox')}`,
  }),
  'no-profile-and-no-address': ({
    command: typed,
    unknownVariables,
  }: {
    command: string;
    unknownVariables: readonly string[];
  }): Saying => ({
    what: say`there is no profile and no address in the environment`,
    toDo: say`To try it with nothing set up: ${pattern(`waybill ${typed} --profile demo`)}. For your own service: ${pattern('waybill profile add NAME')}, which asks for the rest (in a script: ${pattern('waybill profile add NAME --base-url URL --token-stdin')}), or set WAYBILL_BASE_URL and WAYBILL_TOKEN${unknownVariablesText(unknownVariables)}`,
  }),
  'address-missing': ({ address, ...owner }: Owner & { address: 'production' | 'sandbox' }): Saying => {
    if ('profile' in owner) {
      const setting = address === 'sandbox' ? 'sandboxBaseUrl' : 'baseUrl';
      return {
        what: say`the profile ${owner.profile} has no ${address === 'sandbox' ? 'sandbox ' : ''}address`,
        toDo: say`${pattern(`waybill profile set ${owner.profile} ${setting}=URL`)} gives it one`,
      };
    }
    const variable = address === 'sandbox' ? 'WAYBILL_SANDBOX_BASE_URL' : 'WAYBILL_BASE_URL';
    return {
      what: say`there is no ${address} address: set ${variable}${unknownVariablesText(owner.unknownVariables)}`,
    };
  },
  'credentials-missing': (owner: Owner): Saying =>
    'profile' in owner
      ? {
          what: say`the profile ${owner.profile} has no credentials`,
          toDo: say`${command('waybill', 'profile', 'set', owner.profile, '--token-stdin')} reads a token`,
        }
      : {
          what: say`the address comes from the environment, but WAYBILL_TOKEN is not set, nor WAYBILL_TOKEN_FILE: an address of the environment never gets the credential of a profile${unknownVariablesText(owner.unknownVariables)}`,
        },
};
