import { note } from '#server/modules/audit/audit.ts'
import type { HandedOutRow, ImageStudyRecord } from '#server/modules/images/image-study-queries.ts'
import type { Actor, CorrectedImage, IntakeDeps } from '#server/modules/images/ports.ts'
import { isReceived, type StudyImages } from '#server/modules/images/study-images.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { CorrectionPreview } from '#shared/contract/corrections.ts'
import { ApiError } from '#shared/errors.ts'
import { type CorrectionCommit, senderOf } from './correction-commit.ts'
import type { CorrectionCopies, Wanted } from './correction-copies.ts'
import { type CorrectionPlans, IN_DOUBT, outdated } from './correction-plan.ts'
import type { CorrectionRecord } from './correction-queries.ts'
import type { Running } from './correction-runs.ts'

export interface CorrectionUndoDeps extends IntakeDeps {
  readonly images: StudyImages
  readonly plans: Pick<CorrectionPlans, 'core'>
  readonly copies: CorrectionCopies
  readonly commit: CorrectionCommit
}

/** The undo of corrections, and why it is not possible any more. */
export function openCorrectionUndo(deps: CorrectionUndoDeps) {
  const { store, clock, uuid, plans, copies, commit } = deps
  const { database, corrections, imageStudies, instances, reports, studies } = store
  const { existing, imagesOf, headersOf } = deps.images

  /** Why it cannot be undone; '' where it can. */
  function obstacleOf(record: CorrectionRecord): string {
    const {
      correctionId,
      fromStudyInstanceUid,
      toStudyInstanceUid,
      details,
      at,
      undoneAt,
      undoes,
    } = record
    if (undoneAt !== null) return 'It was undone already.'
    if (undoes !== null) return 'It undid another correction: correct the images again instead.'
    const target = imageStudies.get(toStudyInstanceUid)
    if (target?.inDoubt) return IN_DOUBT
    const linked =
      linkedSince(details.handedOut.from, imageStudies.get(fromStudyInstanceUid)) ??
      (fromStudyInstanceUid === toStudyInstanceUid
        ? undefined
        : linkedSince(details.handedOut.to, target))
    if (linked) return linkedObstacle(linked)
    const isSignedSince = (uid: string) => {
      const study = studies.byUid('scribe', uid)
      return study !== undefined && reports.isSignedSince(study.studyId, at)
    }
    if (isSignedSince(toStudyInstanceUid)) return 'A report was signed with the corrected images.'
    if (isSignedSince(fromStudyInstanceUid)) return SIGNED_WITHOUT
    if (corrections.copiesGone(correctionId) > 0)
      return 'The corrected images have since been corrected again, set aside or replaced.'
    return ''
  }

  /**
   * The worklist row of one of the two studies without the correction: that of before where the
   * study has what the correction gave it, and otherwise that which was found since.
   */
  function rowBefore(
    { fromStudyInstanceUid: from, toStudyInstanceUid: to, at, details }: CorrectionRecord,
    uid: string,
  ) {
    const now = imageStudies.get(uid)?.handedOut ?? null
    const { handedOut } = details
    // The demographics of the row were corrected.
    if (from === to) return isSameRow(now, handedOut.from) ? handedOut.from : now
    // The target got the row of the order, where it had none.
    return uid === to && handedOut.to === null && now?.at === at && now.linkedBy === undefined
      ? null
      : now
  }

  /** Whether a destination has, or may have, originals or copies of it. */
  const hasLeft = (correctionId: string) =>
    corrections.isSent(correctionId) || (deps.isCorrectionQueued?.(correctionId) ?? false)

  async function undo(
    record: CorrectionRecord,
    reason: string,
    userId: string,
    run: Running,
  ): Promise<void> {
    const { correctionId } = record
    const demandUndoable = () => {
      const obstacle = obstacleOf(corrections.get(correctionId) ?? record)
      if (obstacle !== '') throw new ApiError('refused', obstacle)
    }
    demandUndoable()
    const { fromStudyInstanceUid: back, toStudyInstanceUid: now } = record
    const pairs = pairsOf(record)
    const copyIds = new Set(pairs.map(({ copy }) => copy.instanceId))
    const others = imagesOf(now).filter((each) => isReceived(each) && !copyIds.has(each.instanceId))
    const staying = now === back ? [] : await headersOf(others)
    const there = await headersOf(now === back ? others : imagesOf(back).filter(isReceived))
    const before = JSON.stringify(plans.core(now, back))
    const actor: Actor = `user:${userId}`
    const audit = (detail: Record<string, string | number>) =>
      note(deps.store, actor, 'images.undo-correction', back, {
        correctionId,
        reason,
        instances: pairs.length,
        ...detail,
      })

    if (!hasLeft(correctionId)) {
      const originals = await headersOf(pairs.map(({ original }) => original).filter(isReceived))
      await database.commitSoon(() => {
        demandUndoable()
        if (JSON.stringify(plans.core(now, back)) !== before || hasLeft(correctionId))
          throw outdated()
        const at = instantOf(clock())
        for (const { copy } of pairs)
          instances.setState(copy.instanceId, 'superseded', null, WITHDRAWN)
        for (const { original } of pairs)
          instances.setState(original.instanceId, 'current', null, '')
        corrections.setUndone(correctionId, { at, by: userId, with: null, reason })
        const turned = pairs.map(({ original, copy }) => ({ original: copy, copy: original }))
        commit.moveWhatNames(turned, now, back, at)
        const sender = senderOf(pairs.map(({ original }) => original)) ?? {}
        commit.restate(back, [...there, ...originals], rowBefore(record, back), sender, at)
        if (now !== back) commit.restate(now, staying, rowBefore(record, now), {}, at)
        const standing = corrections.get(correctionId) ?? record
        const states = pairs.map(({ original, copy }) => ({
          original: { ...original, state: 'current' as const },
          copy: { ...copy, state: 'superseded' as const },
        }))
        commit.finish({ correction: standing, pairs: states, isUndo: true })
        audit({})
      })
      return
    }

    // What an archive rejected it does not show again: the originals go out once more, under UIDs
    // of their own.
    const wanted = pairs.map(
      ({ original, copy }): Wanted => ({ original: copy, source: original, values: [] }),
    )
    await copies.withCopies(
      wanted,
      { uids: copies.uidsFor(wanted, back, back), to: back, run },
      (made) => {
        demandUndoable()
        if (JSON.stringify(plans.core(now, back)) !== before) throw outdated()
        const at = instantOf(clock())
        const furtherId = uuid()
        commit.replace(made, {
          ...{ from: existing(now), toStudyInstanceUid: back, staying, there },
          handedOut: () => rowBefore(record, back),
          handedOutFrom: rowBefore(record, now),
          record: {
            ...{
              correctionId: furtherId,
              kind: record.kind,
              cause: record.cause,
              userId,
              at,
              undoes: correctionId,
            },
            ...{ fromStudyInstanceUid: now, toStudyInstanceUid: back },
            details: { reason, changes: record.details.changes.map(turned) },
          },
        })
        corrections.setUndone(correctionId, { at, by: userId, with: furtherId, reason })
        imageStudies.compareAnew(back)
        imageStudies.compareAnew(now)
        audit({ furtherCorrectionId: furtherId })
      },
    )
  }

  function pairsOf({ correctionId }: CorrectionRecord): CorrectedImage[] {
    return corrections.pairsOf(correctionId).flatMap(({ originalId, correctedId }) => {
      const [original, copy] = [instances.get(originalId), instances.get(correctedId)]
      return original && copy ? [{ original, copy }] : []
    })
  }

  return { obstacleOf, undo }
}

/** Whether it is the row at all; its patient may have been corrected. */
const isSameRow = (one: HandedOutRow | null, other: HandedOutRow | null) =>
  one?.at === other?.at &&
  one?.linkedBy === other?.linkedBy &&
  one?.scheduledProcedureStepId === other?.scheduledProcedureStepId

/** The row that a person linked the study to after it had the other one. */
function linkedSince(
  before: HandedOutRow | null,
  study: ImageStudyRecord | undefined,
): HandedOutRow | undefined {
  const row = study?.handedOut
  return row?.linkedBy !== undefined && !isSameRow(row, before) ? row : undefined
}

const linkedObstacle = ({ accessionNumber, scheduledProcedureStepId }: HandedOutRow) =>
  `Since the correction, images were linked to the order ${accessionNumber || scheduledProcedureStepId}: undo that on Reconcile first.`

const turned = ({ field, before, after }: CorrectionPreview['changes'][number]) => ({
  field,
  before: [after],
  after: before[0] ?? '',
})
const SIGNED_WITHOUT =
  'Since the correction, a report of the study that the images were taken from was signed.'
const WITHDRAWN = 'The correction that made it was undone.'
