import { openAlarm } from '#server/jobs/due-job-scheduler.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { identityOf } from './arrivals.ts'
import { type Asked, ask, NO_PARTNER, standingAfter } from './enrichment.ts'
import { fitnessOfUid } from './header.ts'
import type { ImageStudyPatch, ImageStudyRecord } from './image-study-queries.ts'
import type { IntakeDeps, News } from './ports.ts'
import { openSeeds } from './seeds.ts'
import { leadingModality, type MergedValues, mergedValues } from './study-values.ts'

/** As the window calls them. */
const AREAS: Record<StudyArea, string> = { scribe: 'Reporting', viewer: 'Viewer' }

/**
 * Studies of the interface that come of images, with what the partner says of them (interface.md,
 * patient_study.enrichment_requested).
 */
export interface Seeding extends AsyncDisposable {
  /**
   * A study is complete for the first time, or was corrected: it is settled, and appears in every
   * area of the setting that does not know it. The partner is asked once for all of them, within
   * the budget of a soft event; until there is an answer the header's values stand.
   */
  settle(study: ImageStudyRecord, signal: AbortSignal): Promise<void>
  /** A person asks again. @throws ApiError not-found, refused */
  retry(studyInstanceUid: string): Promise<void>
  /**
   * Within the caller's transaction: the partner is asked about the study again soon. With
   * `isForgotten`, what it said before does not stand until then.
   */
  askAnew(studyInstanceUid: string, isForgotten: boolean): void
  wake(): void
  settled(): Promise<void>
}

export function openSeeding(deps: IntakeDeps): Seeding {
  const { store, clock, setting, onNews, onChanged, onError, uuid } = deps
  const { database, imageStudies, studies } = store
  const seeds = openSeeds(deps)
  const closing = new AbortController()
  /** Questions that persons asked. */
  const underWay = new Set<Promise<void>>()

  const alarm = openAlarm({
    clock,
    next: () => imageStudies.nextEnrichment(),
    async work(signal) {
      const faults: unknown[] = []
      // One that cannot be written holds up no other.
      for (const study of imageStudies.enrichmentDue(instantOf(clock())))
        await askAgain(study, signal).catch((error) => faults.push(error))
      if (faults.length > 0) throw faults[0]
    },
    onError: (error) => onError(uuid().slice(0, 8), error),
  })

  const freeAreas = ({ studyInstanceUid }: ImageStudyRecord): StudyArea[] =>
    setting('intake.areas').filter((area) => studies.byUid(area, studyInstanceUid) === undefined)

  /**
   * The device corrected what it says, or a person linked an order, while the partner was asked:
   * the answer is about something else, and the next question is due.
   */
  const isOfSame = (asked: ImageStudyRecord, now: ImageStudyRecord): boolean =>
    identityOf(asked.header) === identityOf(now.header) &&
    asked.handedOut?.accessionNumber === now.handedOut?.accessionNumber

  function mergedFor(study: ImageStudyRecord, { answer }: Pick<Asked, 'answer'>): MergedValues {
    const modality = leadingModality([study.header.modality, ...study.modalities])
    return seeds.usable(mergedValues(study.header, modality, answer ?? {}))
  }

  async function settle(study: ImageStudyRecord, signal: AbortSignal): Promise<void> {
    const { studyInstanceUid } = study
    // Where all of it is in quarantine, the first image that counts opens it again.
    const isFit = fitnessOfUid(studyInstanceUid) === 'usable' && study.instances > 0
    const isSeeded = imageStudies.seeds(studyInstanceUid).length > 0
    if (!isFit || (!isSeeded && freeAreas(study).length === 0)) {
      close(studyInstanceUid, {})
      return
    }
    const asked = await ask(deps, study, signal)
    const planted = database.transaction(() => {
      const now = imageStudies.get(studyInstanceUid)
      if (!now || !isOfSame(study, now)) return undefined
      const merged = mergedFor(now, asked)
      // Somebody may have made the study while the partner was asked.
      const areas = freeAreas(now)
      for (const area of areas) seeds.plant(area, studyInstanceUid, merged)
      if (isSeeded) {
        seeds.fill(studyInstanceUid, merged)
        seeds.followImages(studyInstanceUid, instantOf(clock()), 'gateway')
      }
      const isOurs = isSeeded || areas.length > 0
      close(studyInstanceUid, isOurs ? standingAfter(asked, 0, merged, clock()) : {})
      return areas
    })
    if (!planted) return
    tell(studyInstanceUid, planted)
    alarm.wake()
  }

  function close(studyInstanceUid: string, patch: ImageStudyPatch): void {
    database.transaction(() => {
      imageStudies.update(studyInstanceUid, {
        ...patch,
        state: 'settled',
        settledAt: instantOf(clock()),
      })
      deps.performedSteps.changed()
    })
    onChanged()
  }

  async function askAgain(study: ImageStudyRecord, signal: AbortSignal): Promise<void> {
    const { studyInstanceUid } = study
    const asked = await ask(deps, study, signal)
    const isKept = database.transaction(() => {
      const now = imageStudies.get(studyInstanceUid)
      if (!now || !isOfSame(study, now)) return false
      const merged = mergedFor(now, asked)
      if (asked.answer) seeds.fill(studyInstanceUid, merged)
      imageStudies.update(
        studyInstanceUid,
        standingAfter(asked, now.enrichmentAttempts, merged, clock()),
      )
      return true
    })
    if (!isKept) return
    tell(studyInstanceUid, [])
    onChanged()
  }

  function tell(studyInstanceUid: string, planted: readonly StudyArea[]): void {
    const study = imageStudies.get(studyInstanceUid)
    if (!study) return
    deps.onEnriched?.(study)
    const { callingAeTitle: aeTitle, remoteAddress: address, enrichment, instances, series } = study
    const say = (kind: News['kind'], tone: News['tone'], text: string) =>
      onNews({ kind, tone, text, aeTitle, address, associationId: '', studyInstanceUid })
    const counted = `${instances} ${instances === 1 ? 'object' : 'objects'} in ${series} series`
    if (planted.length > 0)
      say(
        'images',
        'good',
        `A study of ${counted} is here and can now be read under ${planted.map((area) => AREAS[area]).join(' and under ')}.`,
      )
    // Where there is nobody to ask there is no news.
    if (enrichment.detail === NO_PARTNER) return
    if (enrichment.state === 'waiting')
      say('enrichment', 'warning', `${enrichment.detail} What the images say stands meanwhile.`)
    if (enrichment.state === 'given-up')
      say('enrichment', 'danger', `${enrichment.detail} It is not asked again by itself.`)
    if (enrichment.state === 'done' && planted.length === 0)
      say('enrichment', 'good', 'The partner completed what is known of the study.')
    for (const warning of enrichment.warnings) say('enrichment', 'warning', warning)
  }

  alarm.wake()
  return {
    settle,
    async retry(studyInstanceUid) {
      const study = imageStudies.get(studyInstanceUid)
      if (!study) throw new ApiError('not-found', 'There are no images of such a study.')
      if (imageStudies.seeds(studyInstanceUid).length === 0)
        throw new ApiError(
          'refused',
          'The gateway made no study of these images: the partner is not asked about it.',
        )
      const asking = askAgain(study, closing.signal)
      underWay.add(asking)
      try {
        await asking
      } finally {
        underWay.delete(asking)
      }
      alarm.wake()
    },
    askAnew(studyInstanceUid, isForgotten) {
      const study = imageStudies.get(studyInstanceUid)
      if (!study || imageStudies.seeds(studyInstanceUid).length === 0) return
      if (isForgotten) seeds.fill(studyInstanceUid, mergedFor(study, { answer: undefined }))
      const nextAt = instantOf(clock())
      const { askedAt } = study.enrichment
      const enrichment = { state: 'waiting' as const, askedAt, nextAt, detail: '', warnings: [] }
      imageStudies.update(studyInstanceUid, { enrichment, enrichmentAttempts: 0 })
      database.afterCommit(() => alarm.wake())
    },
    wake: () => alarm.wake(),
    settled: () => alarm.settled(),
    async [Symbol.asyncDispose]() {
      closing.abort()
      await Promise.allSettled(underWay)
      await alarm[Symbol.asyncDispose]()
    },
  }
}
