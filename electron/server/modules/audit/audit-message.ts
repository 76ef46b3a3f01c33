import type { ChainedRow } from '#server/audit-log/audit-queries.ts'

/** The sender of audit messages (AuditSourceIdentification, PS3.15 A.5.2.1). */
export interface AuditSource {
  /** The clinic id of the gateway. */
  readonly id: string
  /** The name of the clinic; empty if it is not set. */
  readonly site: string
  /** The display name of an actor, such as a user; `undefined` if there is none. */
  readonly nameOf: (actor: string) => string | undefined
}

/** A coded value. The default coding scheme is DCM (PS3.16 CID 400 and 401). */
type Code = readonly [code: string, meaning: string, system?: string]
type ActionCode = 'C' | 'R' | 'U' | 'D' | 'E'

const ACTIVITY: Code = ['110100', 'Application Activity']
const LOG_USED: Code = ['110101', 'Audit Log Used']
const INSTANCES: Code = ['110103', 'DICOM Instances Accessed']
const EXPORT: Code = ['110106', 'Export']
const PATIENT_RECORD: Code = ['110110', 'Patient Record']
const QUERY: Code = ['110112', 'Query']
const SECURITY: Code = ['110113', 'Security Alert']
const AUTHENTICATION: Code = ['110114', 'User Authentication']
const CONFIGURATION: Code = ['110129', 'Security Configuration']
const USER_ATTRIBUTES: Code = ['110137', 'User Security Attributes Changed']
const OBJECT_SECURITY_ATTRIBUTES: Code = ['110135', 'Object Security Attributes Changed']
const LOGIN: Code = ['110122', 'Login']
const LOGOUT: Code = ['110123', 'Logout']

interface EventKind {
  readonly event: Code
  readonly type?: Code
  readonly action: ActionCode
  /** EventOutcomeIndicator: 0 is success (the default), 4 minor failure, 8 serious failure. */
  readonly outcome?: '4' | '8'
}

/** The first row whose prefix matches the action of an entry applies. */
const EVENT_KINDS: readonly (readonly [prefix: string, EventKind])[] = [
  ['user.sign-in-failed', { event: AUTHENTICATION, type: LOGIN, action: 'E', outcome: '4' }],
  ['user.sign-in', { event: AUTHENTICATION, type: LOGIN, action: 'E' }],
  ['user.sign-out', { event: AUTHENTICATION, type: LOGOUT, action: 'E' }],
  ['session.unlock', { event: AUTHENTICATION, type: LOGIN, action: 'E' }],
  ['session.', { event: AUTHENTICATION, type: LOGOUT, action: 'E' }],
  [
    'audit.finding',
    { event: SECURITY, type: OBJECT_SECURITY_ATTRIBUTES, action: 'E', outcome: '8' },
  ],
  ['audit.export', { event: LOG_USED, action: 'R' }],
  ['audit.', { event: LOG_USED, action: 'R' }],
  ['read.list', { event: QUERY, action: 'E' }],
  ['read.images', { event: INSTANCES, action: 'R' }],
  ['read.', { event: PATIENT_RECORD, action: 'R' }],
  ['view.', { event: INSTANCES, action: 'R' }],
  ['link.refused', { event: INSTANCES, action: 'R', outcome: '4' }],
  ['link.', { event: INSTANCES, action: 'R' }],
  ...[
    'images.',
    'instance.',
    'instances.',
    'recovery.',
    'capture.',
    'drawings.',
    'correction.',
    'reconcile.',
  ].map((prefix) => [prefix, { event: INSTANCES, action: 'U' }] as const),
  ...['study.', 'reading.', 'report.', 'critical.', 'step.'].map(
    (prefix) => [prefix, { event: PATIENT_RECORD, action: 'U' }] as const,
  ),
  ...['forward.', 'diagnostics.save', 'backup.make'].map(
    (prefix) => [prefix, { event: EXPORT, action: 'R' }] as const,
  ),
  ...['user.', 'second-factor.', 'workstation.', 'invitation.', 'customer.', 'api-key.'].map(
    (prefix) => [prefix, { event: SECURITY, type: USER_ATTRIBUTES, action: 'U' }] as const,
  ),
  ...[
    'setting.',
    'device.',
    'destination.',
    'partner.',
    'endpoint.',
    'certificate.',
    'mail.',
    'caller.',
  ].map((prefix) => [prefix, { event: SECURITY, type: CONFIGURATION, action: 'U' }] as const),
  ...['database.restore', 'restore.', 'recovery-key.'].map(
    (prefix) => [prefix, { event: SECURITY, type: CONFIGURATION, action: 'E' }] as const,
  ),
]
const OTHER_EVENT: EventKind = { event: ACTIVITY, action: 'E' }

/**
 * Converts an entry into an audit message of PS3.15 A.5. The entry's detail is left out, because it
 * may identify patients. Its number and hash are included: if the trail is rolled back and
 * continued, the collector receives the same number twice.
 */
export function auditMessage(row: ChainedRow, { id, site, nameOf }: AuditSource): string {
  const {
    event,
    type,
    action,
    outcome = '0',
  } = EVENT_KINDS.find(([prefix]) => row.action.startsWith(prefix))?.[1] ?? OTHER_EVENT
  const isGateway = row.actor === 'gateway'
  return element('AuditMessage', {}, [
    element(
      'EventIdentification',
      { EventActionCode: action, EventDateTime: row.at, EventOutcomeIndicator: outcome },
      [
        codedElement('EventID', event),
        ...(type ? [codedElement('EventTypeCode', type)] : []),
        codedElement('EventTypeCode', [row.action, row.action, 'Isthmus']),
      ],
    ),
    element(
      'ActiveParticipant',
      { UserID: row.actor, UserName: nameOf(row.actor), UserIsRequestor: 'true' },
      isGateway ? [codedElement('RoleIDCode', ['110150', 'Application'])] : [],
    ),
    ...(isGateway
      ? []
      : [
          element('ActiveParticipant', { UserID: 'gateway', UserIsRequestor: 'false' }, [
            codedElement('RoleIDCode', ['110150', 'Application']),
          ]),
        ]),
    element(
      'AuditSourceIdentification',
      { AuditEnterpriseSiteID: site || undefined, AuditSourceID: id },
      [element('AuditSourceTypeCode', { 'csd-code': '4' })],
    ),
    ...(row.target === '' ? [] : [targetOf(row)]),
    element(
      'ParticipantObjectIdentification',
      {
        ParticipantObjectID: `${id}#${row.seq}`,
        ParticipantObjectTypeCode: '2',
        ParticipantObjectTypeCodeRole: '13',
      },
      [
        codedElement('ParticipantObjectIDTypeCode', [
          'audit-entry',
          'Entry of the audit trail',
          'Isthmus',
        ]),
        element('ParticipantObjectName', {}, [`Audit trail entry ${row.seq}`]),
        element('ParticipantObjectDetail', {
          type: 'hash',
          value: Buffer.from(row.hash).toString('base64'),
        }),
      ],
    ),
  ])
}

const UID = /^[0-2](\.(0|[1-9]\d*))+$/

function targetOf({ action, target }: ChainedRow): string {
  const isUser = action.startsWith('user.')
  const isStudy = UID.test(target)
  const code: Code = isStudy
    ? ['110180', 'Study Instance UID']
    : isUser
      ? ['11', 'User Identifier', 'RFC-3881']
      : ['identifier', 'Identifier of the gateway', 'Isthmus']
  return element(
    'ParticipantObjectIdentification',
    {
      ParticipantObjectID: target,
      ParticipantObjectTypeCode: isUser ? '1' : '2',
      ParticipantObjectTypeCodeRole: isStudy ? '3' : isUser ? '11' : undefined,
    },
    [
      codedElement('ParticipantObjectIDTypeCode', code),
      element('ParticipantObjectName', {}, [escapeXml(target)]),
    ],
  )
}

const codedElement = (name: string, [code, text, system = 'DCM']: Code): string =>
  element(name, { 'csd-code': code, codeSystemName: system, originalText: text })

function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  children: readonly string[] = [],
): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const head = [name, ...given.map(([key, value]) => `${key}="${escapeXml(value ?? '')}"`)].join(
    ' ',
  )
  return children.length === 0 ? `<${head}/>` : `<${head}>${children.join('')}</${name}>`
}

/** Escapes text for XML 1.0 (§2.2, §2.4). Characters that XML excludes become U+FFFD. */
const escapeXml = (text: string): string =>
  text
    .replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones XML 1.0 excludes
      /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, ' ')
