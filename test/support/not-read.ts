/** What the sources say and no person reads at the window, each with its reason. */

export const NOT_READ_FILES: readonly { readonly files: RegExp; readonly why: string }[] = [
  {
    files:
      /[/-]queries\.ts$|server\/database\/(?!encrypted-file)|(clock|json|coalesce|folding|outbox-worker|image-files|image-study-row|received-steps|study-identity|same-patient|study-facet|study-filter|search-index|audit-anchor|audit-triggers|pending-restore-audit|recovery-key)\.ts$/,
    why: 'SQL, names of sealed values, and errors at the start, which the terminal shows',
  },
  {
    files:
      /\/(commands?|(viewer|device|destination)-commands|record-command|schema-options|backup-commands|shell-commands|control|recover|restore-command|doctor|start-error|port-holder|modality-simulation|listeners|connection-sheet)\.ts$/,
    why: 'the command line',
  },
  {
    files:
      /http\/(openapi|example|reference|json-schema|document|page|browser-name|idempotency|json-body|partner-authentication)\.ts$/,
    why: 'for programs of partners, and pages without the window',
  },
  {
    files: /modules\/audit\/(audit-message|syslog)\.ts$/,
    why: 'audit messages, for the program that collects them',
  },
  {
    files: /(diagnostics\/(health|metrics|metric-labels)|platform\/log-file)\.ts$/,
    why: 'for programs that watch the gateway',
  },
  { files: /mail\/message\.ts$/, why: 'texts of mails' },
  { files: /diagnostics\/diagnostics(-\w+)?\.ts$/, why: 'text for support, which reads English' },
  { files: /webhooks\/(sample-values|test-event|signature)\.ts$/, why: 'invented events' },
  {
    files: /modules\/\w+\/(report-pdf.*|worklist-sheet.*|woff|signed-.*|association-support)\.ts$/,
    why: 'text of documents: a report is in the language of its clinic, a printed worklist has its own words, and support reads English',
  },
  {
    files:
      /dicom\/[\w-]+\/(state-machine|uids|report-document|rejection-note|secondary-capture|pdu-.*|data-set.*|named-data-set|command-set|message|header-reader|inflater|normalized|status|file-meta|basic-worklist|operation-queue|secondary.*)\.ts$/,
    why: 'the protocol, in the words of the standard: for the vendor of the device',
  },
  {
    files: /(performed-data|report-instances)\.ts$/,
    why: 'what is written into objects, and what a device is told',
  },
  {
    files: /worklist\/(romanization|matching|received-key|row)\.ts$/,
    why: 'tables of letters, and what is wrong inside the program',
  },
  { files: /shared\/(report-words|report-text|modalities)\.ts$/, why: 'words of reports' },
  { files: /platform\/network-interfaces\.ts$/, why: 'commands for a terminal' },
]

export const NOT_READ_FORMS: readonly {
  readonly form: RegExp
  readonly why: string
  readonly within?: RegExp
}[] = [
  { form: /^(GET|POST|PUT|PATCH|DELETE) \//, why: 'addresses of operations' },
  {
    form: /^[A-Z].*[^.…?!]$/s,
    within: /^shared\/contract\//,
    why: 'what an operation is for, and names: the document for programs has them',
  },
  { form: /\n/, why: 'text for programs' },
  {
    form: /^(select|insert|update|delete|create|with|where|from|begin|order by) |(=|<|>) ?\?|= '|\bnull$/,
    why: 'SQL',
  },
  {
    form: /^[\w-]+\/[\w.+-]+; |^(attachment|inline);|^(public|private), |charset=|^rgb\(|realm=|error="/,
    why: 'headers and colours',
  },
  { form: /^--|^\[--/, why: 'the command line' },
  { form: /^:\w+( :\w+)*$/, why: 'names of parameters' },
]

export const NOT_READ_TEXTS: readonly {
  readonly texts: readonly string[]
  readonly why: string
}[] = [
  {
    texts: [
      'Rejection note',
      'isthmus rejection {} of {}',
      'The header of a rejected image cannot be read.',
    ],
    why: 'what is written into a rejection note, and a fault for the log',
  },
  {
    texts: [
      'an unknown caller could not be noted',
      'the anchor of the audit trail fails: a rollback is not detected',
      'a device could not be noted as seen',
      'association rejected',
      'the audit trail is broken',
      'the audit trail could not be verified',
      'the DICOM TLS listener is down',
      'safe mode: no device is served, nothing is sent',
      'events come faster than they can be written: one was not kept',
      'internal error',
      'invitation mail',
      'a mail could not be delivered',
      'older studies could not be made searchable; the next start goes on with them',
      'what is past its time could not be forgotten',
      'the data cannot be opened: the page to put a back-up back is up',
      'a call failed',
      'the database cannot be written to: worklists are served without records',
      'the database can be written to again',
    ],
    why: 'lines of the log, names of work, and errors it has',
  },
  {
    texts: [
      '` : safe',
      'cursors of the window',
      'no such attribute: {}',
      'view {}',
      'report PDF links',
      'Bearer {}',
      'backup {}',
      'backup manifest',
      'audit restore',
      'isthmus sealed file',
      'secret {}',
      'codes of second factors',
      'second factor {}',
      'session of {}',
      'A call of the interface is declared on a server that was opened without `partners`',
      "{}; frame-ancestors 'self'",
      'list cursors',
      'archive {}',
      'bytes {}-{}/{}',
      'gzip, br',
      'start time',
      'not a sex',
      '” or “',
      'in progress: ',
      'not understood',
      'cancelled early',
      'inspection {} is not there',
      '\\b{}(?:-sided)?(?: (?!left|right)[a-z]+){0,2} {}s?\\b',
      '\\b(?:bilateral|both) (?:[a-z]+ ){0,2}{}s?\\b',
    ],
    why: 'names of sealed values, headers, expressions and parts that the program itself reads',
  },
  {
    texts: [
      'Performed Procedure Step may no longer be updated',
      'Performed Procedure Step of another device',
      'A step is created IN PROGRESS',
      'Affected SOP Instance UID is no UID',
      'Performed Procedure Step is there already',
      'No such Performed Procedure Step',
      'Unknown Performed Procedure Step Status',
      'A completed step names its series',
    ],
    why: 'comments of errors, which a device is told',
  },
  {
    texts: [
      'PS3.4 Table K.6-1',
      'PS3.5 Table 6.2-1',
      'GE DOC0500644 rev 4, §6.3.1.2.1.2.2',
      'GE DOC0500644 rev 4, p. 99',
      'Philips XPR 031-090167, p. 24',
      'DICOM PS3.4 Table K.6-1 and PS3.5 Table 6.2-1',
      'GE DOC0500644 rev 4, p. 84 (record acceptance policy) and p. 99',
      'SOP Instance UID',
      'Study Instance UID',
      'Series Instance UID',
      'SOP Class UID',
    ],
    why: 'names of documents and of DICOM',
  },
  {
    texts: ['The partner was not set. {}'],
    why: 'the command line',
  },
  {
    texts: ['Uninstall Isthmus.exe'],
    why: 'the name of a file',
  },
  {
    texts: ['Imaging study', '{} study', 'Secondary captures'],
    why: 'descriptions that are written into studies and objects',
  },
]
