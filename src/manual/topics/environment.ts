import { sectionsOf } from '../document.ts';

export const TOPIC = sectionsOf(`
# Precedence

A flag wins over the environment, the environment over the profile, and the profile over the default. A WAYBILL_ variable that is empty, 0 or false counts as not set. One that is a known one with some letters wrong is exit 2 where something would be booked, and a warning elsewhere.

# Address and credentials

WAYBILL_PROFILE             The profile, like --profile. demo is the built-in emulator.
WAYBILL_BASE_URL            The address of the service. Together with WAYBILL_TOKEN no profile is needed.
WAYBILL_SANDBOX_BASE_URL    The address of its sandbox.
WAYBILL_TOKEN               The credential for these addresses. It is never sent to the address of a profile, and the credential of a profile is never sent to them; a mixture is exit 3. Programs that waybill starts do not get it, nor PGPASSWORD, nor a WAYBILL_JOURNAL with a password.
WAYBILL_TOKEN_FILE          In place of WAYBILL_TOKEN: a file with the token, without the line break at its end. It is read again when the service refuses the token with 401. Both together are exit 2.
WAYBILL_AUTH_HEADER         The header that carries the token (default: authorization).
WAYBILL_AUTH_SCHEME         The word before the token (default: Bearer). none: the bare token.
WAYBILL_REQUEST_ID_HEADER   The header that gets an id of its own in each request, such as X-Request-Id, like requestIdHeader of a profile. The log has it, too.
WAYBILL_SANDBOX             1: use the sandbox, like --sandbox.
WAYBILL_ECONOMY_CARRIERS    The ids of the economy carrier, separated by commas. It needs IOSS and marketplace numbers. If it is not set, a proposal of the service type economy gives a warning without them.

With --profile on the command line WAYBILL_BASE_URL, WAYBILL_SANDBOX_BASE_URL, WAYBILL_TOKEN and WAYBILL_TOKEN_FILE are ignored. \`waybill profile whoami\` shows what a command would use and why, without sending anything.

# Behaviour

WAYBILL_OUTPUT            The output format, like --output.
WAYBILL_TIMEOUT           For one attempt of a read, such as 90 or 5m (default: 30). It does not change the 180 s of a booking, because a short time makes bookings unknown; only --timeout does.
WAYBILL_RETRIES           Further attempts when a retry is safe (default: 3), like --retries.
WAYBILL_RUN               Which run this is, like --run. It is recorded with each booking. In GitHub Actions, GitLab CI, Jenkins, CircleCI, Buildkite and Azure Pipelines it is the address of the job unless you set it.
WAYBILL_ACTOR             Who runs it, like --actor. Recorded too. In CI it is the user that the CI system names, elsewhere user@host.
WAYBILL_LOG               The file that gets a line for each event, like --log. See \`waybill help output\`.
WAYBILL_DEBUG             1: show the HTTP exchange on stderr, like --verbose.
CI                        Set: never prompt, and do not book against production while the journal does not exist.
WAYBILL_REQUIRE_JOURNAL   1: do not book at any address while the journal does not exist, and do not create the tables of a shared one (exit 10). --new-journal does.

# Appearance

NO_COLOR             Set: no colours, and questions as plain lines.
FORCE_COLOR          Set: colours even if the output is not a terminal. NO_COLOR and --no-color win over it.
TERM                 dumb: no colours, and no drawn questions or progress.
WAYBILL_ACCESSIBLE   1: the same, for screen readers.

# Folders

WAYBILL_CONFIG_DIR           The folder of config.json, which has the profiles (default: waybill in XDG_CONFIG_HOME or ~/.config; on macOS in ~/Library/Preferences, on Windows in APPDATA).
WAYBILL_STATE_DIR            The folder of the journal, drafts, labels, what this machine has seen of shared journals, and the data of demo (default: waybill in XDG_STATE_HOME or ~/.local/state; on macOS in ~/Library/Application Support, on Windows in LOCALAPPDATA).
XDG_CACHE_HOME               The folder of compiled code, for a faster start (default: ~/.cache; on macOS it is ~/Library/Caches, on Windows LOCALAPPDATA).
NODE_DISABLE_COMPILE_CACHE   1: do not keep compiled code.
TMPDIR                       The folder for the orders of a large batch that wait to be sent (default: /tmp; on Windows it is TEMP). Up to 4 MB wait in memory.

WAYBILL_CONFIG_DIR and WAYBILL_STATE_DIR are absolute paths (else exit 2), because a relative one would make a journal for each folder. A relative XDG_ variable is ignored. A user without a home folder (no HOME) books and saves profiles only with these two; everything else runs without them. What cannot be written is done without (compiled code), or ends the command with exit 10 and the variable to set.

# A shared journal

WAYBILL_JOURNAL   The address of a journal in PostgreSQL that many machines share, such as postgres://waybill@db.example.com/waybill. It wins over the journal of the profile. See \`waybill help journal\`.
PGPASSWORD        Its password, if the address has none.
PGPASSFILE        A password file of PostgreSQL (default: ~/.pgpass).

# Network

WAYBILL_CACERT             A file with the certificate of an authority (PEM) that is trusted in addition to the usual ones, like --cacert. It wins over the setting caCert of the profile.
HTTPS_PROXY, https_proxy   The proxy for all addresses except loopback, such as http://USER:PASSWORD@proxy.example.com:3128. User and password are never shown.
NO_PROXY, no_proxy         The hosts that need no proxy.
NODE_EXTRA_CA_CERTS        A file with the certificates of your own authority, for Node.

NODE_TLS_REJECT_UNAUTHORIZED has no effect: certificates are always verified.
`);
