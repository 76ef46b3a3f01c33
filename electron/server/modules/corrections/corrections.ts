import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { listImageSeries } from '#server/modules/images/image-study-list-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type {
  Correction,
  CorrectionRequest,
  dashboardCorrections,
  ImageIdentity,
} from '#shared/contract/corrections.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { CallOf } from '#shared/operation.ts'
import { type OnCorrected, replaceImages } from './correction-commit.ts'
import { type CopyRequest, newUid, newUidsFor } from './correction-copies.ts'
import { noticeRecipientsOf } from './correction-notices.ts'
import { outdatedError, type Plan, planCorrection, stateOfStudies } from './correction-plan.ts'
import { type CorrectionRecord, findCorrection, listCorrections } from './correction-queries.ts'
import { copiesToRestore, restoreCorrection } from './correction-restore.ts'
import { correctedValues, identityOfHeader, rowOfOrder, type Target } from './correction-rules.ts'
import { type CorrectionRun, CorrectionRuns, UNDER_WAY_MESSAGE } from './correction-runs.ts'
import { type Orders, searchTargets } from './correction-targets.ts'
import { undoCorrection, undoObstacleOf } from './correction-undo.ts'
import {
  headerOfInstance,
  headersOf,
  imagesOf,
  isReceived,
  requireImageStudy,
} from './study-images.ts'

export type ApplyCorrectionBody = CallOf<(typeof dashboardCorrections)['apply']>['body']

/**
 * Corrects the identity of images (decision 0031): preview, apply with a reason and an audit entry,
 * and undo. `flushEvents` writes events that are only in memory. `onCorrected` is called in the
 * transaction of each correction and undo. A correction that takes longer than `longMs` is answered
 * while it is still running.
 */
export class Corrections implements AsyncDisposable {
  readonly #context: Context
  readonly #orders: Orders
  readonly #flushEvents: () => Promise<void>
  readonly #onCorrected: OnCorrected
  readonly #runs: CorrectionRuns

  constructor(
    context: Context,
    orders: Orders,
    flushEvents: () => Promise<void>,
    onCorrected: OnCorrected,
    longMs?: number,
  ) {
    this.#context = context
    this.#orders = orders
    this.#flushEvents = flushEvents
    this.#onCorrected = onCorrected
    this.#runs = new CorrectionRuns(context, flushEvents, longMs)
  }

  /**
   * Orders and studies to which the images may belong, most similar first.
   * @throws ApiError not-found
   */
  async targets(studyInstanceUid: string, search: string) {
    const study = requireImageStudy(this.#context.database, studyInstanceUid)
    return await searchTargets(this.#context, this.#orders, study, search)
  }

  /**
   * Previews a correction. `userId` is who would make it and need not be notified.
   * @throws ApiError not-found
   */
  async preview(
    studyInstanceUid: string,
    request: CorrectionRequest,
    userId: string | null = null,
  ) {
    const { preview, toStudyInstanceUid } = await this.#plan(studyInstanceUid, request)
    const to = toStudyInstanceUid ?? studyInstanceUid
    const recipients = noticeRecipientsOf(this.#context, studyInstanceUid, to, [], userId)
    return { ...preview, recipients: recipients.map(({ name }) => name) }
  }

  #plan(studyInstanceUid: string, request: CorrectionRequest, own?: CorrectionRun) {
    return planCorrection(this.#context, this.#orders, studyInstanceUid, request, (uids) =>
      this.#runs.isBusy(uids, own),
    )
  }

  /**
   * Applies the correction; resolves when it is complete or, if that takes long, while it is
   * running, with `progress`.
   * @throws ApiError not-found, refused, unavailable; outdated if it differs from what was
   *   previewed, or if another correction of the study or its target is running
   */
  apply(studyInstanceUid: string, order: ApplyCorrectionBody, userId: string): Promise<Correction> {
    return this.#runs.runAndAnswer([studyInstanceUid], (run) =>
      this.#apply(studyInstanceUid, order, userId, run),
    )
  }

  async #apply(
    studyInstanceUid: string,
    { cause, reason, digest, ...request }: ApplyCorrectionBody,
    userId: string,
    run: CorrectionRun,
  ): Promise<Correction> {
    const context = this.#context
    const { database } = context
    const plan = await this.#plan(studyInstanceUid, request, run)
    const { chosen, staying, target, preview } = plan
    if (preview.digest !== digest) throw outdatedError()
    if (preview.obstacle) throw new ApiError('refused', preview.obstacle)
    if (!target) throw outdatedError()
    const to = plan.toStudyInstanceUid ?? newUid(context)
    this.#runs.lock(run, [to])
    const correction = {
      correctionId: context.uuid(),
      kind: request.kind,
      cause,
      toStudyInstanceUid: to,
    }
    run.correction = {
      ...correction,
      reason,
      fromStudyInstanceUid: studyInstanceUid,
      instances: chosen.length,
      changes: preview.changes,
      at: instantOf(context.clock()),
      by: this.#nameOf(userId),
      undone: null,
      undoObstacle: UNDER_WAY_MESSAGE,
    }
    const state = () => stateOfStudies(database, studyInstanceUid, plan.toStudyInstanceUid)
    const before = state()
    const stayingHeaders = await headersOf(context, staying.filter(isReceived))
    const targetHeaders =
      to === studyInstanceUid
        ? []
        : await headersOf(context, imagesOf(database, to).filter(isReceived))
    const requests = await wantedCopies(context, plan, { ...target, studyInstanceUid: to })
    const uids = newUidsFor(context, requests, studyInstanceUid, to)
    const record = await this.#runs.withCopies(run, requests, uids, to, (made) => {
      if (state() !== before) throw outdatedError()
      const at = instantOf(context.clock())
      const current = requireImageStudy(database, studyInstanceUid)
      const replaced = replaceImages(context, this.#onCorrected, made, {
        from: current,
        staying: stayingHeaders,
        targetHeaders: targetHeaders,
        handedOut: (now) => rowAfter(plan, target, current, now, at),
        correction: { ...correction, userId, at, undoes: null },
        details: { reason, changes: preview.changes },
      })
      const detail = { ...correction, reason, instances: made.length }
      note(context, `user:${userId}`, 'images.correct', studyInstanceUid, detail)
      return replaced
    })
    return this.#finished(record)
  }

  /**
   * Running corrections first, then newest first.
   * @throws ApiError not-found
   */
  list(studyInstanceUid: string): Correction[] {
    const { database } = this.#context
    requireImageStudy(database, studyInstanceUid)
    const made = listCorrections(database, studyInstanceUid).map((record) => this.#view(record))
    const known = new Set(made.map(({ correctionId }) => correctionId))
    const runningCorrection = this.#runs.ofStudy(studyInstanceUid)
    return [...runningCorrection.filter(({ correctionId }) => !known.has(correctionId)), ...made]
  }

  /**
   * Undoes a correction; resolves as `apply` does.
   * @throws ApiError not-found, refused, unavailable, outdated
   */
  async undo(correctionId: string, reason: string, userId: string): Promise<Correction> {
    const context = this.#context
    const record = requireCorrection(context, correctionId)
    const uids = [record.fromStudyInstanceUid, record.toStudyInstanceUid]
    return await this.#runs.runAndAnswer(uids, async (run) => {
      run.correction = { ...this.#view(record), undoObstacle: UNDER_WAY_MESSAGE }
      await undoCorrection(context, this.#runs, this.#onCorrected, record, reason, userId, run)
      return this.#finished(findCorrection(context.database, correctionId) ?? record)
    })
  }

  /**
   * Replaces images with those of the quarantined versions that are corrected copies of them, of
   * several copies of one image with the last, and records the correction that made the copies
   * again. Returns the number of replaced images.
   * @throws ApiError outdated, unavailable
   */
  async restore(found: readonly InstanceRecord[], reason: string, actor: Actor): Promise<number> {
    const context = this.#context
    const pairs = copiesToRestore(context.database, found)
    const byStudies = Map.groupBy(
      pairs,
      ({ original, copy }) => `${original.studyInstanceUid} ${copy.studyInstanceUid}`,
    )
    for (const group of byStudies.values()) {
      const images = group.flatMap(({ original, copy }) => [original, copy])
      await this.#runs.runExclusive(
        images.map(({ studyInstanceUid }) => studyInstanceUid),
        () =>
          restoreCorrection(context, this.#onCorrected, this.#flushEvents, group, reason, actor),
      )
    }
    return pairs.length
  }

  #view(record: CorrectionRecord): Correction {
    const { details, userId, undoneAt, undoneBy, undoes: _, undoneWith: __, ...facts } = record
    return {
      ...facts,
      reason: details.reason,
      changes: details.changes,
      by: this.#nameOf(userId),
      undone:
        undoneAt === null
          ? null
          : { at: undoneAt, by: this.#nameOf(undoneBy ?? ''), reason: details.undoReason },
      undoObstacle: this.#runs.isBusy([record.fromStudyInstanceUid, record.toStudyInstanceUid])
        ? UNDER_WAY_MESSAGE
        : undoObstacleOf(this.#context, record),
      progress: this.#runs.progressOf(record.correctionId),
    }
  }

  /** The correction after it is complete. */
  #finished(record: CorrectionRecord): Correction {
    const undoObstacle = undoObstacleOf(this.#context, record)
    return { ...this.#view(record), undoObstacle, progress: null }
  }

  #nameOf(userId: string): string {
    const user = findUser(this.#context.database, userId)
    return user ? `${user.firstName} ${user.lastName}`.trim() : ''
  }

  [Symbol.asyncDispose]() {
    return this.#runs[Symbol.asyncDispose]()
  }
}

async function wantedCopies(context: Context, { kind, chosen }: Plan, target: Target) {
  const requests: CopyRequest[] = []
  for (const original of chosen) {
    const identity = identityOfHeader((await headerOfInstance(context, original)).study)
    const values = correctedValues(kind, identity, target)
    requests.push({ original, source: original, values })
  }
  return requests
}

/** The worklist row of the target after the correction. */
function rowAfter(
  { kind }: Plan,
  { order, patient }: Target,
  from: ImageStudyRecord,
  to: ImageStudyRecord | undefined,
  at: string,
) {
  if (order) return to?.handedOut ?? rowOfOrder(order, from.callingAeTitle, at)
  // The corrected values are also the correct values of the row.
  if (kind === 'correct') return from.handedOut && { ...from.handedOut, ...patient }
  return to?.handedOut ?? null
}

/**
 * The patients and series that the images of the study identify.
 * @throws ApiError not-found
 */
export async function listIdentities(
  context: Context,
  studyInstanceUid: string,
): Promise<ImageIdentity[]> {
  const { database } = context
  requireImageStudy(database, studyInstanceUid)
  const descriptions = new Map(
    listImageSeries(database, studyInstanceUid).map((series) => [
      series.seriesInstanceUid,
      series.seriesDescription,
    ]),
  )
  const found = new Map<string, ImageIdentity>()
  for (const instance of imagesOf(database, studyInstanceUid)) {
    const identity = identityOfHeader((await headerOfInstance(context, instance)).study)
    const { seriesInstanceUid, modality, instanceId, instanceNumber } = instance
    const key = JSON.stringify([identity, seriesInstanceUid])
    const known = found.get(key) ?? {
      ...identity,
      seriesInstanceUid,
      seriesDescription: descriptions.get(seriesInstanceUid) ?? '',
      modality,
      instanceIds: [],
      instanceNumbers: [],
    }
    known.instanceIds.push(instanceId)
    known.instanceNumbers.push(instanceNumber)
    found.set(key, known)
  }
  return [...found.values()]
}

/**
 * Finds a correction.
 * @throws ApiError not-found
 */
export function requireCorrection({ database }: Context, correctionId: string): CorrectionRecord {
  const record = findCorrection(database, correctionId)
  if (!record) throw new ApiError('not-found', message('corrections.none-such'))
  return record
}
