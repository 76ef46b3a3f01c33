import { note } from '#server/modules/audit/audit.ts'
import type { Arrivals } from '#server/modules/images/arrivals.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { Actor, CorrectedImage, IntakeDeps } from '#server/modules/images/ports.ts'
import { isReceived, type StudyImages } from '#server/modules/images/study-images.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { type CorrectionCommit, SUPERSEDED } from './correction-commit.ts'
import type { Copy } from './correction-copies.ts'
import { type CorrectionPlans, changesOf, outdated } from './correction-plan.ts'
import { identityOfHeader } from './correction-rules.ts'
import type { CorrectionRuns } from './correction-runs.ts'

export interface CorrectionRestoreDeps extends IntakeDeps {
  readonly arrivals: Pick<Arrivals, 'rivalOf'>
  readonly images: StudyImages
  readonly runs: CorrectionRuns
  readonly plans: Pick<CorrectionPlans, 'core'>
  readonly commit: CorrectionCommit
}

/**
 * Corrections whose record is missing, because an older database was restored: recorded anew when a
 * person releases their copies.
 */
export function openCorrectionRestore(deps: CorrectionRestoreDeps) {
  const { store, clock, uuid, arrivals, runs, plans, commit } = deps
  const { database, corrections, imageStudies, instances } = store
  const { existing, imagesOf, headerOfInstance, headersOf } = deps.images

  const versionOf = ({ instanceId, sopInstanceUid }: InstanceRecord) =>
    arrivals.rivalOf(sopInstanceUid, corrections.foundBeside(instanceId))

  async function restore(
    found: readonly InstanceRecord[],
    reason: string,
    actor: Actor,
  ): Promise<number> {
    const candidates = found.flatMap((copy): CorrectedImage[] => {
      const original = versionOf(copy)
      return original ? [{ original, copy }] : []
    })
    // A copy of a copy names both as its originals.
    const isMadeFrom = (one: InstanceRecord, other: InstanceRecord) =>
      corrections.foundBeside(one.instanceId).includes(other.sopInstanceUid)
    const pairs = [...Map.groupBy(candidates, ({ original }) => original.instanceId).values()].map(
      (group): CorrectedImage => {
        const last = group.find(({ copy }) =>
          group.every((other) => other.copy === copy || isMadeFrom(copy, other.copy)),
        )
        if (!last) throw new ApiError('refused', SEVERAL)
        return last
      },
    )
    const ofStudies = Map.groupBy(
      pairs,
      ({ original, copy }) => `${original.studyInstanceUid} ${copy.studyInstanceUid}`,
    )
    for (const group of ofStudies.values()) {
      const uids = group.flatMap(({ original, copy }) => [
        original.studyInstanceUid,
        copy.studyInstanceUid,
      ])
      await runs.exclusively(uids, () => restoredOf(group, reason, actor))
    }
    return pairs.length
  }

  /** All from one study into one. */
  async function restoredOf(
    pairs: readonly CorrectedImage[],
    reason: string,
    actor: Actor,
  ): Promise<void> {
    const [{ original, copy: sample }] = pairs as readonly [CorrectedImage, ...CorrectedImage[]]
    const [fromUid, to] = [original.studyInstanceUid, sample.studyInstanceUid]
    const leaving = new Set(pairs.map((pair) => pair.original.instanceId))
    const left = imagesOf(fromUid).filter(
      (each) => isReceived(each) && !leaving.has(each.instanceId),
    )
    const staying = await headersOf(left)
    const there = fromUid === to ? staying : await headersOf(imagesOf(to).filter(isReceived))
    const copies: Copy[] = []
    for (const pair of pairs) {
      const { file, dataSetOffset, bytes, crc32 } = pair.copy
      copies.push({
        original: pair.original,
        instance: pair.copy,
        header: await headerOfInstance(pair.copy),
        file,
        dataSetOffset,
        bytes,
        crc32,
      })
    }
    const originals = await headersOf(pairs.map((pair) => pair.original))
    const patient = identityOfHeader((copies[0] as Copy).header.study)
    const before = JSON.stringify(plans.core(fromUid, to))
    await deps.writeEvents?.()
    await database.commitSoon(() => {
      const isStanding = pairs.every(
        ({ copy }) => instances.get(copy.instanceId)?.state === 'quarantined',
      )
      if (!isStanding || JSON.stringify(plans.core(fromUid, to)) !== before) throw outdated()
      const at = instantOf(clock())
      const correctionId = uuid()
      const [kind, cause] =
        fromUid === to
          ? (['correct', 'patient-safety'] as const)
          : (['reassign', 'wrong-worklist-entry'] as const)
      const from = existing(fromUid)
      closeEarlier(pairs)
      commit.replace(copies, {
        ...{ from, toStudyInstanceUid: to, staying, there },
        handedOut: (now) =>
          fromUid === to
            ? from.handedOut && { ...from.handedOut, ...patient }
            : (now?.handedOut ?? null),
        record: {
          ...{
            correctionId,
            kind,
            cause,
            fromStudyInstanceUid: fromUid,
            toStudyInstanceUid: to,
            at,
            undoes: null,
          },
          userId: actor.replace(/^user:/, ''),
          details: { reason, changes: changesOf(originals, patient, fromUid, to) },
        },
      })
      note(deps.store, actor, 'images.correct', fromUid, {
        ...{
          correctionId,
          kind,
          cause,
          reason,
          toStudyInstanceUid: to,
          instances: copies.length,
          isRestored: 1,
        },
      })
    })
  }

  /**
   * Within a transaction: versions in quarantine that the copies were made from are decided with
   * them.
   */
  function closeEarlier(pairs: readonly CorrectedImage[]): void {
    const studies = new Set<string>()
    for (const { copy } of pairs)
      for (const uid of corrections.foundBeside(copy.instanceId))
        for (const { instanceId, state, studyInstanceUid } of instances.versions(uid)) {
          if (state !== 'quarantined' || corrections.foundBeside(instanceId).length === 0) continue
          instances.setState(instanceId, 'superseded', null, SUPERSEDED)
          studies.add(studyInstanceUid)
        }
    for (const uid of studies) imageStudies.recount(uid)
  }

  return { versionOf, restore }
}

const SEVERAL =
  'Several versions of an image are in quarantine and none was made from another: look at each, and release or discard it by itself.'
