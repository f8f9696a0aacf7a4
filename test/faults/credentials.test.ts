import { COMMAND } from './credentials-command.ts';
import { GIVEN } from './credentials-given.ts';
import { RENEWAL } from './credentials-renewal.ts';
import { STORE } from './credentials-store.ts';
import { URL_FAULTS } from './credentials-url.ts';
import { runFaults } from './fault.ts';

runFaults('credentials that are given', GIVEN);
runFaults('a program that prints the token', COMMAND);
runFaults('an address that gives tokens', URL_FAULTS);
runFaults('tokens that end', RENEWAL);
runFaults('the file that holds the secrets', STORE);
