import type { CommandOption } from '#server/modules/control/command.ts'

// The options of commands that are not data commands, for `parseArgs` and for the help. Declared
// separately, so that the help does not load the commands.

type Options = Readonly<Record<string, CommandOption>>

export const DATA_OPTION = {
  type: 'string',
  takes: 'DIR',
  isRequired: true,
  about: 'Data folder of the gateway, the folder of the database.',
} as const satisfies CommandOption

const RECOVERY_KEY_OPTION = {
  type: 'boolean',
  about: 'Read the recovery key from standard input.',
} as const satisfies CommandOption

export const SERVE_OPTIONS = {
  data: DATA_OPTION,
  http: {
    type: 'string',
    takes: 'HOST:PORT',
    about: 'Address of the window and of the interface for partners, without encryption.',
    initial: 'the settings http.host and http.port',
  },
  https: {
    type: 'string',
    takes: 'HOST:PORT',
    about: 'Address of the window for other PCs, with TLS.',
    initial: 'what the settings say',
  },
  dimse: {
    type: 'string',
    takes: 'HOST:PORT',
    about: 'Address that devices call.',
    initial: 'the settings dimse.host and dimse.port',
  },
  'dimse-tls': {
    type: 'string',
    takes: 'PORT|off',
    about: 'Port that devices call with TLS, at the address of --dimse.',
    initial: 'the setting dimse.tlsPort',
  },
  'ae-title': {
    type: 'string',
    takes: 'T',
    about: 'AE title of the gateway.',
    initial: 'the setting dimse.aeTitle',
  },
  'partner-url': {
    type: 'string',
    takes: 'URL',
    about: 'Where the webhooks of the partner are sent; it is kept.',
  },
  'partner-secret': { type: 'string', about: '', isHidden: true },
  'partner-secret-file': {
    type: 'string',
    takes: 'FILE',
    about: 'File with the secret that the webhooks are signed with.',
  },
  'allow-unknown-devices': {
    type: 'boolean',
    about: 'Serve devices that are not in the list too.',
  },
  'data-key-file': {
    type: 'string',
    takes: 'FILE',
    about: 'File with the data key, where it is not kept in the data folder.',
  },
  'data-key-from-parent': { type: 'boolean', about: '', isHidden: true },
  'log-file': {
    type: 'string',
    takes: 'FILE',
    about: 'File that the log is written to.',
    initial: 'standard error',
  },
  'log-level': {
    type: 'string',
    takes: 'LEVEL',
    default: 'info',
    about: 'Least level that is logged: fatal, error, warn, info, debug or trace.',
  },
  rescue: {
    type: 'boolean',
    default: false,
    about: 'Serve a page to restore a backup where the data cannot be opened.',
  },
  'safe-mode': {
    type: 'boolean',
    about: 'Serve only the window of this PC: no device is served and nothing is sent.',
  },
} as const satisfies Options

export const RECOVER_OPTIONS = {
  data: DATA_OPTION,
  'recovery-key-stdin': { ...RECOVERY_KEY_OPTION, isRequired: true },
} as const satisfies Options

export const RESTORE_OPTIONS = {
  data: DATA_OPTION,
  from: {
    type: 'string',
    takes: 'BACKUP_FOLDER',
    isRequired: true,
    about: 'Folder of the backup, such as isthmus-2026-03-10-023000Z.',
  },
  'recovery-key-stdin': RECOVERY_KEY_OPTION,
  yes: {
    type: 'boolean',
    default: false,
    about: 'Restore it; without this option it only says what would be done.',
  },
} as const satisfies Options

export const PREFLIGHT_OPTIONS = { data: DATA_OPTION } as const satisfies Options

export const ROLLBACK_OPTIONS = {
  data: DATA_OPTION,
  yes: {
    type: 'boolean',
    default: false,
    about: 'Do it; without this option it only says what would be done.',
  },
} as const satisfies Options

const STANDBY_FOLDER_OPTION = {
  type: 'string',
  takes: 'DIR',
  isRequired: true,
  about: 'Folder that the other gateway is copied to, with the folders backups and images.',
} as const satisfies CommandOption

export const REPLICATE_OPTIONS = {
  data: {
    ...DATA_OPTION,
    about: 'Folder of the copy, on the same disk as --from; empty at first.',
  },
  from: STANDBY_FOLDER_OPTION,
  'recovery-key-stdin': RECOVERY_KEY_OPTION,
  once: {
    type: 'boolean',
    default: false,
    about: 'End when everything that is there was applied.',
  },
} as const satisfies Options

export const TAKE_OVER_OPTIONS = {
  data: { ...DATA_OPTION, about: 'Folder of the copy that “replicate” keeps.' },
  from: STANDBY_FOLDER_OPTION,
  'recovery-key-stdin': RECOVERY_KEY_OPTION,
  'old-is-off': {
    type: 'boolean',
    default: false,
    about: 'The old gateway is off for certain: do not watch whether it still writes.',
  },
} as const satisfies Options

export const PARTNER_SIMULATOR_OPTIONS = {
  port: {
    type: 'string',
    takes: 'P',
    isRequired: true,
    about: 'TCP port to listen at; 0 takes a free one.',
  },
  host: { type: 'string', takes: 'HOST', default: '127.0.0.1', about: 'Address to listen at.' },
  secret: { type: 'string', about: '', isHidden: true },
  'secret-file': {
    type: 'string',
    takes: 'FILE',
    about: 'File with the secret that webhooks are signed with.',
  },
  'secret-stdin': { type: 'boolean', about: 'Read the secret from standard input.' },
  worklist: {
    type: 'string',
    takes: 'FILE.json',
    about: 'Worklist to answer with.',
    initial: 'a sample one',
  },
  scenario: {
    type: 'string',
    takes: 'NAME',
    default: 'normal',
    about:
      'How it answers: normal, slow, down, refuse, garbage, huge, large, oversize, hang, error, gone or redirect.',
  },
  images: { type: 'boolean', about: 'Serve a sample CT for the viewer too.' },
  demo: {
    type: 'boolean',
    about: 'Order every CT of the head as STAT, and refuse each report twice before accepting it.',
  },
} as const satisfies Options

export const CONFORMANCE_OPTIONS = {
  url: {
    type: 'string',
    takes: 'URL',
    isRequired: true,
    about: 'Address of the endpoint that receives events.',
  },
  secret: { type: 'string', about: '', isHidden: true },
  'secret-file': {
    type: 'string',
    takes: 'FILE',
    about: 'File with the secret that the endpoint verifies with.',
  },
  'secret-stdin': { type: 'boolean', about: 'Read the secret from standard input.' },
  events: {
    type: 'string',
    takes: 'EVENTS',
    about: 'Events that the endpoint receives, joined with commas.',
    initial: 'all seven',
  },
  data: {
    type: 'string',
    takes: 'FILE.json',
    about:
      'Fields that replace those of the sample data, by event: {"study.access_requested": {"studyInstanceUid": "1.2.3"}}.',
  },
  'at-least': {
    type: 'string',
    takes: 'PERCENT',
    default: '100',
    about: 'Share of the points from which the exit code is 0.',
  },
  json: { type: 'boolean', about: 'Print JSON with every check.' },
} as const satisfies Options

export const SANDBOX_OPTIONS = {
  url: {
    type: 'string',
    takes: 'URL',
    default: 'http://127.0.0.1:8042',
    about: 'Address of the gateway.',
  },
  'key-file': {
    type: 'string',
    takes: 'FILE',
    about: 'File with the test key.',
    initial: 'the environment variable ISTHMUS_TEST_KEY',
  },
  json: { type: 'boolean', about: 'Print the reply as JSON.' },
} as const satisfies Options

export const SANDBOX_EXAM_OPTIONS = {
  ...SANDBOX_OPTIONS,
  'accession-number': {
    type: 'string',
    takes: 'NUMBER',
    about: 'Exam of today’s worklist to perform.',
    initial: 'the first without images',
  },
} as const satisfies Options

export const SANDBOX_REPORT_OPTIONS = {
  ...SANDBOX_OPTIONS,
  study: {
    type: 'string',
    takes: 'ID|UID',
    about: 'Scribe study, by its id or Study Instance UID; an addendum if it has a report.',
    initial: 'a new study with a sample patient',
  },
  text: { type: 'string', takes: 'FILE', about: 'File with the text of the report.' },
  critical: { type: 'boolean', about: 'Mark the report as critical.' },
} as const satisfies Options

export const SANDBOX_EVENT_OPTIONS = {
  ...SANDBOX_OPTIONS,
  data: {
    type: 'string',
    takes: 'FILE.json',
    about: 'Fields that replace those of the sample data.',
  },
  'dry-run': { type: 'boolean', about: 'Print the signed request instead of sending it.' },
} as const satisfies Options

const LISTENER_OPTIONS = {
  to: {
    type: 'string',
    takes: 'HOST:PORT',
    isRequired: true,
    about: 'Where the gateway listens for devices.',
  },
  'called-ae-title': {
    type: 'string',
    takes: 'T',
    default: 'ISTHMUS',
    about: 'AE title of the gateway.',
  },
} as const satisfies Options

export const MODALITY_SIMULATOR_OPTIONS = {
  'ae-title': {
    type: 'string',
    takes: 'CT1',
    isRequired: true,
    about: 'AE title of the simulated device.',
  },
  ...LISTENER_OPTIONS,
  modality: {
    type: 'string',
    takes: 'CT',
    default: '',
    about: 'Modality to ask for; empty: all.',
  },
  date: {
    type: 'string',
    takes: 'YYYYMMDD|any',
    about: 'Day to ask for.',
    initial: 'today',
  },
} as const satisfies Options

export const DAY_SIMULATOR_OPTIONS = {
  ...LISTENER_OPTIONS,
  window: {
    type: 'string',
    takes: 'URL',
    isRequired: true,
    about: 'Address of the window, such as http://127.0.0.1:8042.',
  },
  radiologist: {
    type: 'string',
    takes: 'E',
    isRequired: true,
    about: 'E-mail address of the radiologist who signs reports.',
  },
  'password-file': {
    type: 'string',
    takes: 'FILE',
    isRequired: true,
    about: 'File with the password of the radiologist.',
  },
} as const satisfies Options
