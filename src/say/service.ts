// What is said of the service: its addresses, its answers, and what came of a request.
import { shortened, shown, shownId } from '../text.ts';
import {
  command,
  flag,
  next,
  pattern,
  type Saying,
  say,
  sentences,
  stranger,
  type Text,
} from './sentence.ts';

/** Where the address and the credentials come from: a profile, or the environment, where names of variables may be misspelt. */
type Owner = { profile: string } | { unknownVariables: readonly string[] };

const unknownVariablesText = (names: readonly string[]): Text =>
  names.length === 0 ? [] : say`. Unknown variables are set: ${names.join(', ')}`;

export const STRICT = say`With ${flag('--strict')} that is an error`;

// What went wrong with a connection.

const TRUST = say`${flag('--cacert', 'FILE')} (or WAYBILL_CACERT) makes an authority of your own trusted`;

const WIRE_FAULTS = {
  'no-answer': say`no answer`,
  failed: say`connection failed`,
  cancelled: say`cancelled`,
  forbidden: say`the journal says that it must not be sent`,
  refused: say`connection refused`,
  reset: say`connection reset`,
  'no-host': say`host name not found`,
  'no-look-up': say`host name cannot be looked up now`,
  'timed-out': say`connection timed out`,
  'host-unreachable': say`host unreachable`,
  'network-unreachable': say`network unreachable`,
  'unasked-answer': say`an answer of 100 or 101, which was not asked for`,
  closed: say`connection closed by the other side`,
  'head-too-large': say`the head of the answer is too large`,
  'not-http': say`the answer breaks the rules of HTTP`,
  'no-proxy': say`HTTPS_PROXY is not the address of a proxy. It is http://USER:PASSWORD@HOST:PORT, with % as %25 and @ as %40 in user and password`,
  'proxy-needs-user': say`the proxy requires a user and a password that it knows (407): HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT`,
  'certificate-early': say`certificate is not valid yet, or the clock here is wrong`,
  'certificate-expired': say`certificate has expired, or the clock here is wrong`,
  'self-signed': say`self-signed certificate; ${TRUST}`,
  'self-signed-authority': say`self-signed certificate in its chain; ${TRUST}`,
  'unknown-authority': say`no known authority signed the certificate; ${TRUST}`,
  'no-tls': say`the server does not speak TLS: is it an http: address, or the wrong port?`,
  'certificate-needed': say`the server requires a certificate from its clients, and accepts none that waybill sends. ${pattern('waybill profile set NAME clientCert=FILE clientKey=FILE')} gives a profile one`,
  'no-common-tls': say`the server and waybill, which speaks TLS 1.2 and 1.3, have no version or cipher of TLS in common`,
  'only-http2': say`the server speaks only HTTP/2, and waybill speaks HTTP/1.1`,
};

/** What broke an exchange. `peer`: the host, if nothing was sent: its address may be the wrong one. */
export type WireFault = { peer?: { host: string; isProxy: boolean } } & (
  | { fault: keyof typeof WIRE_FAULTS }
  | { fault: 'proxy-answered' | 'other-host' | 'tls-failed'; detail: string }
  | { fault: 'too-late'; seconds: number }
  | { fault: 'too-large'; bytes: number }
  /** `words`: of the system, or of a library. */
  | { fault: 'other'; words: string }
);

export function wireFaultText(fault: WireFault): Text {
  const { peer } = fault;
  if (peer) {
    const { peer: _, ...rest } = fault;
    return say`${wireFaultText(rest)} (${peer.isProxy ? 'HTTPS_PROXY is ' : ''}${peer.host})`;
  }
  switch (fault.fault) {
    case 'proxy-answered':
      return say`the proxy answered ${fault.detail}`;
    case 'other-host':
      return say`the certificate of the server is not for ${fault.detail}: is the address right, and is nothing in between?`;
    case 'tls-failed':
      return say`TLS cannot be set up: ${fault.detail}`;
    case 'too-late':
      return say`no complete answer within ${fault.seconds} s`;
    case 'too-large':
      return say`the answer is larger than ${fault.bytes} bytes`;
    case 'other':
      return say`${fault.words}`;
    default:
      return WIRE_FAULTS[fault.fault];
  }
}

// An answer of the service.

/** Why an answer is not the answer that was asked for. */
export type AnswerFault =
  | { fault: 'incomplete'; why: WireFault }
  | { fault: 'packed'; coding: string }
  | { fault: 'empty' | 'no-object' | 'unreadable' }
  | ({ fault: 'page' } & WebPage)
  | { fault: 'field-missing'; field: string }
  | { fault: 'field-unexpected'; field: string; value: string }
  | { fault: 'other-id'; id: string; asked: string };

/** A web page that came in place of an answer. */
interface WebPage {
  title?: string | undefined;
}

export const pageWords = (page: WebPage): string =>
  page.title === undefined ? 'a web page' : `a web page: ${page.title}`;

const packedWords = (body: { coding: string }): string =>
  `packed as ${shortened(body.coding)}, and does not unpack`;

const NO_OBJECT = 'it is not a JSON object';

export function answerFaultText(fault: AnswerFault): Text {
  switch (fault.fault) {
    case 'incomplete':
      return say`it is not complete: ${wireFaultText(fault.why)}`;
    case 'packed':
      return say`it is ${packedWords(fault)}`;
    case 'empty':
      return say`it is empty`;
    case 'no-object':
      return say`${NO_OBJECT}`;
    case 'unreadable':
      return say`it cannot be read`;
    case 'page':
      return say`it is ${pageWords(fault)}, not a JSON object`;
    case 'field-missing':
      return say`there is no ${fault.field} in it`;
    case 'field-unexpected':
      return say`its ${fault.field} is ${fault.value}, unlike in the service document`;
    case 'other-id':
      return say`it is about ${shownId(fault.id)}, and ${shownId(fault.asked)} was asked for`;
  }
}

/** How long the service asks to wait. `mostSeconds`: the longest time that waybill waits, if it is shorter. */
export type AskedWait = ({ until: string } | { seconds: number } | { overYear: true }) & {
  mostSeconds?: number;
};

function askedWaitWords(wait: AskedWait): string {
  if ('until' in wait) return `wait until ${wait.until}`;
  const long = 'seconds' in wait ? `${wait.seconds} s` : 'for more than a year';
  const { mostSeconds } = wait;
  return `wait ${long}${mostSeconds === undefined ? '' : ` (waybill waits at most ${mostSeconds} s)`}`;
}

/** An answer that reports no success. */
export interface ErrorAnswer {
  status: number;
  /** What the service document says about the status. */
  meaning?: string | undefined;
  /** The host that a redirect leads to; empty if the redirect names none. */
  redirect?: string | undefined;
  /** What the service says; empty if it says nothing. */
  message: string;
  wait?: AskedWait | undefined;
}

/** An error answer in words: `401 (the token is missing or invalid): Token expired`. */
export function errorAnswerWords(answer: ErrorAnswer): string {
  const { status, meaning, redirect, message, wait } = answer;
  const led = redirect && ` to ${redirect}`;
  const means = meaning ?? (redirect === undefined ? '' : `a redirect${led}, which is never followed`);
  return `${status}${means && ` (${means})`}${message && `: ${message}`}${wait ? `; ${askedWaitWords(wait)}` : ''}`;
}

/** A rejection in words. `message`: what the service says; empty if it says nothing. */
export const rejectedWords = (message: string): string =>
  `the service rejected it${message === '' ? ' and gave no reason' : `: ${message}`}`;

/** How an attempt failed that is made again. */
interface Attempt {
  /** The status of the answer, if an answer came. */
  status?: number | undefined;
  fault?: WireFault | undefined;
}

export const attemptText = (attempt: Attempt): Text =>
  attempt.status === undefined
    ? say`no answer: ${wireFaultText(attempt.fault ?? { fault: 'failed' })}`
    : say`the service answered ${attempt.status}`;

// Why a booking has the state that its answer gave it.

/** An id in an answer. `path`: its place; empty if the id is where it belongs. */
export interface SeenId {
  id: string;
  path: string;
}

/** `others`: ids in places that do not say what they name. `message`: what the service says. */
export type OutcomeReason =
  | { reason: 'no-answer'; fault: WireFault }
  | { reason: 'error'; answer: ErrorAnswer; ids?: readonly SeenId[] }
  | { reason: 'unreadable'; status: number; fault: AnswerFault; others: readonly SeenId[] }
  | {
      reason: 'no-id';
      status: number;
      texts: readonly { text: string; path: string }[];
      longest: number;
      others: readonly SeenId[];
    }
  | { reason: 'nothing-named'; status: number; others: readonly SeenId[]; message: string }
  | { reason: 'rejected'; message: string }
  | { reason: 'secrets-missing'; missing: readonly string[] }
  | { reason: 'legs-missing'; named: readonly string[]; others: readonly SeenId[] }
  | { reason: 'unlabelled'; legs: readonly string[]; message: string }
  /** `paths`: where the answer says `success: false`; empty: in its envelope. */
  | { reason: 'also-refused'; paths: readonly string[]; message: string };

const seenWords = (ids: readonly SeenId[]): string =>
  ids.map(({ id, path }) => `${shownId(id)}${path && ` at ${path}`}`).join(', ');

const othersWords = (ids: readonly SeenId[]): string =>
  ids.length === 0 ? '' : ` (ids in other places: ${seenWords(ids)})`;

const serviceSays = (message: string): string => message && `: ${message}`;

/** The reason in the words that the journal keeps. Some of these words may be the service's own. */
export function outcomeReasonText(reason: OutcomeReason): Text {
  switch (reason.reason) {
    case 'no-answer':
      return wireFaultText(reason.fault);
    case 'error': {
      const { answer, ids = [] } = reason;
      return say`the service answered ${errorAnswerWords(answer)}${ids.length === 0 ? '' : ` (ids in it: ${seenWords(ids)})`}`;
    }
    case 'unreadable':
      return say`the service answered ${reason.status}, but the answer cannot be read: ${answerFaultText(reason.fault)}${othersWords(reason.others)}`;
    case 'no-id': {
      const texts = reason.texts.map(
        ({ text, path }) => `${shown(text)} of ${text.length} characters at ${path}`,
      );
      return say`the service answered ${reason.status} with what cannot be an id: ${texts.join(', ')} (an id is whole text in one line, of at most ${reason.longest} characters)${othersWords(reason.others)}`;
    }
    case 'nothing-named':
      return say`the service answered ${reason.status} without saying what it made${othersWords(reason.others)}${reason.message && `. It says: ${reason.message}`}`;
    case 'rejected':
      return say`${rejectedWords(reason.message)}`;
    case 'secrets-missing':
      return say`the answer has no ${reason.missing.join(' and no ')}`;
    case 'legs-missing':
      return say`the answer names only the ${reason.named.join(' and ')} shipment${othersWords(reason.others)}`;
    case 'unlabelled':
      return say`no label for the ${reason.legs.join(' and ')} leg${serviceSays(reason.message)}`;
    case 'also-refused':
      return say`the answer also says success: false${reason.paths.length === 0 ? '' : ` at ${reason.paths.join(' and ')}`}${serviceSays(reason.message)}`;
  }
}

// The credential of a request.

/** A credential that the service refused, and where waybill has it from. */
interface RefusedCredential {
  status: number;
  command: string;
  /** Where the credential comes from, such as `WAYBILL_TOKEN` or `profile live`. */
  source: string;
  way: keyof typeof CURES;
  /** The profile that has the credential; absent: the environment has it. */
  profile?: { name: string; credential: string } | undefined;
  /** The scope that the operation needs. */
  scope?: string | undefined;
}

const CURES = {
  token: say`set another one`,
  headers: say`check what they contain`,
  file: say`its file has no other one`,
  command: say`run its command to see what it prints`,
  url: say`a new one was refused, too`,
};

/** Which credential the service refused, and what to do about it. */
function refusedCredentialText(refused: RefusedCredential): Text {
  const { status, source, way, profile, scope } = refused;
  const credential = say`The credential of ${source}${profile && ` (${profile.credential})`}`;
  if (status === 403)
    return say`${credential} is known, but may not do this${scope && `: ${refused.command} needs the scope ${scope}`}`;
  const cure =
    way === 'token' && profile
      ? say`${command('waybill', 'profile', 'set', profile.name, '--token-stdin')} sets another one`
      : CURES[way];
  const whoami = ['waybill', 'profile', 'whoami', ...(profile ? ['--profile', profile.name] : [])];
  return say`${credential} is not accepted${scope && `, or lacks the scope ${scope}`}; ${cure}. ${next(...whoami)} shows where it comes from`;
}

/** Why a token address gave no token. */
export type TokenFault =
  | { fault: 'no-answer'; why: WireFault }
  | { fault: 'refused'; status: number; message: string }
  /** The server of the token cannot answer now. */
  | { fault: 'failed'; status: number; message: string }
  | { fault: 'incomplete'; status: number; why: WireFault }
  /** `paths`: where a token was looked for, or where different tokens are. */
  | {
      fault: 'no-token' | 'several-tokens';
      status: number;
      paths: readonly string[];
      fields: readonly string[];
    };

function tokenFaultSaying(fault: TokenFault): Saying {
  switch (fault.fault) {
    case 'no-answer':
      return { what: attemptText({ fault: fault.why }) };
    case 'failed':
      return { what: say`answered ${errorAnswerWords(fault)}` };
    case 'refused':
      return {
        what: say`answered ${errorAnswerWords(fault)}`,
        toDo: say`Check its client headers and its address`,
      };
    case 'incomplete':
      return { what: say`answered ${fault.status}, but not completely: ${wireFaultText(fault.why)}` };
    default: {
      const { status, paths, fields } = fault;
      const tokens = fault.fault === 'no-token' ? 'is no token' : 'are different tokens';
      const content = fields.length === 0 ? NO_OBJECT : `its fields are ${fields.join(', ')}`;
      return {
        what: say`answered ${status}, but there ${tokens} at ${paths.join(', ')}; ${content}`,
        toDo: say`Set its path in the profile, such as tokenField=data.jwt`,
      };
    }
  }
}

// The file of a label.

/** Why the file that a link to a label leads to is not fetched. */
export type LinkFault =
  | { fault: 'no-answer'; why: WireFault }
  | { fault: 'part'; status: number; bytes: number }
  | { fault: 'packed'; coding: string }
  /** `host`: the host that the link was redirected to. `source`: where the credential comes from that was sent as well. */
  | { fault: 'refused'; status: number; host?: string | undefined; source?: string | undefined }
  | { fault: 'redirects'; most: number }
  | { fault: 'credential' | 'no-url' | 'user-name' | 'not-https' }
  | { fault: 'network'; network: string; host: string };

function linkFaultText(fault: LinkFault): Text {
  switch (fault.fault) {
    case 'no-answer':
      return wireFaultText(fault.why);
    case 'part':
      return say`its link gave only a part of the file (${fault.status}, ${fault.bytes} bytes)`;
    case 'packed':
      return say`its file is ${packedWords(fault)}`;
    case 'refused':
      return say`its link was ${fault.host && `redirected to ${fault.host}, and `}answered with ${fault.status}${fault.source && `, also with the credential of ${fault.source}`}`;
    case 'redirects':
      return say`its link was redirected more than ${fault.most} times`;
    case 'credential':
      return say`its link had a credential, which is masked and lost`;
    case 'no-url':
      return say`its link is not a URL`;
    case 'user-name':
      return say`its link has a user name or a password, which is never sent`;
    case 'not-https':
      return say`its link is not https:`;
    case 'network':
      return say`its link leads to ${fault.network}, where the service is not: ${fault.host} was not asked`;
  }
}

// Certificates.

/** A PEM file, and the option, variable or setting that names it. */
interface PemFile {
  path: string;
  by: string;
}

const ofFile = (setting: string, path: string, fault: string): Text =>
  say`${setting.startsWith('--') ? flag(setting) : setting}: ${path} ${fault}`;

const COPY_AGAIN = say`Copy the file again`;

export const SERVICE = {
  'no-sandbox': (notice: { command: string }): Saying => ({
    what: say`${notice.command} has no sandbox address`,
    toDo: say`For production, give ${flag('--no-sandbox')}`,
  }),
  'no-profile-and-no-address': (notice: {
    command: string;
    unknownVariables: readonly string[];
  }): Saying => ({
    what: say`there is no profile and no address in the environment`,
    toDo: say`To try it: ${pattern(`waybill ${notice.command} --profile demo`)}. For your service: ${pattern('waybill profile add NAME')} (in a script ${pattern('waybill profile add NAME --base-url URL --token-stdin')}), or set WAYBILL_BASE_URL and WAYBILL_TOKEN${unknownVariablesText(notice.unknownVariables)}`,
  }),
  'address-missing': (notice: Owner & { address: 'production' | 'sandbox' }): Saying => {
    if ('profile' in notice) {
      const setting = notice.address === 'sandbox' ? 'sandboxBaseUrl' : 'baseUrl';
      return {
        what: say`the profile ${notice.profile} has no ${notice.address === 'sandbox' ? 'sandbox ' : ''}address`,
        toDo: say`Set one: ${pattern(`waybill profile set ${notice.profile} ${setting}=URL`)}`,
      };
    }
    const variable = notice.address === 'sandbox' ? 'WAYBILL_SANDBOX_BASE_URL' : 'WAYBILL_BASE_URL';
    return {
      what: say`there is no ${notice.address} address: set ${variable}${unknownVariablesText(notice.unknownVariables)}`,
    };
  },
  /** `unused`: the variables that hold a token which is not used. */
  'credentials-missing': (notice: Owner & { unused: readonly string[] }): Saying =>
    'profile' in notice
      ? {
          what: say`the profile ${notice.profile} has no credentials`,
          toDo: sentences(
            say`${command('waybill', 'profile', 'set', notice.profile, '--token-stdin')} reads a token`,
            notice.unused.length === 0
              ? []
              : say`${flag('--profile')} does not use ${notice.unused.join(' and ')}`,
          ),
        }
      : {
          what: say`WAYBILL_BASE_URL is set, but neither WAYBILL_TOKEN nor WAYBILL_TOKEN_FILE; it never gets the credential of a profile${unknownVariablesText(notice.unknownVariables)}`,
        },

  'id-not-allowed': (notice: { id: string }): Saying => ({ what: say`${stranger(notice.id)} is not an id` }),
  /** After a first signal, while a booking is being sent. */
  'stopping-after-booking': (notice: { command: string }): Saying => ({
    what: say`${notice.command}: stopping as soon as its outcome is known; a second signal leaves it unknown`,
  }),
  /** `wait`: milliseconds. */
  'trying-again': (retry: Attempt & Record<'wait' | 'attempt' | 'attempts', number>): Saying => ({
    what: say`${attemptText(retry)}; trying again in ${Math.ceil(retry.wait / 1000)} s (attempt ${retry.attempt} of ${retry.attempts})`,
  }),
  /** `isAnswer`: is it said of an answer that came just now? */
  'not-of-production': (origin: { isDemo: boolean; isSandbox: boolean; isAnswer: boolean }): Saying => {
    const [name, world] = origin.isDemo
      ? [`demo${origin.isSandbox ? ' (sandbox)' : ''}`, 'built-in emulator']
      : ['sandbox', 'sandbox'];
    return {
      what: say`${name}: ${origin.isAnswer ? `the ${world} answered` : `this is of the ${world}`}; nothing real was booked or moved`,
    };
  },

  'shipments-unread': (notice: Record<'failed' | 'shipments', number>): Saying => ({
    what: say`track: ${notice.failed} of ${notice.shipments} shipments could not be read`,
  }),
  'no-answer': (read: { command: string; address: string; why: WireFault }): Saying => ({
    what: say`${read.command}: no answer from ${read.address}: ${wireFaultText(read.why)}`,
  }),
  /** `id`: the id that was asked for, if the service did not find it. */
  'error-answered': (
    notice: ErrorAnswer & { command: string; address: string; id?: string | undefined },
  ): Saying => ({
    what: say`${notice.command}: ${notice.address} answered ${errorAnswerWords(notice)}`,
    toDo: notice.id === undefined ? [] : say`The id was ${shortened(notice.id)}`,
  }),
  'read-rejected': (notice: { command: string; message: string }): Saying => ({
    what: say`${notice.command}: ${rejectedWords(notice.message)}`,
  }),
  'answer-unusable': (
    notice: AnswerFault & { command: string; address: string; status: number },
  ): Saying => ({
    what: say`${notice.command}: the answer of ${notice.address} (${notice.status}) cannot be used: ${answerFaultText(notice)}`,
  }),

  'token-not-fetched': (notice: TokenFault & { source: string; url: string }): Saying => {
    const { what, toDo = [] } = tokenFaultSaying(notice);
    return { what: say`no token for ${notice.source}: POST ${notice.url}: ${what}`, toDo };
  },
  'token-not-saved': (notice: { why: string }): Saying => ({
    what: say`the token could not be saved: ${notice.why}`,
  }),
  'credential-refused': (refused: RefusedCredential): Saying => ({ what: refusedCredentialText(refused) }),
  'label-not-fetched': (fault: LinkFault): Saying => ({ what: linkFaultText(fault) }),

  'key-without-certificate': (notice: { by: string }): Saying => ({
    what: say`${notice.by} is set, but not clientCert, its certificate`,
  }),
  'pem-file-unreadable': (notice: PemFile & { why: string }): Saying => ({
    what: ofFile(notice.by, notice.path, `cannot be read: ${notice.why}`),
  }),
  'certificate-missing': (notice: PemFile): Saying => ({
    what: ofFile(notice.by, notice.path, 'has no certificate in PEM (-----BEGIN CERTIFICATE-----)'),
    toDo: say`Of a binary one: \`openssl x509 -inform der -in FILE -out FILE.pem\``,
  }),
  'certificate-damaged': (notice: PemFile & { why: string }): Saying => ({
    what: ofFile(notice.by, notice.path, `has a damaged certificate (${notice.why})`),
    toDo: COPY_AGAIN,
  }),
  'certificate-refused': (notice: PemFile & { why: string }): Saying => ({
    what: ofFile(notice.by, notice.path, `has a certificate that TLS refuses (${notice.why})`),
    toDo: say`Ask for a new one`,
  }),
  'key-of-other-certificate': (notice: PemFile & { certificate: string }): Saying => ({
    what: ofFile(notice.by, notice.path, `is not the key of the first certificate in ${notice.certificate}`),
  }),
  'key-missing': (notice: PemFile): Saying => ({
    what: ofFile(notice.by, notice.path, 'has no private key in PEM (-----BEGIN PRIVATE KEY-----)'),
    toDo: say`clientKey names the file of the key`,
  }),
  'key-with-passphrase': (notice: PemFile): Saying => ({
    what: ofFile(notice.by, notice.path, 'has a passphrase'),
    toDo: say`\`openssl pkey -in FILE -out NEW\` removes it; let only you read that file`,
  }),
  'key-unreadable': (notice: PemFile & { why: string }): Saying => ({
    what: ofFile(notice.by, notice.path, `has a key that is damaged, or of an unknown kind (${notice.why})`),
    toDo: COPY_AGAIN,
  }),
};
