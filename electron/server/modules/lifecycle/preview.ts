import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  KEPT_REASONS,
  type KeptReason,
  type LifecyclePreview,
  type LifecycleRule,
} from '#shared/contract/lifecycle.ts'
import { type LocalInstance, type StudyFacts, type Verdict, verdictOf } from './evaluation.ts'
import { findStudyFacts, listLocalStudies, type StudyPosition } from './fact-queries.ts'

const BATCH_SIZE = 50
const MAX_EXAMPLES = 100

/**
 * The studies with files on this PC and their facts, the oldest first. Other work of the gateway
 * runs between two batches.
 */
export async function* localStudies(
  { database }: Context,
  signal?: AbortSignal,
): AsyncGenerator<StudyFacts> {
  for (let after: StudyPosition | undefined; signal?.aborted !== true; ) {
    const batch = listLocalStudies(database, after, BATCH_SIZE)
    for (const { studyInstanceUid } of batch) {
      const facts = findStudyFacts(database, studyInstanceUid)
      if (facts) yield facts
    }
    after = batch.at(-1)
    if (batch.length < BATCH_SIZE) return
    await nextTurn()
  }
}

/** What the rule would remove now, and what is kept and why. Removes nothing. */
export async function previewOf(
  context: Context,
  rule: LifecycleRule,
  isLow: boolean,
): Promise<LifecyclePreview> {
  const now = context.clock()
  const remove = { studies: 0, bytes: 0, instances: 0 }
  const notDue = { studies: 0, bytes: 0 }
  const kept = new Map<KeptReason, { studies: number; bytes: number }>()
  const examples: LifecyclePreview['examples'] = []
  for await (const study of localStudies(context)) {
    const verdict = verdictOf(rule, study, now, isLow)
    if (verdict.kind === 'other') continue
    const bytes = bytesOf(verdict, study)
    if (verdict.kind === 'not-due') add(notDue, bytes)
    else if (verdict.kind === 'kept') {
      const sum = kept.get(verdict.reason) ?? { studies: 0, bytes: 0 }
      kept.set(verdict.reason, sum)
      add(sum, bytes)
    } else {
      add(remove, bytes)
      remove.instances += verdict.instances.length
      if (examples.length < MAX_EXAMPLES)
        examples.push(exampleOf(context, study, verdict.instances))
    }
  }
  return {
    revision: rule.revision,
    remove,
    notDue,
    kept: KEPT_REASONS.flatMap((reason) => {
      const sum = kept.get(reason)
      return sum ? [{ reason, ...sum }] : []
    }),
    examples,
  }
}

const add = (sum: { studies: number; bytes: number }, bytes: number) => {
  sum.studies++
  sum.bytes += bytes
}

export const sumBytes = (instances: readonly LocalInstance[]): number =>
  instances.reduce((sum, { bytes }) => sum + bytes, 0)

const bytesOf = (verdict: Verdict, { local }: StudyFacts) =>
  sumBytes(verdict.kind === 'remove' ? verdict.instances : local.filter(({ isOwn }) => !isOwn))

function exampleOf(
  { database }: Context,
  { studyInstanceUid, receivedAt }: StudyFacts,
  instances: readonly LocalInstance[],
): LifecyclePreview['examples'][number] {
  return {
    studyInstanceUid,
    patientName: findImageStudy(database, studyInstanceUid)?.header.patientName ?? '',
    modalities: [...new Set(instances.map(({ modality }) => modality))].filter(Boolean).sort(),
    receivedAt: instantOf(receivedAt),
    instances: instances.length,
    bytes: sumBytes(instances),
  }
}
