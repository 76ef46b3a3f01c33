import type { CStoreScp, MppsScp, StorageCommitmentScp } from '#server/dicom/dimse/service.ts'
import { openCommitments } from '#server/modules/commitment/commitment.ts'
import { type Corrections, openCorrections } from '#server/modules/corrections/corrections.ts'
import { openPerformedStepScp } from '#server/modules/procedure-steps/performed-step-scp.ts'
import { openWrongSteps } from '#server/modules/procedure-steps/wrong-steps.ts'
import type { OrderChange } from '#server/modules/reconciliation/reconciliation.ts'
import { type Ending, openTally } from '#server/platform/counts.ts'
import { openDisk } from '#server/platform/disk-space.ts'
import { openTurns } from '#server/platform/keyed-mutex.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { GroupOutcome } from '#shared/contract/images.ts'
import { adoptImages } from './adoption.ts'
import { openArrivals } from './arrivals.ts'
import type { QuarantineGroup } from './instance-queries.ts'
import { openOwnInstances } from './own-instances.ts'
import { type Actor, diskNews, type IntakeDeps } from './ports.ts'
import { openQuarantine } from './quarantine.ts'
import { openReceiving } from './receive.ts'
import { openRecovery, type Recovery } from './recovery.ts'
import { openContentComparison } from './same-content.ts'
import { openSeeding } from './seeding.ts'
import { openSettling } from './settling.ts'
import { takeBackUnproven } from './unproven.ts'

export type { Order } from '#server/modules/corrections/correction-rules.ts'
export type { Orders } from '#server/modules/corrections/correction-targets.ts'
export type { CorrectionOrder, Corrections } from '#server/modules/corrections/corrections.ts'
export type { CorrectionDone, HandedOutQuery, IntakeDeps, News } from './ports.ts'

/**
 * Images, performed steps and storage commitment as devices send them, and the studies that come of
 * them.
 */
export interface Intake extends AsyncDisposable {
  readonly cStoreScp: CStoreScp
  readonly mppsScp: MppsScp
  readonly storageCommitmentScp: StorageCommitmentScp
  /** Files that are about to have a row: no orphans. */
  readonly arriving: Set<string>
  /** Told by the observer of associations, of every one. */
  associationClosed(associationId: string, how: Ending): void
  storage(): Status['storage']
  /**
   * Whether associations for storage are taken now: there is room on the disk, and it can be
   * written to.
   */
  takesImages(): boolean
  /**
   * Asks the partner again now. @throws ApiError not-found, refused: the gateway made no study of
   * these images
   */
  retryEnrichment(studyInstanceUid: string): Promise<void>
  /**
   * Within the transaction that decided on the order of a study: what depends on it is brought up
   * to date.
   */
  orderChanged(studyInstanceUid: string, change: OrderChange): void
  /**
   * The instance takes its place in its study; the one it replaces is kept. @throws ApiError
   * not-found
   */
  releaseInstance(instanceId: number, reason: string, actor: Actor): Promise<Outcome>
  /**
   * An earlier version of an image takes its place again; the one it replaces is kept. @throws
   * ApiError not-found
   */
  restoreVersion(instanceId: number, reason: string, actor: Actor): Outcome
  /** Row and file are deleted for good. @throws ApiError not-found */
  discardInstance(instanceId: number, reason: string, actor: Actor): Promise<Outcome>
  /** As `releaseInstance` and `discardInstance`, for all instances of a group, in portions. */
  releaseGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome>
  discardGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome>
  readonly corrections: Omit<
    Corrections,
    'sweep' | 'isVersion' | 'restore' | typeof Symbol.asyncDispose
  >
  /** Image files that no row names. */
  readonly recovery: Omit<Recovery, 'sweep' | 'move'>
  /** Looks at once at what is due: a setting or a device changed. */
  wake(): void
  /** Resolves when nothing of what is due is under way. */
  settled(): Promise<void>
}

/**
 * Sweeps the spool, then goes on where the last run stopped. Disposed of after the listeners have
 * drained.
 */
export async function openIntake(deps: IntakeDeps): Promise<Intake> {
  const { store, uuid, onError } = deps
  const swept = store.imageFiles.sweep()
  if (swept.parts > 0) {
    const text = `${swept.parts} unfinished ${swept.parts === 1 ? 'transfer' : 'transfers'} of the last run: removed, the sender was not told Success.`
    deps.onNews(diskNews('warning', text))
  }

  const closing = new AbortController()
  const arriving = new Set<string>()
  const turns = openTurns()
  const disk = openDisk(deps)
  const tally = openTally(deps)
  const wrongSteps = openWrongSteps(deps)
  const compareContent = openContentComparison({ folder: store.folder, transcode: deps.transcode })
  const arrivals = openArrivals(deps, wrongSteps, tally, compareContent)
  const seeding = openSeeding(deps)
  const settling = openSettling({ ...deps, arrivals, tally, seeding })
  const commitments = openCommitments({ ...deps, settling })
  const own = openOwnInstances({ ...deps, arriving })
  const { arrived: onArrived, associationClosed } = settling
  const adoption = { ...deps, arrivals, own, tally, turns, arriving, onArrived, associationClosed }
  const recovery = openRecovery(adoption)
  const corrections = openCorrections({ ...deps, arrivals, settling, arriving })
  const quarantine = openQuarantine({ ...deps, settling, corrections })
  const sweep = async () => {
    // Before what it left is taken for unknown files.
    await corrections.sweep().catch(failed)
    await recovery.sweep(closing.signal).catch(failed)
    // It reads whole images, those of minutes: last.
    if (swept.wasCutOff) await takeBackUnproven(deps, recovery.move, closing.signal).catch(failed)
    // No report is signed before it has ended: it runs whatever failed before.
    await adoptImages(adoption, recovery.move, closing.signal)
  }
  const failed = (error: unknown) => onError(uuid().slice(0, 8), error)
  const sweeping = sweep().catch(failed)

  return {
    cStoreScp: openReceiving({
      ...deps,
      arrivals,
      disk,
      tally,
      turns,
      arriving,
      onArrived: settling.arrived,
    }),
    mppsScp: openPerformedStepScp({ ...deps, settling, wrongSteps, turns }),
    storageCommitmentScp: commitments.scp,
    arriving,
    associationClosed: settling.associationClosed,
    storage: () => disk.storage(),
    takesImages: () => disk.takesImages(),
    retryEnrichment: seeding.retry,
    orderChanged(studyInstanceUid, change) {
      seeding.askAnew(studyInstanceUid, change === 'unlinked')
      deps.performedSteps.changed()
      store.database.afterCommit(() => arrivals.forget(studyInstanceUid))
    },
    releaseInstance: quarantine.release,
    restoreVersion: quarantine.restoreVersion,
    discardInstance: quarantine.discard,
    releaseGroup: quarantine.releaseGroup,
    discardGroup: quarantine.discardGroup,
    corrections,
    recovery,
    wake() {
      for (const part of [settling, seeding, commitments]) part.wake()
    },
    async settled() {
      await sweeping
      for (const part of [settling, seeding, commitments]) await part.settled()
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await corrections[Symbol.asyncDispose]()
      for (const part of [settling, seeding, commitments]) await part[Symbol.asyncDispose]()
      await sweeping
      store.imageFiles.close()
    },
  }
}
