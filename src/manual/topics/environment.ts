import type { Section } from '../document.ts';

export const TOPIC: readonly Section[] = [
  {
    title: 'Who wins',
    blocks: [
      'A flag, then the environment, then the profile, then the built-in default. A variable of waybill that is empty, 0 or false is as good as unset.',
    ],
  },
  {
    title: 'Where requests go, and as whom',
    blocks: [
      {
        rows: [
          ['WAYBILL_PROFILE', 'The profile, as --profile names it. demo is the built-in emulator.'],
          ['WAYBILL_BASE_URL', 'The address of the service. With WAYBILL_TOKEN no profile is needed.'],
          ['WAYBILL_SANDBOX_BASE_URL', 'The address of its sandbox.'],
          [
            'WAYBILL_TOKEN',
            'The credential for these addresses. It never goes to the address of a profile, nor the credential of a profile to them; a mixture is exit 3.',
          ],
          ['WAYBILL_AUTH_HEADER', 'The header that carries WAYBILL_TOKEN (default: authorization).'],
          ['WAYBILL_AUTH_SCHEME', 'The word before it (default: Bearer).'],
          ['WAYBILL_SANDBOX', '1: use the sandbox, as --sandbox does.'],
          [
            'WAYBILL_ECONOMY_CARRIERS',
            'Ids of the economy carrier, with commas between them: it needs IOSS and marketplace numbers.',
          ],
        ],
      },
      'With --profile on the command line WAYBILL_BASE_URL, WAYBILL_SANDBOX_BASE_URL and WAYBILL_TOKEN count for nothing. `waybill profile whoami` tells, without network, what would be used and why.',
    ],
  },
  {
    title: 'How a command works',
    blocks: [
      {
        rows: [
          ['WAYBILL_OUTPUT', 'The output format, as --output names it.'],
          [
            'WAYBILL_TIMEOUT',
            'Seconds for one attempt of a read (default: 30). A booking has 180 s whatever it says, as a short time makes unknowns; --timeout alone changes that.',
          ],
          ['WAYBILL_RETRIES', 'Further attempts where one is safe (default: 3), as --retries.'],
          ['WAYBILL_DEBUG', '1: show the HTTP exchange on stderr, as --verbose does.'],
          [
            'CI',
            'Set: never prompt, and refuse to book against production with a local journal that does not exist yet.',
          ],
        ],
      },
    ],
  },
  {
    title: 'How it looks',
    blocks: [
      {
        rows: [
          ['NO_COLOR', 'Set: no colours, and questions as plain lines.'],
          ['FORCE_COLOR', 'Set: colours though it is no terminal. NO_COLOR and --no-color win.'],
          ['TERM', 'dumb: nothing is coloured or drawn again.'],
          ['WAYBILL_ACCESSIBLE', '1: the same, for screen readers.'],
        ],
      },
    ],
  },
  {
    title: 'Where files are',
    blocks: [
      {
        rows: [
          [
            'WAYBILL_CONFIG_DIR',
            'The folder of config.json with the profiles (default: waybill in XDG_CONFIG_HOME or ~/.config; on macOS in ~/Library/Preferences, on Windows in APPDATA).',
          ],
          [
            'WAYBILL_STATE_DIR',
            'The folder of the journal, drafts, labels and the world of demo (default: waybill in XDG_STATE_HOME or ~/.local/state; on macOS in ~/Library/Application Support, on Windows in LOCALAPPDATA).',
          ],
          [
            'XDG_CACHE_HOME',
            'The folder of what Node compiled of the command (default: ~/.cache; on macOS it is ~/Library/Caches, on Windows LOCALAPPDATA).',
          ],
          ['NODE_DISABLE_COMPILE_CACHE', '1: do not keep that.'],
        ],
      },
    ],
  },
  {
    title: 'One journal for many',
    blocks: [
      {
        rows: [
          [
            'WAYBILL_JOURNAL',
            'The address of a journal in PostgreSQL that many machines share: postgres://waybill@db.example.com/waybill. It wins over the journal of the profile. See `waybill help journal`.',
          ],
          ['PGPASSWORD', 'Its password, where the address has none.'],
          ['PGPASSFILE', 'A file with passwords of PostgreSQL (default: ~/.pgpass).'],
        ],
      },
    ],
  },
  {
    title: 'On the way to the service',
    blocks: [
      {
        rows: [
          ['HTTPS_PROXY, https_proxy', 'The proxy for what is not on loopback.'],
          ['NO_PROXY, no_proxy', 'Hosts that it is not for.'],
          ['NODE_EXTRA_CA_CERTS', 'A file with certificates of your own authority, for Node.'],
        ],
      },
      'NODE_TLS_REJECT_UNAUTHORIZED changes nothing: certificates are always verified.',
    ],
  },
];
