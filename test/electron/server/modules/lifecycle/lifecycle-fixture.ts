import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import { type CopyKind, recordCopies } from '#server/modules/images/instance-copy-queries.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { type Disk, Lifecycle } from '#server/modules/lifecycle/lifecycle.ts'
import { addRule, setRuleEnabled } from '#server/modules/lifecycle/rules.ts'
import type { PriorRetrieval } from '#shared/contract/destinations.ts'
import type { NewLifecycleRule } from '#shared/contract/lifecycle.ts'
import { IMAGE, openStage, STUDY } from '../images/intake-fixture.ts'

export const ACTOR = 'user:admin' as const
export const DAY_MS = 24 * 60 * 60_000
export const PACS = '6d0f8c2e-4d0b-4a8b-9a55-3a0f6f0a1f01'
export const RULE: NewLifecycleRule = {
  ...{ name: 'Everything after 90 days', since: 'received', days: 90 },
  ...{ modalities: [], devices: [], requiresSignedReport: false, copies: 1 },
  isEarlierWhenLow: false,
  readsBack: false,
}
export const image = (number: number, study = STUDY) => ({
  ...IMAGE,
  StudyInstanceUID: study,
  SeriesInstanceUID: `${study}.1`,
  SOPInstanceUID: `${study}.1.${number}`,
})

/** A store with images, a destination and the lifecycle of images. */
export async function openLifecycleStage() {
  const stage = await openStage()
  const { store } = stage
  const at = new Date(stage.clock()).toISOString()
  insertDestination(store.database, {
    ...{ destinationId: PACS, name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port: 104 },
    ...{ isTls: false, certificate: null, isEnabled: true, isAutomatic: false, modalities: [] },
    ...{ hasPriors: false, confirmsStorage: true, createdAt: at, updatedAt: at },
    ...{ lastSentAt: null, lastError: null },
  })
  const storage: { state: 'ok' | 'low'; freeBytes: number; totalBytes: number } = {
    ...{ state: 'ok', freeBytes: 50e9, totalBytes: 100e9 },
  }
  const disk: Disk = {
    storage: () => storage,
    forecast: () => ({
      days: [{ day: '2026-11-19', bytes: 10 }],
      ...{ stopBytes: 0, fullInDays: 10, unknownBecause: null },
    }),
  }
  /** Studies that were read back; the destination returns those that it keeps. */
  const readBack: string[] = []
  const keeps = new Set<string>()
  const pull = (destinationId: string, study: string) => {
    readBack.push(study)
    if (keeps.has(study)) confirm(study, destinationId, 'read-back')
    return { pullId: study } as PriorRetrieval
  }
  const pulls = { mayStart: () => true, ended: async () => undefined }
  const forwarding = { pull, pulls: pulls as unknown as Forwarding['pulls'] }
  const lifecycle = new Lifecycle(store, disk, forwarding)
  /** The destination confirms the images of the study. */
  function confirm(study = STUDY, destinationId = PACS, kind: CopyKind = 'commitment') {
    recordCopies(
      store.database,
      listStudyInstances(store.database, study).map(({ instanceId }) => instanceId),
      {
        ...{ destinationId, destinationName: 'PACS', kind },
        confirmedAt: new Date(stage.clock()).toISOString(),
      },
    )
  }
  return {
    ...stage,
    ...{ lifecycle, storage },
    /** Receives images of a study, which is then complete and matches its order. */
    async receive(numbers: readonly number[], study = STUDY) {
      for (const number of numbers) await stage.send(image(number, study))
      await stage.pass(2 * 60 * 60_000)
    },
    confirm,
    ...{ readBack, keeps },
    /** A rule that was previewed and is on. */
    async ruleOn(more: Partial<NewLifecycleRule> = {}) {
      const { ruleId } = addRule(store, { ...RULE, ...more }, ACTOR)
      const { revision } = await lifecycle.preview(ruleId)
      return setRuleEnabled(store, ruleId, { isOn: true, revision }, ACTOR)
    },
    local: (study = STUDY) =>
      listStudyInstances(store.database, study).filter((one) => one.localRemovedAt === null).length,
    async [Symbol.asyncDispose]() {
      await lifecycle[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}
