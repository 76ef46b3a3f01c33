import { createHash } from 'node:crypto'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { destinationsSentTo } from '#server/modules/forwarding/forward-queries.ts'
import { fitnessOfUid, type InstanceHeader } from '#server/modules/images/header.ts'
import type { ImageStudyRecord } from '#server/modules/images/image-study-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import type { IntakeDeps } from '#server/modules/images/ports.ts'
import { OWN_ADDRESS } from '#server/modules/images/study-identity.ts'
import type { StudyImages } from '#server/modules/images/study-images.ts'
import type { CorrectionPreview, CorrectionRequest } from '#shared/contract/corrections.ts'
import { IDENTITY_FIELDS } from '#shared/contract/images.ts'
import { ApiError } from '#shared/errors.ts'
import { identityOfHeader, type Target } from './correction-rules.ts'
import {
  type CorrectionRuns,
  type Running,
  TOO_LITTLE_SPACE,
  UNDER_WAY,
} from './correction-runs.ts'
import type { CorrectionTargets } from './correction-targets.ts'

/** A correction as it would be done now. */
export interface Plan {
  readonly from: ImageStudyRecord
  readonly chosen: readonly InstanceRecord[]
  readonly staying: readonly InstanceRecord[]
  readonly target: Target | undefined
  /** Undefined: a new one. */
  readonly toStudyInstanceUid: string | undefined
  readonly preview: CorrectionPreview
}

interface Asked
  extends Pick<Plan, 'from' | 'chosen' | 'staying' | 'target' | 'toStudyInstanceUid'> {
  readonly kind: CorrectionRequest['kind']
  readonly isMissing: boolean
  readonly isBusy: boolean
}

interface PlansDeps {
  readonly store: IntakeDeps['store']
  readonly targets: CorrectionTargets
  readonly images: StudyImages
  readonly runs: CorrectionRuns
}

const LONGEST = { patientName: 64, patientId: 64, accessionNumber: 16 } as const
/** Modalities of objects that hold text: PDF documents and structured reports. */
const DOCUMENTS: ReadonlySet<string> = new Set(['DOC', 'SR', 'KO'])
const FIELD_NAMES = {
  patientName: 'patient name',
  patientId: 'patient ID',
  accessionNumber: 'accession number',
} as const

export type CorrectionPlans = ReturnType<typeof openCorrectionPlans>

/** What a correction would do, and why it cannot be done. */
export function openCorrectionPlans({ store, targets, images, runs }: PlansDeps) {
  const { imageStudies, instances, reports, studies } = store
  const { existing, imagesOf, headersOf } = images
  const scribeStudy = (studyInstanceUid: string) => studies.byUid('scribe', studyInstanceUid)

  async function plan(
    studyInstanceUid: string,
    request: CorrectionRequest,
    run?: Running,
  ): Promise<Plan> {
    const { kind } = request
    const from = existing(studyInstanceUid)
    const all = imagesOf(studyInstanceUid)
    const wanted = kind === 'split' ? new Set(request.instanceIds ?? []) : undefined
    const chosen = wanted ? all.filter(({ instanceId }) => wanted.has(instanceId)) : all
    const staying = wanted ? all.filter(({ instanceId }) => !wanted.has(instanceId)) : []
    const target = await targets.targetOf(request.target)
    const toStudyInstanceUid =
      target?.studyInstanceUid ?? (kind === 'correct' ? studyInstanceUid : undefined)
    const changes = target
      ? changesOf(await headersOf(chosen), target.patient, studyInstanceUid, toStudyInstanceUid)
      : []
    const obstacle =
      obstacleOf({
        kind,
        from,
        chosen,
        staying,
        target,
        toStudyInstanceUid,
        isBusy: runs.isBusy([studyInstanceUid, toStudyInstanceUid], run),
        isMissing: wanted !== undefined && wanted.size !== chosen.length,
      }) ||
      (changes.length === 0 ? 'Nothing would change: the images already have these values.' : '')
    const destinations = destinationsOf(chosen)
    const signedReports = signedOf(studyInstanceUid)
    const digest = createHash('sha256')
      .update(
        JSON.stringify([
          request,
          core(studyInstanceUid, toStudyInstanceUid),
          chosen.map(({ instanceId }) => instanceId),
        ]),
      )
      .update(JSON.stringify([target, changes, destinations, obstacle]))
      .digest('hex')
    return {
      ...{ from, chosen, staying, target, toStudyInstanceUid },
      preview: {
        ...{
          kind,
          fromStudyInstanceUid: studyInstanceUid,
          toStudyInstanceUid: toStudyInstanceUid ?? null,
        },
        ...{
          instances: chosen.length,
          staying: staying.length,
          changes,
          destinations,
          signedReports,
        },
        warnings: target ? await warningsOf(from, chosen, target, toStudyInstanceUid) : [],
        ...{ obstacle, digest },
      },
    }
  }

  /** What must still be so when the copies are made. */
  const core = (from: string, to: string | undefined) =>
    [...new Set([from, to])].map((uid) => {
      if (uid === undefined) return null
      const { handedOut = null, inDoubt = null } = imageStudies.get(uid) ?? {}
      return [
        instances.ofStudy(uid).map(({ instanceId }) => instanceId),
        signedOf(uid),
        handedOut,
        inDoubt,
      ]
    })

  const signedOf = (studyInstanceUid: string) => {
    const study = scribeStudy(studyInstanceUid)
    return study ? reports.signedOf(study.studyId).length : 0
  }

  function destinationsOf(chosen: readonly InstanceRecord[]): string[] {
    const ids = new Set(
      chosen.flatMap(({ instanceId }) => destinationsSentTo(store.database, instanceId)),
    )
    return listDestinations(store.database).flatMap(({ destinationId, name }) =>
      ids.has(destinationId) ? [name] : [],
    )
  }

  function obstacleOf({
    kind,
    from,
    chosen,
    staying,
    target,
    toStudyInstanceUid: to,
    isMissing,
    isBusy,
  }: Asked): string {
    if (isBusy) return UNDER_WAY
    if (isMissing) return 'Some of the selected images are no longer in the study.'
    if (chosen.length === 0)
      return kind === 'split' ? 'No image is chosen.' : 'There are no images to correct.'
    if (kind === 'split' && staying.length === 0)
      return 'All images of the study are chosen: reassign the study instead.'
    if (!target) return 'This order or study no longer exists here.'
    if (from.inDoubt) return IN_DOUBT
    const isSame = to === from.studyInstanceUid
    if (kind === 'correct' && !isSame)
      return 'Correcting patient details keeps the images in their study: reassign them to move them.'
    if (isSame && (kind === 'merge' || kind === 'split'))
      return 'The images are in this study already.'
    if (kind === 'merge' && !target.header)
      return 'Images are merged only into a study that has images.'
    if (to !== undefined && fitnessOfUid(to) !== 'usable')
      return 'The Study Instance UID of the target is not a valid DICOM UID.'
    if (target.patient.patientName === '' && target.patient.patientId === '')
      return 'A patient needs a name or an ID.'
    const tooLong = (Object.keys(LONGEST) as (keyof typeof LONGEST)[]).find((field) => {
      const groups =
        field === 'patientName' ? target.patient[field].split('=') : [target.patient[field]]
      return (
        groups.some((group) => [...group].length > LONGEST[field]) ||
        /[\\\p{Cc}]/u.test(target.patient[field])
      )
    })
    if (tooLong) return `The ${FIELD_NAMES[tooLong]} of the target does not fit into an image.`
    const bytes = chosen.reduce((sum, instance) => sum + instance.bytes, 0)
    if (!runs.hasRoom(bytes)) return TOO_LITTLE_SPACE
    return ''
  }

  async function warningsOf(
    from: ImageStudyRecord,
    chosen: readonly InstanceRecord[],
    target: Target,
    to: string | undefined,
  ): Promise<string[]> {
    const there =
      to === undefined || to === from.studyInstanceUid ? undefined : imageStudies.get(to)
    const inTarget = target.header ? identityOfHeader(target.header) : undefined
    const isOther =
      inTarget &&
      (inTarget.patientId !== target.patient.patientId ||
        !isSameName(inTarget.patientName, target.patient.patientName))
    const report = scribeStudy(from.studyInstanceUid)
    const isWritten =
      report && reports.ofStudy(report.studyId).some(({ status }) => status !== 'completed')
    const documents = chosen.filter(
      ({ modality, image }) => image === null && DOCUMENTS.has(modality.trim()),
    ).length
    const captures = chosen.filter(({ remoteAddress }) => remoteAddress === OWN_ADDRESS).length
    const modality = target.order?.modality.trim() ?? ''
    const otherModality = modality !== '' && !from.modalities.includes(modality)
    return [
      ...(from.state === 'receiving'
        ? ['The study is still receiving images: later ones are not corrected.']
        : []),
      ...(there?.state === 'receiving' ? ['The target study is still receiving images.'] : []),
      ...(isWritten ? ['A report of the study is being written.'] : []),
      ...(isOther ? ['The images that are in the target study already name another patient.'] : []),
      ...(to !== undefined && to !== from.studyInstanceUid && signedOf(to) > 0
        ? [TARGET_SIGNED]
        : []),
      ...(otherModality
        ? [
            `The order is for ${modality}, and the images are ${from.modalities.join(', ') || 'of another kind'}.`,
          ]
        : []),
      ...(documents > 0
        ? ['Documents among the images may show the patient in their text, which is not changed.']
        : []),
      ...(captures > 0
        ? ['Captures among the images may show the patient in their pixels, which are not changed.']
        : []),
    ]
  }

  return { plan, core }
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

export const outdated = () =>
  new ApiError(
    'outdated',
    'The images or the target have changed since this preview: check it again.',
  )
export const IN_DOUBT =
  'Another version of these images was found and is in quarantine: decide there which one is right.'
const TARGET_SIGNED =
  'A report of the target study is signed already: it will need an addendum, and everyone who received it must be informed.'
