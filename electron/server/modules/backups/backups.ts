import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { StoreError } from '#server/database/store-error.ts'
import { clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Finding } from '#server/platform/finding.ts'
import { reportError } from '#server/platform/log.ts'
import type { BackupKind, BackupsState, Rehearsal } from '#shared/contract/dashboard-backups.ts'
import type { BackupState } from '#shared/contract/dashboard-setup.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'
import { backupPlaceOf, checkBackupFolder } from './backup-folder.ts'
import { DAY_MS, RESTORE_TEST_DAYS } from './backup-health.ts'
import { nextBackupAt, planOf } from './backup-plan.ts'
import { type BackupRecord, readRecord, saveRecord } from './backup-record.ts'
import { expiredBackups, expiryTimes } from './backup-retention.ts'
import type { LogShipping } from './log-shipping.ts'
import { listBackups, makeBackup, removeBackup, type StoredBackup } from './make-backup.ts'
import { backupEntry } from './restore-staging.ts'
import { testRestore } from './restore-test.ts'
import { standbyState } from './standby.ts'

/** Maximum number of backups in a list. */
const LIST_LIMIT = 60
const MINUTE_MS = 60_000
/** How often the schedule is checked. A periodic check also works after the PC was asleep. */
const CHECK_INTERVAL_MS = MINUTE_MS
/** Latest retry after a failed backup, and earliest retry after a failed restore test. */
const RETRY_MS = 60 * MINUTE_MS
/** The first backup is made soon after the setup, since the PC may be off at night. */
const FIRST_BACKUP_DELAY_MS = 10 * MINUTE_MS

/**
 * Makes backups, by schedule, before an update and on request, and tests whether the newest one can
 * be restored. Only one of these runs at a time.
 */
export class Backups implements AsyncDisposable {
  readonly #context: Context
  /** Version of the gateway. */
  readonly #version: string
  readonly #log: LogShipping | undefined
  readonly #unsubscribe: () => void
  #running: BackupsState['running'] = null
  /** The latest record, which may not have been saved if the disk is full. */
  #latest: BackupRecord | undefined
  #current: Promise<unknown> = Promise.resolve()
  /** When the next scheduled backup is due (ms); `null` if none is, `undefined` if unknown. */
  #nextDue: number | null | undefined
  #checkedAt: number
  #checkTimer: NodeJS.Timeout | undefined

  /** @param log the write-ahead log that is copied, which a backup is a base of */
  constructor(context: Context, version: string, log?: LogShipping) {
    this.#context = context
    this.#version = version
    this.#log = log
    this.#checkedAt = context.clock()
    this.#unsubscribe = context.settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('backup.') || key === 'clinic.timeZone'))
        this.#nextDue = undefined
    })
  }

  /** Starts following the schedule. */
  begin(): void {
    this.#checkTimer = setInterval(
      () => void this.check().catch((error: unknown) => reportError(this.#context, error)),
      CHECK_INTERVAL_MS,
    )
  }

  async state(): Promise<BackupsState> {
    const context = this.#context
    const folder = context.settings.get('backup.folder')
    const plan = planOf(context.settings)
    const [next, test] = [this.#nextAt(), this.#testDue()]
    const dueAt = next === null ? null : Math.max(next, test ?? next)
    const known = {
      ...{ folder, running: this.#running, plan },
      place: folder === null ? null : backupPlaceOf(folder, context.folder),
      last: folder === null ? null : this.#recordFor(folder).last,
      nextAt: next === null ? null : instantOf(next),
      rehearsal: {
        last: readRecord(context, 'rehearsal') ?? null,
        dueAt: dueAt === null ? null : instantOf(dueAt),
      },
      standby: standbyState(context),
    }
    if (folder === null) return { ...known, fault: null, backups: [] }
    try {
      const backups = await listBackups(folder)
      const kept = expiryTimes(
        backups.filter((one) => this.#isOwn(one)),
        plan,
        this.#timeZone(),
        context.clock(),
      )
      const shown = backups
        .slice(0, LIST_LIMIT)
        .map((made) => ({ ...backupEntry(made), keptUntil: kept.get(made.name) ?? null }))
      return { ...known, fault: null, backups: shown }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      return { ...known, fault: error.explanation, backups: [] }
    }
  }

  /** The state in the format of the setup wizard. */
  async wizardState(): Promise<BackupState> {
    const { folder, last, fault, backups, running } = await this.state()
    return {
      ...{ folder, last, fault },
      running: running && {
        phase: running.phase === 'copying' ? 'copying' : 'checking',
        share: running.share,
      },
      backups: backups.slice(0, 20).map(({ name, madeAt, bytes, hasRecoveryKey }) => ({
        name,
        madeAt,
        bytes,
        hasRecoveryKey,
      })),
    }
  }

  /** Checks the folder and, if no finding is bad, makes it the backup folder. */
  useFolder(
    folder: string,
    actor: Actor,
  ): { readonly isUsed: boolean; readonly findings: Finding[] } {
    const findings = this.#findingsOf(folder)
    const isUsed = findings.every(({ verdict }) => verdict !== 'bad')
    if (isUsed) this.#context.settings.change({ 'backup.folder': folder }, actor)
    return { isUsed, findings }
  }

  /**
   * Makes a backup; resolves when it is complete.
   * @throws ApiError refused if there is no usable folder or a backup or test is running
   * @throws StoreError if the backup fails
   */
  async make(kind: BackupKind, actor: Actor): Promise<StoredBackup> {
    return await this.start(kind, actor)
  }

  /** Like `make`, but throws a refusal synchronously. */
  start(kind: BackupKind, actor: Actor): Promise<StoredBackup> {
    this.#requireIdle()
    const folder = this.#requireFolder()
    // Creating a missing folder would create it on the wrong disk if its disk is disconnected.
    if (!existsSync(folder))
      throw new ApiError('refused', message('backups.folder-gone', { folder }))
    const fault = this.#findingsOf(folder).find(({ verdict }) => verdict === 'bad')
    if (fault) throw new ApiError('refused', sentences(fault.sentence, fault.remedy ?? undefined))
    return this.#runExclusive('copying', () => this.#write(folder, kind, actor))
  }

  /**
   * Deletes a backup.
   * @throws ApiError not-found; refused if it is the only one or if a backup or test is running
   * @throws StoreError bad-folder
   */
  async remove(name: string, actor: Actor): Promise<void> {
    const folder = this.#requireFolder()
    const backups = await listBackups(folder)
    this.#requireIdle()
    if (!backups.some((backup) => backup.name === name))
      throw new ApiError('not-found', message('backups.unknown', { name, folder }))
    if (backups.length === 1) throw new ApiError('refused', message('backups.only-one'))
    await removeBackup(folder, name)
    note(this.#context, actor, 'backup.remove', name)
  }

  /**
   * Starts a restore test of the newest backup; `result` resolves with its stored outcome.
   * @throws ApiError refused if there is no backup, or if a backup or test is running
   * @throws StoreError bad-folder
   */
  async startTest(actor: Actor): Promise<{ readonly result: Promise<Rehearsal> }> {
    const folder = this.#requireFolder()
    const newest = (await listBackups(folder)).find((one) => this.#isOwn(one))
    if (!newest) throw new ApiError('refused', message('backups.none-to-test', { folder }))
    return {
      result: this.#runExclusive('rehearsing', () => this.#test(folder, newest.name, actor)),
    }
  }

  /** Like `startTest`, but waits for the result. */
  async test(actor: Actor): Promise<Rehearsal> {
    return await (await this.startTest(actor)).result
  }

  /** Makes the scheduled backup and the restore test if they are due. Called once a minute. */
  async check(): Promise<void> {
    const { clock } = this.#context
    const now = clock()
    // The clock was set back, so the next due time is computed again.
    if (now < this.#checkedAt) this.#nextDue = undefined
    this.#checkedAt = now
    const due = this.#nextAt()
    if (due === null || now < due || this.#running) return
    const folder = this.#requireFolder()
    try {
      await this.make('scheduled', 'gateway')
    } catch (error) {
      // A refused backup did not start, so its failure has not been recorded yet.
      if (error instanceof ApiError) this.#recordFailure(folder, error.explanation)
      return
    }
    const test = this.#testDue()
    // Refused if a user started another operation meanwhile: the test follows the next backup.
    if (test === null || test <= clock())
      await this.test('gateway').catch((error: unknown) => this.#reportUnexpected(error))
  }

  /** Waits for the running backup or test. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#checkTimer)
    this.#unsubscribe()
    await this.#current
  }

  #timeZone(): string {
    return timeZoneOf(this.#context.settings.get('clinic.timeZone'))
  }

  #findingsOf(folder: string): Finding[] {
    return checkBackupFolder(folder, {
      folder: this.#context.folder,
      databaseBytes: statSync(join(this.#context.folder, DATABASE_FILE)).size,
    })
  }

  /** The record of this folder; an empty record if the stored one is of another folder. */
  #recordFor(folder: string): BackupRecord {
    const kept = this.#latest ?? readRecord(this.#context, 'backup')
    return kept?.folder === folder
      ? kept
      : { folder, name: null, madeAt: null, since: null, last: null }
  }

  #requireIdle(): void {
    if (this.#running)
      throw new ApiError(
        'refused',
        this.#running.phase === 'rehearsing'
          ? message('backups.being-tested')
          : message('backups.being-made'),
      )
  }

  #requireFolder(): string {
    const folder = this.#context.settings.get('backup.folder')
    if (folder === null) throw new ApiError('refused', message('backups.choose-folder-first'))
    return folder
  }

  #runExclusive<T>(phase: 'copying' | 'rehearsing', work: () => Promise<T>): Promise<T> {
    this.#requireIdle()
    this.#running = { phase, share: 0 }
    this.#context.feed.noteStatus()
    const working = work().finally(() => {
      this.#running = null
      this.#nextDue = undefined
      this.#context.feed.noteStatus()
    })
    this.#current = working.catch(() => undefined)
    return working
  }

  async #write(folder: string, kind: BackupKind, actor: Actor): Promise<StoredBackup> {
    const context = this.#context
    const before = this.#recordFor(folder)
    // From before the copy on, so that nothing is missing that is written while it is made.
    const base = this.#log?.base()
    try {
      const backup = await makeBackup(
        context,
        folder,
        kind,
        this.#version,
        (progress) => (this.#running = progress),
        base,
      )
      const { name, madeAt, bytes, hasRecoveryKey } = backup
      const sentence = message('backups.made', { name })
      const dayOf = (at: string) => clinicDay(msOf(at), this.#timeZone())
      const isFirstOfDay = !before.madeAt || dayOf(before.madeAt) !== dayOf(madeAt)
      const last = { success: true, sentence, at: madeAt }
      const record = { folder, name, madeAt, since: before.since ?? madeAt, last }
      this.#latest = record
      context.database.transaction(() => {
        saveRecord(context, 'backup', record)
        // A standby needs a backup every few minutes; only the first of each day is audited.
        if (kind !== 'scheduled' || isFirstOfDay)
          note(context, actor, 'backup.make', name, { kind, bytes, hasRecoveryKey })
      })
      if (base) await this.#log?.noteBase(name, base)
      await this.#removeExpired(folder).catch((error: unknown) => this.#reportUnexpected(error))
      return backup
    } catch (error) {
      if (!(error instanceof StoreError)) reportError(context, error)
      this.#recordFailure(
        folder,
        error instanceof StoreError ? error.explanation : message('backups.unforeseen'),
      )
      throw error
    }
  }

  #recordFailure(folder: string, sentence: Message): void {
    const last = { success: false, sentence, at: instantOf(this.#context.clock()) }
    this.#latest = { ...this.#recordFor(folder), last }
    this.#nextDue = undefined
    try {
      saveRecord(this.#context, 'backup', this.#latest)
    } catch (error) {
      reportError(this.#context, error)
    }
  }

  /**
   * Whether this gateway made the backup. Backups of another gateway in the same folder are neither
   * tested nor deleted, and do not count for retention.
   */
  #isOwn({ version, keyName }: StoredBackup): boolean {
    return version === 1 || keyName === this.#context.database.seal.keyName
  }

  async #removeExpired(folder: string): Promise<void> {
    const { settings, clock } = this.#context
    const ownBackups = (await listBackups(folder)).filter((one) => this.#isOwn(one))
    for (const name of expiredBackups(ownBackups, planOf(settings), this.#timeZone(), clock()))
      await removeBackup(folder, name)
  }

  async #test(folder: string, name: string, actor: Actor): Promise<Rehearsal> {
    const context = this.#context
    const startedAt = context.clock()
    const outcome = await testRestore(context, join(folder, name), name, (share) => {
      this.#running = { phase: 'rehearsing', share }
    }).catch((error: unknown) => {
      reportError(context, error)
      return { success: false, sentence: message('backups.unforeseen-test') }
    })
    const ended = context.clock()
    const at = instantOf(ended)
    const restoreTest = { ...outcome, name, at, tookMs: Math.max(0, ended - startedAt) }
    context.database.transaction(() => {
      saveRecord(context, 'rehearsal', restoreTest)
      note(context, actor, 'backup.rehearse', name, { success: outcome.success })
    })
    return restoreTest
  }

  /**
   * Time from which the next scheduled backup is followed by a restore test (ms); `null` if the
   * next one is in any case.
   */
  #testDue(): number | null {
    const last = readRecord(this.#context, 'rehearsal')
    // A test in the future was recorded while the clock was wrong, so it is ignored.
    if (!last || msOf(last.at) > this.#context.clock() + DAY_MS) return null
    return msOf(last.at) + (last.success ? RESTORE_TEST_DAYS * DAY_MS : RETRY_MS)
  }

  /** When the next scheduled backup is due (ms). A missed one is due immediately, once. */
  #nextAt(): number | null {
    const folder = this.#context.settings.get('backup.folder')
    if (folder === null) return null
    this.#nextDue ??= this.#nextAfter(this.#recordFor(folder))
    return this.#nextDue
  }

  #nextAfter({ madeAt, last }: BackupRecord): number | null {
    const now = this.#context.clock()
    const plan = planOf(this.#context.settings)
    // A backup dated in the future was made while the clock was wrong, so its time is ignored.
    const known = madeAt && msOf(madeAt) <= now + DAY_MS ? Math.min(msOf(madeAt), now) : undefined
    const due = nextBackupAt(known ?? now, plan, this.#timeZone())
    if (due === null) return null
    const first = known === undefined ? Math.min(due, now + FIRST_BACKUP_DELAY_MS) : due
    if (!last || last.success) return first
    const retryDelay = Math.min(
      RETRY_MS,
      (plan.everyMinutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS,
    )
    return Math.max(first, Math.min(msOf(last.at), now) + retryDelay)
  }

  #reportUnexpected(error: unknown): void {
    if (!(error instanceof ApiError || error instanceof StoreError))
      reportError(this.#context, error)
  }
}
