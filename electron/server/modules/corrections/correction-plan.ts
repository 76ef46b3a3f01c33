import { createHash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { destinationsSentTo } from '#server/modules/forwarding/forward-queries.ts'
import { classifyUid, type InstanceHeader } from '#server/modules/images/header.ts'
import { type InstanceRecord, listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import { listReports, listSignedReports } from '#server/modules/reports/report-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import type { CorrectionPreview, CorrectionRequest } from '#shared/contract/corrections.ts'
import { IDENTITY_FIELDS } from '#shared/contract/images.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { identityOfHeader, type Target } from './correction-rules.ts'
import { hasSpace, TOO_LITTLE_SPACE, UNDER_WAY_MESSAGE } from './correction-runs.ts'
import { type Orders, targetOf } from './correction-targets.ts'
import { headersOf, imagesOf, isReceived, requireImageStudy } from './study-images.ts'

// Determines what a correction would do, and what prevents it.

/** The effect of a correction if it were applied now. */
export interface Plan {
  readonly from: ImageStudyRecord
  readonly kind: CorrectionRequest['kind']
  readonly chosen: readonly InstanceRecord[]
  readonly staying: readonly InstanceRecord[]
  readonly target: Target | undefined
  /** `undefined` for a new study. */
  readonly toStudyInstanceUid: string | undefined
}

const MAX_LENGTHS = { patientName: 64, patientId: 64, accessionNumber: 16 } as const
/** Modalities of objects that contain text: PDF documents and structured reports. */
const DOCUMENT_MODALITIES: ReadonlySet<string> = new Set(['DOC', 'SR', 'KO'])
const DOES_NOT_FIT_MESSAGES = {
  patientName: message('corrections.name-does-not-fit'),
  patientId: message('corrections.patient-id-does-not-fit'),
  accessionNumber: message('corrections.accession-number-does-not-fit'),
} as const

/**
 * Plans a correction and previews it. `isBusy` returns whether another correction of one of the
 * studies is running.
 */
export async function planCorrection(
  context: Context,
  orders: Orders,
  studyInstanceUid: string,
  request: CorrectionRequest,
  isBusy: (studyInstanceUids: readonly (string | undefined)[]) => boolean,
): Promise<Plan & { readonly preview: Omit<CorrectionPreview, 'recipients'> }> {
  const { database } = context
  const { kind } = request
  const from = requireImageStudy(database, studyInstanceUid)
  const all = imagesOf(database, studyInstanceUid)
  const selectedIds = kind === 'split' ? new Set(request.instanceIds ?? []) : undefined
  const chosen = selectedIds ? all.filter(({ instanceId }) => selectedIds.has(instanceId)) : all
  const staying = selectedIds ? all.filter(({ instanceId }) => !selectedIds.has(instanceId)) : []
  const target = await targetOf(context, orders, request.target)
  const to = target?.studyInstanceUid ?? (kind === 'correct' ? studyInstanceUid : undefined)
  const plan: Plan = { from, kind, chosen, staying, target, toStudyInstanceUid: to }
  const changes = target
    ? changesOf(await headersOf(context, chosen), target.patient, studyInstanceUid, to)
    : []
  const obstacle =
    (isBusy([studyInstanceUid, to]) ? UNDER_WAY_MESSAGE : null) ??
    (selectedIds && selectedIds.size !== chosen.length
      ? message('corrections.images-gone')
      : null) ??
    obstacleOf(plan) ??
    (hasSpace(context, bytesOf(chosen)) ? null : TOO_LITTLE_SPACE) ??
    (changes.length === 0 ? message('corrections.nothing-changes') : null)
  const destinations = destinationsOf(database, chosen)
  const state = stateOfStudies(database, studyInstanceUid, to)
  const ids = chosen.map(({ instanceId }) => instanceId)
  const fingerprint = JSON.stringify([request, state, ids, target, changes, destinations, obstacle])
  return {
    ...plan,
    preview: {
      kind,
      fromStudyInstanceUid: studyInstanceUid,
      toStudyInstanceUid: to ?? null,
      instances: chosen.length,
      staying: staying.length,
      changes,
      destinations,
      signedReports: countSignedReports(database, studyInstanceUid),
      warnings: target ? warningsOf(database, plan, target) : [],
      obstacle,
      digest: createHash('sha256').update(fingerprint).digest('hex'),
    },
  }
}

/** Fingerprint of everything that must not change until the copies replace their originals. */
export const stateOfStudies = (database: Database, from: string, to: string | undefined): string =>
  JSON.stringify(
    [...new Set([from, to])].map((uid) => {
      if (uid === undefined) return null
      const { handedOut = null, inDoubt = null } = findImageStudy(database, uid) ?? {}
      const instances = listStudyInstances(database, uid).map(({ instanceId }) => instanceId)
      return [instances, countSignedReports(database, uid), handedOut, inDoubt]
    }),
  )

function countSignedReports(database: Database, studyInstanceUid: string): number {
  const study = findStudyByUid(database, 'scribe', studyInstanceUid)
  return study ? listSignedReports(database, study.studyId).length : 0
}

/** Names of the destinations to which the images were sent. */
function destinationsOf(database: Database, chosen: readonly InstanceRecord[]): string[] {
  const ids = new Set(chosen.flatMap(({ instanceId }) => destinationsSentTo(database, instanceId)))
  return listDestinations(database).flatMap(({ destinationId, name }) =>
    ids.has(destinationId) ? [name] : [],
  )
}

const bytesOf = (instances: readonly InstanceRecord[]) =>
  instances.reduce((sum, { bytes }) => sum + bytes, 0)

function obstacleOf(plan: Plan): Message | null {
  const { kind, from, chosen, staying, target, toStudyInstanceUid: to } = plan
  if (chosen.length === 0)
    return message(kind === 'split' ? 'corrections.none-chosen' : 'corrections.no-images')
  if (kind === 'split' && staying.length === 0) return message('corrections.all-chosen')
  if (!target) return message('corrections.target-gone')
  if (from.inDoubt) return IN_DOUBT_MESSAGE
  const isSame = to === from.studyInstanceUid
  if (kind === 'correct' && !isSame) return message('corrections.keeps-study')
  if (isSame && (kind === 'merge' || kind === 'split'))
    return message('corrections.in-study-already')
  if (kind === 'merge' && !target.header) return message('corrections.merge-needs-images')
  if (to !== undefined && classifyUid(to) !== 'usable')
    return message('corrections.target-uid-invalid')
  const { patient } = target
  if (patient.patientName === '' && patient.patientId === '')
    return message('corrections.patient-unnamed')
  const unfitField = (Object.keys(MAX_LENGTHS) as (keyof typeof MAX_LENGTHS)[]).find((field) => {
    const groups = field === 'patientName' ? patient[field].split('=') : [patient[field]]
    return (
      groups.some((group) => [...group].length > MAX_LENGTHS[field]) ||
      /[\\\p{Cc}]/u.test(patient[field])
    )
  })
  return unfitField ? DOES_NOT_FIT_MESSAGES[unfitField] : null
}

function warningsOf(
  database: Database,
  { from, chosen, toStudyInstanceUid }: Plan,
  { header, patient, order }: Target,
): Message[] {
  const to = toStudyInstanceUid === from.studyInstanceUid ? undefined : toStudyInstanceUid
  const targetStudy = to === undefined ? undefined : findImageStudy(database, to)
  const targetIdentity = header && identityOfHeader(header)
  const isOther =
    targetIdentity &&
    (targetIdentity.patientId !== patient.patientId ||
      !isSameName(targetIdentity.patientName, patient.patientName))
  const study = findStudyByUid(database, 'scribe', from.studyInstanceUid)
  const isWritten =
    study && listReports(database, study.studyId).some(({ status }) => status !== 'completed')
  const modality = order?.modality.trim() ?? ''
  const warnings: readonly (readonly [boolean | undefined, Message])[] = [
    [from.state === 'receiving', message('corrections.still-receiving')],
    [targetStudy?.state === 'receiving', message('corrections.target-still-receiving')],
    [isWritten, message('corrections.report-being-written')],
    [to !== undefined && isOther, message('corrections.target-names-another')],
    [
      to !== undefined && countSignedReports(database, to) > 0,
      message('corrections.target-signed'),
    ],
    [
      modality !== '' && !from.modalities.includes(modality),
      from.modalities.length > 0
        ? message('corrections.other-modality', {
            modality,
            modalities: from.modalities.join(', '),
          })
        : message('corrections.other-kind', { modality }),
    ],
    [
      chosen.some((one) => one.image === null && DOCUMENT_MODALITIES.has(one.modality.trim())),
      message('corrections.documents-unchanged'),
    ],
    [!chosen.every(isReceived), message('corrections.captures-unchanged')],
  ]
  return warnings.flatMap(([isSo, warning]) => (isSo ? [warning] : []))
}

export function changesOf(
  chosen: readonly InstanceHeader[],
  after: Target['patient'],
  from: string,
  to: string | undefined,
): CorrectionPreview['changes'] {
  return IDENTITY_FIELDS.flatMap((field): CorrectionPreview['changes'] => {
    if (field === 'studyInstanceUid')
      return to === from ? [] : [{ field, before: [from], after: to ?? '' }]
    const before = [...new Set(chosen.map(({ study }) => identityOfHeader(study)[field] as string))]
    return before.every((value) => value === after[field])
      ? []
      : [{ field, before, after: after[field] }]
  })
}

export const outdatedError = () => new ApiError('outdated', message('corrections.outdated'))
export const IN_DOUBT_MESSAGE = message('corrections.in-doubt')
