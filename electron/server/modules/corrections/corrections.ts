import { note } from '#server/modules/audit/audit.ts'
import type { Arrivals } from '#server/modules/images/arrivals.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { Actor, IntakeDeps } from '#server/modules/images/ports.ts'
import type { Settling } from '#server/modules/images/settling.ts'
import { isReceived, openStudyImages } from '#server/modules/images/study-images.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type {
  CORRECTION_CAUSES,
  Correction,
  CorrectionPreview,
  CorrectionRequest,
  ImageIdentity,
  TargetChoice,
} from '#shared/contract/corrections.ts'
import { ApiError } from '#shared/errors.ts'
import { openCorrectionCommit } from './correction-commit.ts'
import { openCorrectionCopies, type Wanted } from './correction-copies.ts'
import { openCorrectionPlans, outdated } from './correction-plan.ts'
import type { CorrectionRecord } from './correction-queries.ts'
import { openCorrectionRestore } from './correction-restore.ts'
import { correctedValues, identityOfHeader, rowOfOrder } from './correction-rules.ts'
import { openCorrectionRuns, type Running, UNDER_WAY } from './correction-runs.ts'
import { openCorrectionTargets } from './correction-targets.ts'
import { openCorrectionUndo } from './correction-undo.ts'

export interface CorrectionsDeps extends IntakeDeps {
  readonly arrivals: Pick<Arrivals, 'forget' | 'rivalOf'>
  readonly settling: Pick<Settling, 'reopen'>
  /** Files that are about to have a row. */
  readonly arriving: Set<string>
}

export interface CorrectionOrder extends CorrectionRequest {
  readonly cause: (typeof CORRECTION_CAUSES)[number]
  readonly reason: string
  readonly digest: string
}

/**
 * Corrections of the identity of images (decision 0031): each with preview, reason, audit entry and
 * undo.
 */
export interface Corrections extends AsyncDisposable {
  /** @throws ApiError not-found */
  identities(studyInstanceUid: string): Promise<ImageIdentity[]>
  /**
   * Orders and studies that the images may belong to, the most similar first. @throws ApiError
   * not-found
   */
  targets(studyInstanceUid: string, search: string): Promise<TargetChoice[]>
  /** @throws ApiError not-found */
  preview(studyInstanceUid: string, request: CorrectionRequest): Promise<CorrectionPreview>
  /**
   * Answers when it is done or, where that takes long, while it is under way, with `progress`.
   * @throws ApiError not-found, refused, unavailable; outdated: it is not what was shown any
   *   more, or another correction of the study or its target is under way
   */
  apply(studyInstanceUid: string, order: CorrectionOrder, userId: string): Promise<Correction>
  /** Those under way first, then the newest. @throws ApiError not-found */
  list(studyInstanceUid: string): Correction[]
  /** @throws ApiError not-found */
  studiesOf(correctionId: string): readonly string[]
  /** As `apply`. @throws ApiError not-found, refused, unavailable, outdated */
  undo(correctionId: string, reason: string, userId: string): Promise<Correction>
  /**
   * Whether the instance was found as another version of an image that is shown; releasing it is
   * `restore`.
   */
  isVersion(instance: InstanceRecord): boolean
  /**
   * Those of the instances that were set aside as other versions of images that are shown take
   * their places, of several versions of one image the last: the correction that made it is
   * recorded anew. How many did. @throws ApiError outdated, unavailable
   */
  restore(found: readonly InstanceRecord[], reason: string, actor: Actor): Promise<number>
  /** For the start: what an earlier run left of copies is deleted, unless it was complete. */
  sweep(): Promise<void>
}

export function openCorrections(deps: CorrectionsDeps): Corrections {
  const { store, clock, uuid } = deps
  const { corrections, imageStudies } = store
  const images = openStudyImages(deps)
  const runs = openCorrectionRuns(deps)
  const targets = openCorrectionTargets(deps)
  const plans = openCorrectionPlans({ store, targets, images, runs })
  const copies = openCorrectionCopies({ ...deps, images, runs })
  const commit = openCorrectionCommit({ ...deps, images })
  const undo = openCorrectionUndo({ ...deps, images, plans, copies, commit })
  const restore = openCorrectionRestore({ ...deps, images, runs, plans, commit })
  const { existing, imagesOf, headerOfInstance, headersOf } = images

  async function applied(
    studyInstanceUid: string,
    order: CorrectionOrder,
    userId: string,
    run: Running,
  ): Promise<Correction> {
    const { cause, reason, digest, ...request } = order
    const planned = await plans.plan(studyInstanceUid, request, run)
    const { chosen, staying, target, preview } = planned
    if (preview.digest !== digest) throw outdated()
    if (preview.obstacle !== '' || !target) throw new ApiError('refused', preview.obstacle)
    const to = planned.toStudyInstanceUid ?? copies.newUid()
    runs.occupy(run, [to])
    const correctionId = uuid()
    const { kind } = request
    run.correction = {
      ...{
        correctionId,
        kind,
        cause,
        reason,
        fromStudyInstanceUid: studyInstanceUid,
        toStudyInstanceUid: to,
      },
      ...{
        instances: chosen.length,
        changes: preview.changes,
        at: instantOf(clock()),
        by: nameOf(userId),
      },
      ...{ undone: null, undoObstacle: UNDER_WAY },
    }
    const before = JSON.stringify(plans.core(studyInstanceUid, planned.toStudyInstanceUid))
    const stayingHeaders = await headersOf(staying.filter(isReceived))
    const there = to === studyInstanceUid ? [] : await headersOf(imagesOf(to).filter(isReceived))
    const wanted: Wanted[] = []
    for (const original of chosen) {
      const identity = identityOfHeader((await headerOfInstance(original)).study)
      wanted.push({
        original,
        source: original,
        values: correctedValues(kind, identity, { ...target, studyInstanceUid: to }),
      })
    }
    const actor: Actor = `user:${userId}`
    const record = await copies.withCopies(
      wanted,
      { uids: copies.uidsFor(wanted, studyInstanceUid, to), to, run },
      (made) => {
        if (JSON.stringify(plans.core(studyInstanceUid, planned.toStudyInstanceUid)) !== before)
          throw outdated()
        const at = instantOf(clock())
        const current = existing(studyInstanceUid)
        const kept = commit.replace(made, {
          ...{ from: current, toStudyInstanceUid: to, staying: stayingHeaders, there },
          handedOut: (now) => {
            if (target.order)
              return now?.handedOut ?? rowOfOrder(target.order, current.callingAeTitle, at)
            // What was corrected is what the row should have said.
            if (kind === 'correct')
              return current.handedOut && { ...current.handedOut, ...target.patient }
            return now?.handedOut ?? null
          },
          record: {
            ...{
              correctionId,
              kind,
              cause,
              fromStudyInstanceUid: studyInstanceUid,
              toStudyInstanceUid: to,
              userId,
              at,
              undoes: null,
            },
            details: { reason, changes: preview.changes },
          },
        })
        note(deps.store, actor, 'images.correct', studyInstanceUid, {
          ...{ correctionId, kind, cause, reason, toStudyInstanceUid: to, instances: made.length },
        })
        return kept
      },
    )
    return finished(record)
  }

  async function undone(
    record: CorrectionRecord,
    reason: string,
    userId: string,
    run: Running,
  ): Promise<Correction> {
    run.correction = { ...viewOf(record), undoObstacle: UNDER_WAY }
    await undo.undo(record, reason, userId, run)
    return finished(corrections.get(record.correctionId) ?? record)
  }

  function viewOf(record: CorrectionRecord): Correction {
    const {
      correctionId,
      kind,
      cause,
      fromStudyInstanceUid,
      toStudyInstanceUid,
      details,
      at,
      undoneAt,
      undoneBy,
    } = record
    return {
      ...{
        correctionId,
        kind,
        cause,
        reason: details.reason,
        fromStudyInstanceUid,
        toStudyInstanceUid,
      },
      ...{ instances: record.instances, changes: details.changes, at, by: nameOf(record.userId) },
      undone:
        undoneAt === null
          ? null
          : { at: undoneAt, by: nameOf(undoneBy ?? ''), reason: details.undoReason },
      undoObstacle: runs.isBusy([fromStudyInstanceUid, toStudyInstanceUid])
        ? UNDER_WAY
        : undo.obstacleOf(record),
      progress: runs.progressOf(correctionId),
    }
  }

  /** The correction as it is once nothing of it is under way. */
  const finished = (record: CorrectionRecord): Correction => ({
    ...viewOf(record),
    undoObstacle: undo.obstacleOf(record),
    progress: null,
  })

  function nameOf(userId: string): string {
    const user = findUser(store.database, userId)
    return user ? `${user.firstName} ${user.lastName}`.trim() : ''
  }

  return {
    async identities(studyInstanceUid) {
      existing(studyInstanceUid)
      const series = new Map(
        imageStudies.seriesOf(studyInstanceUid).map((each) => [each.seriesInstanceUid, each]),
      )
      const found = new Map<string, ImageIdentity>()
      for (const instance of imagesOf(studyInstanceUid)) {
        const identity = identityOfHeader((await headerOfInstance(instance)).study)
        const { seriesInstanceUid, modality, instanceId, instanceNumber } = instance
        const key = JSON.stringify([identity, seriesInstanceUid])
        const known = found.get(key)
        if (known) {
          known.instanceIds.push(instanceId)
          known.instanceNumbers.push(instanceNumber)
        } else {
          const seriesDescription = series.get(seriesInstanceUid)?.seriesDescription ?? ''
          const ofSeries = { seriesInstanceUid, seriesDescription, modality }
          found.set(key, {
            ...identity,
            ...ofSeries,
            instanceIds: [instanceId],
            instanceNumbers: [instanceNumber],
          })
        }
      }
      return [...found.values()]
    },

    targets: async (studyInstanceUid, search) =>
      await targets.search(existing(studyInstanceUid), search),

    preview: async (studyInstanceUid, request) =>
      (await plans.plan(studyInstanceUid, request)).preview,
    apply: (studyInstanceUid, order, userId) =>
      runs.answered([studyInstanceUid], (run) => applied(studyInstanceUid, order, userId, run)),
    list(studyInstanceUid) {
      existing(studyInstanceUid)
      const made = corrections.ofStudy(studyInstanceUid).map(viewOf)
      const known = new Set(made.map(({ correctionId }) => correctionId))
      return [
        ...runs.ofStudy(studyInstanceUid).filter(({ correctionId }) => !known.has(correctionId)),
        ...made,
      ]
    },
    studiesOf(correctionId) {
      const record = corrections.get(correctionId)
      if (!record) throw noCorrection()
      return [record.fromStudyInstanceUid, record.toStudyInstanceUid]
    },
    isVersion: (instance) => restore.versionOf(instance) !== undefined,
    restore: restore.restore,
    async undo(correctionId, reason, userId) {
      const record = corrections.get(correctionId)
      if (!record) throw noCorrection()
      const uids = [record.fromStudyInstanceUid, record.toStudyInstanceUid]
      return await runs.answered(uids, (run) => undone(record, reason, userId, run))
    },
    sweep: copies.sweep,
    [Symbol.asyncDispose]: () => runs[Symbol.asyncDispose](),
  }
}

const noCorrection = () => new ApiError('not-found', 'There is no such correction.')
