import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { StoreError } from '#server/database/store-error.ts'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { BackupState, FolderFinding } from '#shared/contract/dashboard-setup.ts'
import type { BackupKind, Rehearsal, UpkeepState } from '#shared/contract/dashboard-upkeep.ts'
import { ApiError } from '#shared/errors.ts'
import { checkBackupFolder, placeOfFolder } from './backup-folder.ts'
import { DAY_MS, REHEARSAL_DAYS } from './backup-health.ts'
import { expired, keptUntil } from './backup-keeping.ts'
import { dueAfter, planOf } from './backup-plan.ts'
import { type BackupRecord, upkeepRecord } from './backup-record.ts'
import { type BackupMade, listBackups, makeBackup, removeBackup } from './make-backup.ts'
import { backupEntry } from './restore-staging.ts'
import { tryBackup } from './restore-test.ts'

/**
 * Back-ups of the database: by a plan, before an update, when somebody asks; and the trial of the
 * newest. One thing at a time.
 */
export interface Backups extends AsyncDisposable {
  state(): Promise<UpkeepState>
  /** The same in the words of the first-run wizard. */
  wizardState(): Promise<BackupState>
  /** Checks the folder, and keeps it as the one for back-ups where nothing is bad. */
  useFolder(
    folder: string,
    actor: Actor,
  ): { readonly isUsed: boolean; readonly findings: FolderFinding[] }
  /**
   * Resolves when it is made. @throws ApiError refused: no folder, one that will not do, or one is
   * being made; StoreError: it failed
   */
  make(kind: BackupKind, actor: Actor): Promise<BackupMade>
  /** Begins one; `state` says how far it is. @throws ApiError refused as `make` */
  begin(kind: BackupKind, actor: Actor): void
  /**
   * @throws ApiError not-found; refused: the only one, or one is being made. StoreError bad-folder
   */
  remove(name: string, actor: Actor): Promise<void>
  /**
   * Tries the newest; what came of it is kept. @throws ApiError refused: there is none, or a
   * back-up is being made. StoreError bad-folder
   */
  rehearse(actor: Actor): Promise<Rehearsal>
  /** Begins a trial; `state` says how far it is. @throws as `rehearse` */
  beginRehearsal(actor: Actor): Promise<void>
  /** Does what is due by the plan. Called once a minute, whatever the clock did meanwhile. */
  check(): Promise<void>
}

export interface BackupsDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get' | 'change' | 'onChange'>
  /** Of the program. */
  readonly version: string
  /** Something began or ended. */
  readonly onChanged?: () => void
  /** A fault of ours. */
  readonly onError: (error: unknown) => void
}

/** Of the list that is shown. */
const SHOWN = 60
const WIZARD_SHOWN = 20
const MINUTE_MS = 60_000
/** After a back-up that failed, at the latest; after a trial that failed, at the earliest. */
const AGAIN_MS = 60 * MINUTE_MS
/** Where none is known, none waits for the night: a PC may be off then. */
const FIRST_MS = 10 * MINUTE_MS
const UNFORESEEN =
  'The back-up failed for a reason that the gateway did not foresee; its log has it.'
const UNFORESEEN_TRIAL =
  'The trial failed for a reason that the gateway did not foresee; its log has it.'

export function openBackups(deps: BackupsDeps): Backups {
  const { store, settings, clock, version, onError, onChanged = () => {} } = deps
  const record = upkeepRecord(store)
  let running: UpkeepState['running'] = null
  /** As it was kept last: a disk that is full keeps nothing. */
  let latest: BackupRecord | undefined
  let atWork: Promise<unknown> = Promise.resolve()
  /** When the next one of the plan is due; undefined: to be reckoned anew. */
  let planned: number | null | undefined
  let checkedAt = clock()
  const unsubscribe = settings.onChange((keys) => {
    if (keys.some((key) => key.startsWith('backup.') || key === 'clinic.timeZone'))
      planned = undefined
  })

  const timeZone = () => timeZoneOf(settings.get('clinic.timeZone'))
  const findingsOf = (folder: string) =>
    checkBackupFolder(folder, {
      folder: store.folder,
      databaseBytes: statSync(join(store.folder, DATABASE_FILE)).size,
    })

  /** Of another folder nothing is known. */
  function recordOf(folder: string): BackupRecord {
    const kept = latest ?? record.get('backup')
    return kept?.folder === folder
      ? kept
      : { folder, name: null, madeAt: null, since: null, last: null }
  }

  function demandFree(): void {
    if (running)
      throw new ApiError(
        'refused',
        running.phase === 'rehearsing'
          ? 'The newest back-up is being tried: wait for it to end.'
          : 'A back-up is being made already: wait for it to end.',
      )
  }

  function demandFolder(): string {
    const folder = settings.get('backup.folder')
    if (folder === null) throw new ApiError('refused', 'Choose a folder for back-ups first.')
    return folder
  }

  /** One thing at a time: what ends waits for nobody, what begins sees that something runs. */
  function alone<T>(phase: 'copying' | 'rehearsing', work: () => Promise<T>): Promise<T> {
    demandFree()
    running = { phase, share: 0 }
    onChanged()
    const working = work().finally(() => {
      running = null
      planned = undefined
      onChanged()
    })
    atWork = working.catch(() => undefined)
    return working
  }

  function start(kind: BackupKind, actor: Actor): Promise<BackupMade> {
    demandFree()
    const folder = demandFolder()
    // Made anew it would be on the wrong disk: that is what a disk that was taken away looks like.
    if (!existsSync(folder))
      throw new ApiError(
        'refused',
        `The folder ${folder} is not there: see whether its disk is connected.`,
      )
    const fault = findingsOf(folder).find(({ verdict }) => verdict === 'bad')
    if (fault) throw new ApiError('refused', `${fault.sentence} ${fault.remedy}`)
    return alone('copying', () => made(folder, kind, actor))
  }

  async function made(folder: string, kind: BackupKind, actor: Actor): Promise<BackupMade> {
    const before = recordOf(folder)
    try {
      const backup = await makeBackup(store, {
        ...{ folder, kind, version, now: clock() },
        onProgress: (progress) => (running = progress),
      })
      const { name, madeAt, bytes, hasRecoveryKey } = backup
      const sentence = `The back-up ${name} is written, and was opened and compared with the database.`
      const isFirstOfDay =
        !before.madeAt ||
        clinicDay(msOf(before.madeAt), timeZone()) !== clinicDay(msOf(madeAt), timeZone())
      latest = {
        folder,
        name,
        madeAt,
        since: before.since ?? madeAt,
        last: { success: true, sentence, at: madeAt },
      }
      const kept = latest
      store.database.transaction(() => {
        record.set('backup', kept)
        // Those of a standby come every few minutes: the trail has the first of each day.
        if (kind !== 'scheduled' || isFirstOfDay)
          note(deps.store, actor, 'backup.make', name, { kind, bytes, hasRecoveryKey })
      })
      await thinOut(folder).catch((error: unknown) => isTold(error) || onError(error))
      return backup
    } catch (error) {
      if (!(error instanceof StoreError)) onError(error)
      failed(folder, error instanceof StoreError ? error.message : UNFORESEEN)
      throw error
    }
  }

  function failed(folder: string, sentence: string): void {
    latest = { ...recordOf(folder), last: { success: false, sentence, at: instantOf(clock()) } }
    planned = undefined
    try {
      record.set('backup', latest)
    } catch (error) {
      onError(error)
    }
  }

  /**
   * What another gateway wrote into the same folder is not ours to try and to remove, and stands
   * for none of our days.
   */
  const isOwn = ({ version: form, keyName }: BackupMade): boolean =>
    form === 1 || keyName === store.seal.keyName

  /** Removes what the plan keeps no longer. */
  async function thinOut(folder: string): Promise<void> {
    const own = (await listBackups(folder)).filter(isOwn)
    for (const name of expired(own, planOf(settings), timeZone(), clock()))
      await removeBackup(folder, name)
  }

  async function newest(): Promise<{ readonly folder: string; readonly name: string }> {
    const folder = demandFolder()
    const backup = (await listBackups(folder)).find(isOwn)
    if (!backup) throw new ApiError('refused', `No back-up is in ${folder} yet: make one first.`)
    return { folder, name: backup.name }
  }

  const startTrial = (
    { folder, name }: { readonly folder: string; readonly name: string },
    actor: Actor,
  ): Promise<Rehearsal> =>
    alone('rehearsing', async () => {
      const began = clock()
      const trial = await tryBackup(deps, {
        ...{ from: join(folder, name), name },
        onProgress: (share) => (running = { phase: 'rehearsing', share }),
      }).catch((error: unknown) => {
        onError(error)
        return { success: false, sentence: UNFORESEEN_TRIAL }
      })
      const rehearsal: Rehearsal = {
        ...trial,
        name,
        at: instantOf(clock()),
        tookMs: Math.max(0, clock() - began),
      }
      store.database.transaction(() => {
        record.set('rehearsal', rehearsal)
        note(deps.store, actor, 'backup.rehearse', name, { success: trial.success })
      })
      return rehearsal
    })

  const rehearse = async (actor: Actor) => startTrial(await newest(), actor)

  /**
   * The instant from which the next back-up of the plan makes a trial too; null: from the next on.
   */
  function trialDue(): number | null {
    const last = record.get('rehearsal')
    // As of a back-up: one of tomorrow was made under a wrong clock.
    if (!last || msOf(last.at) > clock() + DAY_MS) return null
    return msOf(last.at) + (last.success ? REHEARSAL_DAYS * DAY_MS : AGAIN_MS)
  }

  /** Of the plan, in ms. A PC that was off or asleep makes up for it once: it is due at once. */
  function nextAt(): number | null {
    const folder = settings.get('backup.folder')
    if (folder === null) return null
    planned ??= reckon(recordOf(folder))
    return planned
  }

  function reckon({ madeAt, last }: BackupRecord): number | null {
    const now = clock()
    const plan = planOf(settings)
    // A back-up of tomorrow was made under a wrong clock: it says nothing of when the next is due.
    const known = madeAt && msOf(madeAt) <= now + DAY_MS ? Math.min(msOf(madeAt), now) : undefined
    const due = dueAfter(known ?? now, plan, timeZone())
    if (due === null) return null
    const first = known === undefined ? Math.min(due, now + FIRST_MS) : due
    if (!last || last.success) return first
    const again = Math.min(AGAIN_MS, (plan.everyMinutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS)
    return Math.max(first, Math.min(msOf(last.at), now) + again)
  }

  async function state(): Promise<UpkeepState> {
    const folder = settings.get('backup.folder')
    const plan = planOf(settings)
    const [last, standby, next, trial] = [
      record.get('rehearsal') ?? null,
      record.get('standby'),
      nextAt(),
      trialDue(),
    ]
    const dueAt = next === null ? null : Math.max(next, trial ?? next)
    const known = {
      ...{ folder, running, plan },
      place: folder === null ? null : placeOfFolder(folder, store.folder),
      last: folder === null ? null : recordOf(folder).last,
      nextAt: next === null ? null : instantOf(next),
      rehearsal: { last, dueAt: dueAt === null ? null : instantOf(dueAt) },
      standby: standby
        ? { copiedAt: standby.copiedAt, recoveryPoint: standby.recoveryPoint, to: standby.to }
        : null,
    }
    if (folder === null) return { ...known, fault: '', backups: [] }
    try {
      const backups = await listBackups(folder)
      const kept = keptUntil(backups.filter(isOwn), plan, timeZone(), clock())
      const shown = backups
        .slice(0, SHOWN)
        .map((made) => ({ ...backupEntry(made), keptUntil: kept.get(made.name) ?? null }))
      return { ...known, fault: '', backups: shown }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      return { ...known, fault: error.message, backups: [] }
    }
  }

  return {
    state,
    async wizardState() {
      const { folder, last, fault, backups, running: now } = await state()
      return {
        ...{ folder, last, fault },
        running: now && {
          phase: now.phase === 'copying' ? 'copying' : 'checking',
          share: now.share,
        },
        backups: backups.slice(0, WIZARD_SHOWN).map(({ name, madeAt, bytes, hasRecoveryKey }) => ({
          name,
          madeAt,
          bytes,
          hasRecoveryKey,
        })),
      }
    },
    useFolder(folder, actor) {
      const findings = findingsOf(folder)
      const isUsed = findings.every(({ verdict }) => verdict !== 'bad')
      if (isUsed) settings.change({ 'backup.folder': folder }, actor)
      return { isUsed, findings }
    },
    // A refusal is thrown at once by `start`: a promise makes one kind of the two.
    make: async (kind, actor) => start(kind, actor),
    begin: (kind, actor) => void start(kind, actor).catch(() => undefined),
    async remove(name, actor) {
      const folder = demandFolder()
      const backups = await listBackups(folder)
      demandFree()
      if (!backups.some((backup) => backup.name === name))
        throw new ApiError('not-found', `There is no back-up ${name} in ${folder}.`)
      if (backups.length === 1)
        throw new ApiError(
          'refused',
          'This is the only back-up: make another one before you remove it.',
        )
      await removeBackup(folder, name)
      note(deps.store, actor, 'backup.remove', name)
    },
    rehearse,
    async beginRehearsal(actor) {
      startTrial(await newest(), actor).catch(onError)
    },
    async check() {
      const now = clock()
      // Set back: what was due at a time that comes again is reckoned anew.
      if (now < checkedAt) planned = undefined
      checkedAt = now
      const due = nextAt()
      if (due === null || now < due || running) return
      const folder = demandFolder()
      try {
        await start('scheduled', 'gateway')
      } catch (error) {
        // What was refused was not begun, so nothing has been kept of it.
        if (error instanceof ApiError) failed(folder, error.message)
        return
      }
      const trial = trialDue()
      // Where somebody began something in between, or the disk is gone by now, the next back-up
      // makes it.
      if (trial === null || trial <= clock())
        await rehearse('gateway').catch((error: unknown) => isTold(error) || onError(error))
    },
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await atWork
    },
  }
}

const isTold = (error: unknown): boolean => error instanceof ApiError || error instanceof StoreError
