import { isAbsolute, join } from 'node:path'
import { type Actor, note } from '#server/audit-log/audit.ts'
import { pendingRestores } from '#server/audit-log/pending-restore-audit.ts'
import type { Context } from '#server/context.ts'
import { tableCounts } from '#server/database/database-contents.ts'
import { StoreError } from '#server/database/store-error.ts'
import type { People } from '#server/modules/users/people.ts'
import { findUser } from '#server/modules/users/queries.ts'
import type { Clock } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type {
  BackupEntry,
  RestorePreview,
  RestoreState,
} from '#shared/contract/dashboard-backups.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { listBackups, type StoredBackup } from './make-backup.ts'
import { type BackupKey, type BackupPreview, previewBackup } from './open-backup.ts'
import { stageRestore } from './restore-files.ts'

/**
 * The backup to restore. `folder` defaults to the configured backup folder; `recoveryKey` is as
 * typed.
 */
export interface RestoreSource {
  readonly folder?: string | undefined
  readonly name: string
  readonly recoveryKey?: string | undefined
}

const READY_DELAY_MS = 1500
const PHASE_MESSAGES = {
  decrypting: message('backups.restore-decrypting'),
  checking: message('backups.restore-checking'),
  ready: message('backups.restore-ready'),
}

/** Stages backups to replace the database, which happens when the gateway next starts. */
export abstract class RestoreStaging implements AsyncDisposable {
  readonly #dataFolder: string
  readonly #clock: Clock
  readonly #readyDelayMs: number
  readonly #onReady: () => void
  #state: RestoreState = { phase: 'none', share: 0, sentence: null }
  #isBusy = false
  #work: Promise<void> = Promise.resolve()
  #readyTimer: NodeJS.Timeout | undefined

  /**
   * @param data the data folder, whose lock the caller holds
   * @param onReady called `lingerMs` after the restore is staged, so that the window can show this
   *   first
   */
  constructor(data: string, clock: Clock, onReady: () => void, lingerMs = READY_DELAY_MS) {
    this.#dataFolder = data
    this.#clock = clock
    this.#onReady = onReady
    this.#readyDelayMs = lingerMs
  }

  abstract backupFolder(): string | null
  /** The data key of the folder; `undefined` if it is lost. */
  abstract dataKey(): Buffer | undefined
  /** Current row counts of the tables; `undefined` if the database cannot be read. */
  protected abstract rowsNow(
    tables: readonly string[],
  ): Promise<Readonly<Record<string, number>> | undefined>
  protected abstract reportError(error: unknown): void

  get state(): RestoreState {
    return this.#state
  }

  /**
   * Describes the backup without changing anything.
   * @throws ApiError refused, not-found
   */
  async preview(from: RestoreSource): Promise<RestorePreview> {
    const { backup, found } = await this.#findBackup(from)
    const now = await this.rowsNow(Object.keys(found.manifest.rows))
    const rows = Object.entries(found.manifest.rows).map(([table, inBackup]) => ({
      table,
      inBackup,
      now: now ? (now[table] ?? 0) : null,
    }))
    const { name, madeAt } = backup
    return { name, madeAt, opensWith: found.opensWith, fault: found.fault, rows }
  }

  /**
   * Starts staging; `state` reports its progress.
   * @throws ApiError refused (naming `body.recoveryKey` if it is missing or wrong), not-found
   */
  async stage(from: RestoreSource, actor: string): Promise<RestoreState> {
    if (this.#isBusy) throw new ApiError('refused', message('backups.restore-running'))
    if (this.#state.phase === 'ready')
      throw new ApiError('refused', message('backups.restore-is-ready'))
    this.#isBusy = true
    try {
      const { path, key, found } = await this.#findBackup(from)
      requireOpenable(from, found)
      this.#state = { phase: 'decrypting', share: 0, sentence: PHASE_MESSAGES.decrypting }
      this.#work = this.#run(path, key, actor)
      return this.#state
    } catch (error) {
      this.#isBusy = false
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work
    clearTimeout(this.#readyTimer)
  }

  async #findBackup(from: RestoreSource) {
    const folder = from.folder ?? this.backupFolder()
    if (folder === null) throw refused('body.folder', message('backups.restore-no-folder'))
    if (!isAbsolute(folder)) throw refused('body.folder', message('backups.must-be-whole-path'))
    const all = await withField('body.folder', listBackups(folder))
    const backup = all.find(({ name }) => name === from.name)
    if (!backup)
      throw new ApiError(
        'not-found',
        message('backups.unknown-look-again', { name: from.name, folder }),
      )
    const path = join(folder, backup.name)
    const key = backupKeyFor(from.recoveryKey, this.dataKey())
    return { path, key, backup, found: await withField('body.name', previewBackup(path, key)) }
  }

  async #run(path: string, key: BackupKey, actor: string): Promise<void> {
    try {
      await stageRestore(this.#dataFolder, path, key, actor, this.#clock(), ({ phase, share }) => {
        this.#state = { phase, share, sentence: PHASE_MESSAGES[phase] }
      })
      this.#state = { phase: 'ready', share: 1, sentence: PHASE_MESSAGES.ready }
      this.#readyTimer = setTimeout(this.#onReady, this.#readyDelayMs)
    } catch (error) {
      if (!(error instanceof StoreError)) this.reportError(error)
      const sentence =
        error instanceof StoreError ? error.explanation : message('backups.restore-unforeseen')
      this.#state = { phase: 'failed', share: 0, sentence }
    } finally {
      this.#isBusy = false
    }
  }
}

/**
 * The recovery key if one was typed, else the data key of the folder. Without either, a key that
 * opens nothing, so that the preview reports which key is required.
 */
const backupKeyFor = (typed: string | undefined, dataKey: Buffer | undefined): BackupKey =>
  typed ? { recoveryKey: typed } : { dataKey: dataKey ?? Buffer.alloc(32) }

/**
 * Requires that the given key opens the backup.
 * @throws ApiError refused
 */
function requireOpenable(
  { recoveryKey }: RestoreSource,
  { opensWith, fault }: BackupPreview,
): void {
  const isTyped = recoveryKey !== undefined && recoveryKey !== ''
  if (opensWith === 'no') throw new ApiError('refused', fault ?? message('backups.opens-with-none'))
  if (opensWith === 'recovery-key' && !isTyped)
    throw refused('body.recoveryKey', message('backups.type-recovery-key'))
  if (fault) throw isTyped ? refused('body.recoveryKey', fault) : new ApiError('refused', fault)
}

const refused = (path: string, fault: Message) =>
  new ApiError('refused', fault, { errors: [{ path, message: fault }] })

/** Converts a StoreError to a refusal that names the field of the request. */
const withField = <T>(path: string, pendingLookup: Promise<T>): Promise<T> =>
  pendingLookup.catch((error: unknown) => {
    throw error instanceof StoreError ? refused(path, error.explanation) : error
  })

/** A backup as a list entry, with no expiry. */
export const backupEntry = ({
  name,
  kind,
  madeAt,
  bytes,
  hasRecoveryKey,
  program,
  schema,
}: StoredBackup): BackupEntry => ({
  ...{ name, kind, madeAt, bytes, hasRecoveryKey, schema },
  version: program,
  keptUntil: null,
})

/**
 * Lists the backups in a folder, newest first.
 * @throws ApiError refused, naming `body.folder`
 */
export async function listBackupEntries(folder: string): Promise<BackupEntry[]> {
  return (await withField('body.folder', listBackups(folder))).map(backupEntry)
}

/**
 * Records in the audit trail the restores that are not recorded yet.
 * @returns the names of the backups, oldest first
 */
export function recordRestores(context: Context, actor: Actor): string[] {
  return pendingRestores(context.folder).map(({ name, by, keptAside, markRecorded }) => {
    note(context, actor, 'database.restore', name, { by, keptAside })
    markRecorded()
    return name
  })
}

/** Restores a backup while the gateway is running. */
export class LiveRestore extends RestoreStaging {
  readonly #context: Context
  readonly #people: People

  /** @param restart restarts the gateway */
  constructor(context: Context, people: People, restart: () => void = () => {}, lingerMs?: number) {
    super(context.folder, context.clock, restart, lingerMs)
    this.#context = context
    this.#people = people
  }

  /**
   * Starts a restore, for an owner who gives the password. The gateway restarts automatically when
   * the backup is staged.
   * @throws ApiError not-permitted, refused (naming `body.password` or `body.recoveryKey`),
   *   not-found, too-many
   */
  async begin(
    { password, ...from }: RestoreSource & { readonly password: string },
    actor: Actor,
  ): Promise<RestoreState> {
    await this.#requireOwner(actor, password)
    const state = await this.stage(from, actor)
    // Recorded in the audit log of the database that will be replaced, which otherwise ends
    // abruptly.
    note(this.#context, actor, 'restore.begin', from.name)
    return state
  }

  override backupFolder(): string | null {
    return this.#context.settings.get('backup.folder')
  }

  override dataKey(): Buffer {
    return this.#context.database.seal.exportKey()
  }

  protected override async rowsNow(): Promise<Readonly<Record<string, number>>> {
    const counts = await tableCounts(this.#context.database)
    return Object.fromEntries(counts.map(({ table, rows }) => [table, rows]))
  }

  protected override reportError(error: unknown): void {
    reportError(this.#context, error)
  }

  async #requireOwner(actor: Actor, password: string): Promise<void> {
    const user = findUser(this.#context.database, actor.replace(/^user:/, ''))
    if (user?.level !== 'owner') throw new ApiError('not-permitted', message('backups.only-owner'))
    const verified = await this.#people.verifyPassword(user.email, password)
    if (verified?.userId !== user.userId)
      throw new ApiError('refused', message('users.not-your-password'), {
        errors: [{ path: 'body.password', message: message('users.must-be-your-password') }],
      })
  }
}
