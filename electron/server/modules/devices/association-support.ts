import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import type { AssociationCounts, AssociationRecord } from '#shared/contract/dashboard-activity.ts'
import { englishText } from '#shared/messages/english.ts'
import type { AssociationTrace, Proposal, RejectionCodes } from './association-traces.ts'

/** Information about the gateway for the recipient of the text. */
export interface GatewayInformation {
  readonly version: string
  readonly aeTitle: string
  readonly now: string
}

const COUNT_LABELS: Readonly<Record<keyof AssociationCounts, string>> = {
  echoes: 'connection tests (C-ECHO)',
  queries: 'worklist queries (C-FIND)',
  exams: 'exams sent',
  instances: 'objects received (C-STORE)',
  bytes: 'bytes of objects',
  steps: 'messages about performed steps (MPPS)',
  commitments: 'requests to confirm storage',
  failures: 'answered with a failure',
}

// PS3.8 Table 9-18.
const RESULT_LABELS = [
  'accepted',
  'rejected by the user',
  'rejected',
  'SOP class not supported',
  'transfer syntaxes not supported',
] as const

// PS3.8 Table 9-21
const REJECTION_RESULTS: Readonly<Record<number, string>> = {
  1: 'rejected-permanent',
  2: 'rejected-transient',
}
const REJECTION_SOURCES: Readonly<Record<number, string>> = {
  1: 'DICOM UL service-user',
  2: 'DICOM UL service-provider (ACSE)',
  3: 'DICOM UL service-provider (presentation)',
}
const REJECTION_REASONS: Readonly<Record<string, string>> = {
  '1.1': 'no-reason-given',
  '1.2': 'application-context-name-not-supported',
  '1.3': 'calling-AE-title-not-recognized',
  '1.7': 'called-AE-title-not-recognized',
  '2.1': 'no-reason-given',
  '2.2': 'protocol-version-not-supported',
  '3.1': 'temporary-congestion',
  '3.2': 'local-limit-exceeded',
}

/** UIDs outside the DICOM root, which may identify a patient's study. */
const FOREIGN_UID = /(?<![\d.])(?!1\.2\.840\.10008\.)[0-2](?:\.\d+){3,}/g
/** Support needs IPv4 addresses, which also match the pattern of a UID. */
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/
/** A text without UIDs that may identify a study or an image. */
export const maskUids = (text: string): string =>
  text.replace(FOREIGN_UID, (uid) => (ADDRESS.test(uid) ? uid : '(UID)'))

/**
 * Describes an association as text that may leave the clinic: the caller, the events and the
 * negotiated terms, or those that were proposed if it was rejected. Times are in UTC. Feed lines
 * contain no patient data; UIDs are masked in them.
 */
export function supportTextOf(
  { association, lines, omitted, terms }: Omit<AssociationRecord, 'supportText'>,
  about: GatewayInformation,
  trace?: Pick<AssociationTrace, 'rejection' | 'proposal'>,
): string {
  const { counts } = association
  const counted = (Object.keys(COUNT_LABELS) as (keyof AssociationCounts)[]).filter(
    (name) => counts[name] > 0,
  )
  return [
    `Isthmus ${about.version}: a connection of a device, as of ${about.now}. No patient is named here.`,
    '',
    ...[
      ...factsOf(association, about),
      ...(trace?.rejection ? [['A-ASSOCIATE-RJ', rejectionText(trace.rejection)] as const] : []),
    ].map(([name, value]) => `${`${name}:`.padEnd(17)}${value}`),
    '',
    'What happened',
    ...lines.map(({ at, text }) => `  ${at}  ${maskUids(englishText(text))}`),
    ...(omitted > 0 ? [`  and ${omitted} more that were not kept`] : []),
    ...counted.map((name) => `  ${counts[name]} ${COUNT_LABELS[name]}`),
    '',
    terms || !trace?.proposal ? 'What was proposed and agreed' : 'What was proposed',
    ...proposalLines(terms, trace?.proposal),
    '',
  ].join('\n')
}

function factsOf(
  association: AssociationRecord['association'],
  about: GatewayInformation,
): [name: string, value: string][] {
  const { deviceName, aeTitle, address, calledAeTitle, endedAt, how, detail, times } = association
  const device = deviceName ? `in the device list as “${deviceName}”` : 'not in the device list'
  const ownAeTitleNote = calledAeTitle === about.aeTitle ? '' : ` (the gateway is ${about.aeTitle})`
  return [
    ['Association', association.associationId],
    ['Caller', `${aeTitle || '(no AE title)'} at ${address}, ${device}`],
    ['Called AE title', calledAeTitle + ownAeTitleNote],
    ['Transport', association.tls || 'TCP, not encrypted'],
    ['Began', association.openedAt],
    ['Ended', endedAt ?? (how === 'open' ? 'it is open' : 'not known')],
    ['How', detail ? `${how}: ${englishText(detail)}` : how],
    ...(times > 1
      ? [['Stands for', `${times} connections of this caller within a second`] as [string, string]]
      : []),
  ]
}

/** Result, source and reason of an A-ASSOCIATE-RJ in the words of PS3.8. */
export const rejectionText = ({ result, source, reason }: RejectionCodes): string =>
  [
    `${REJECTION_RESULTS[result] ?? 'result'} (${result})`,
    `${REJECTION_SOURCES[source] ?? 'source'} (${source})`,
    `${REJECTION_REASONS[`${source}.${reason}`] ?? 'reserved'} (${reason})`,
  ].join(', ')

function proposalLines(
  terms: AssociationRecord['terms'],
  proposal: Proposal | undefined,
): string[] {
  if (terms) return termsText(terms)
  if (!proposal) return ['  Not kept.']
  return [
    implementationText(proposal),
    ...proposal.contexts.flatMap(({ id, abstractSyntax, transferSyntaxes }) => [
      `  ${id}  ${sopClassText(nameOfUid(abstractSyntax), abstractSyntax)}`,
      `     proposed ${transferSyntaxes.join(', ')}`,
    ]),
  ]
}

const implementationText = ({
  implementationClassUid,
  implementationVersionName,
  maximumLength,
}: Omit<Proposal, 'contexts'>): string =>
  `  Implementation ${implementationClassUid} ${implementationVersionName}; longest PDU ${maximumLength || 'any'}`

const sopClassText = (name: string, abstractSyntax: string): string =>
  name === abstractSyntax ? name : `${name} (${abstractSyntax})`

function termsText(terms: NonNullable<AssociationRecord['terms']>): string[] {
  return [
    implementationText(terms),
    ...terms.contexts.flatMap(
      ({ id, name, abstractSyntax, result, transferSyntax, transferSyntaxes }) => {
        const sopClass = sopClassText(name, abstractSyntax)
        const outcome = RESULT_LABELS[result] ?? `result ${result}`
        return [
          `  ${id}  ${sopClass}: ${outcome}${transferSyntax ? ` ${transferSyntax}` : ''}`,
          `     proposed ${transferSyntaxes.join(', ')}`,
        ]
      },
    ),
  ]
}
