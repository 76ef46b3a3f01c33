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
import { type BackupKey, type BackupPreview, previewBackup } from './backup-opening.ts'
import { type BackupMade, listBackups } from './make-backup.ts'
import { stageRestore } from './restore-files.ts'

/** Which backup; `recoveryKey` as it was typed. Without `folder` that of the plan. */
export interface RestoreFrom {
  readonly folder?: string | undefined
  readonly name: string
  readonly recoveryKey?: string | undefined
}

const LINGER_MS = 1500
const SENTENCES = {
  decrypting: message('backups.restore-decrypting'),
  checking: message('backups.restore-checking'),
  ready: message('backups.restore-ready'),
}

/**
 * Makes one backup after another ready to take the place of the database; it does so when the
 * gateway starts again.
 */
export abstract class RestoreStaging implements AsyncDisposable {
  readonly #data: string
  readonly #clock: Clock
  readonly #lingerMs: number
  readonly #onReady: () => void
  #state: RestoreState = { phase: 'none', share: 0, sentence: null }
  #isBusy = false
  #work: Promise<void> = Promise.resolve()
  #lingering: NodeJS.Timeout | undefined

  /**
   * @param data the data folder, whose lock the caller holds
   * @param onReady called `lingerMs` after it is ready, so that whoever looks has seen it
   */
  constructor(data: string, clock: Clock, onReady: () => void, lingerMs = LINGER_MS) {
    this.#data = data
    this.#clock = clock
    this.#onReady = onReady
    this.#lingerMs = lingerMs
  }

  abstract backupFolder(): string | null
  /** The data key of the folder; undefined where it is lost. */
  abstract dataKey(): Buffer | undefined
  /** Rows of these tables now; undefined where the database cannot be read. */
  protected abstract rowsNow(
    tables: readonly string[],
  ): Promise<Readonly<Record<string, number>> | undefined>
  protected abstract reportError(error: unknown): void

  get state(): RestoreState {
    return this.#state
  }

  /** Nothing is changed. @throws ApiError refused, not-found */
  async preview(from: RestoreFrom): Promise<RestorePreview> {
    const { made, found } = await this.#look(from)
    const now = await this.rowsNow(Object.keys(found.manifest.rows))
    const rows = Object.entries(found.manifest.rows).map(([table, inBackup]) => ({
      table,
      inBackup,
      now: now ? (now[table] ?? 0) : null,
    }))
    const { name, madeAt } = made
    return { name, madeAt, opensWith: found.opensWith, fault: found.fault, rows }
  }

  /**
   * Begins; `state` says how far it is. @throws ApiError refused (naming `body.recoveryKey` where
   * that is what lacks), not-found
   */
  async stage(from: RestoreFrom, actor: string): Promise<RestoreState> {
    if (this.#isBusy) throw new ApiError('refused', message('backups.restore-running'))
    if (this.#state.phase === 'ready')
      throw new ApiError('refused', message('backups.restore-is-ready'))
    this.#isBusy = true
    try {
      const { path, key, found } = await this.#look(from)
      demandOpen(from, found)
      this.#state = { phase: 'decrypting', share: 0, sentence: SENTENCES.decrypting }
      this.#work = this.#run(path, key, actor)
      return this.#state
    } catch (error) {
      this.#isBusy = false
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work
    clearTimeout(this.#lingering)
  }

  async #look(from: RestoreFrom) {
    const folder = from.folder ?? this.backupFolder()
    if (folder === null) throw refused('body.folder', message('backups.restore-no-folder'))
    if (!isAbsolute(folder)) throw refused('body.folder', message('backups.must-be-whole-path'))
    const all = await namingField('body.folder', listBackups(folder))
    const made = all.find(({ name }) => name === from.name)
    if (!made)
      throw new ApiError(
        'not-found',
        message('backups.unknown-look-again', { name: from.name, folder }),
      )
    const path = join(folder, made.name)
    const key = keyOf(from.recoveryKey, this.dataKey())
    return { path, key, made, found: await namingField('body.name', previewBackup(path, key)) }
  }

  async #run(path: string, key: BackupKey, actor: string): Promise<void> {
    try {
      await stageRestore(this.#data, path, key, actor, this.#clock(), ({ phase, share }) => {
        this.#state = { phase, share, sentence: SENTENCES[phase] }
      })
      this.#state = { phase: 'ready', share: 1, sentence: SENTENCES.ready }
      this.#lingering = setTimeout(this.#onReady, this.#lingerMs)
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
 * What was typed counts before the key of the folder; without either a key that opens nothing asks
 * what would.
 */
const keyOf = (typed: string | undefined, dataKey: Buffer | undefined): BackupKey =>
  typed ? { recoveryKey: typed } : { dataKey: dataKey ?? Buffer.alloc(32) }

/** @throws ApiError refused */
function demandOpen({ recoveryKey }: RestoreFrom, { opensWith, fault }: BackupPreview): void {
  const isTyped = recoveryKey !== undefined && recoveryKey !== ''
  if (opensWith === 'no') throw new ApiError('refused', fault ?? message('backups.opens-with-none'))
  if (opensWith === 'recovery-key' && !isTyped)
    throw refused('body.recoveryKey', message('backups.type-recovery-key'))
  if (fault) throw isTyped ? refused('body.recoveryKey', fault) : new ApiError('refused', fault)
}

const refused = (path: string, fault: Message) =>
  new ApiError('refused', fault, { errors: [{ path, message: fault }] })

/** A fault of the disk becomes a refusal that names the field of the request. */
const namingField = <T>(path: string, looking: Promise<T>): Promise<T> =>
  looking.catch((error: unknown) => {
    throw error instanceof StoreError ? refused(path, error.explanation) : error
  })

/** A backup as a list shows it, kept until a person removes it. */
export const backupEntry = ({
  name,
  kind,
  madeAt,
  bytes,
  hasRecoveryKey,
  program,
  schema,
}: BackupMade): BackupEntry => ({
  ...{ name, kind, madeAt, bytes, hasRecoveryKey, schema },
  version: program,
  keptUntil: null,
})

/** What is in a folder, newest first. @throws ApiError refused, naming `body.folder` */
export async function backupsIn(folder: string): Promise<BackupEntry[]> {
  return (await namingField('body.folder', listBackups(folder))).map(backupEntry)
}

/**
 * Notes in the audit trail which backups took the place of the database since it was noted last.
 * @returns their names, the oldest first
 */
export function noteRestores(context: Context, actor: Actor): string[] {
  return pendingRestores(context.folder).map(({ name, by, keptAside, markRecorded }) => {
    note(context, actor, 'database.restore', name, { by, keptAside })
    markRecorded()
    return name
  })
}

/** Restores a backup while the gateway runs. */
export class Restoring extends RestoreStaging {
  readonly #context: Context
  readonly #people: People

  /** @param restart closes the gateway and opens it again */
  constructor(context: Context, people: People, restart: () => void = () => {}, lingerMs?: number) {
    super(context.folder, context.clock, restart, lingerMs)
    this.#context = context
    this.#people = people
  }

  /**
   * For an owner, with the password; the gateway starts again by itself once the backup is ready.
   * @throws ApiError not-permitted, refused (naming `body.password`, `body.recoveryKey`),
   *   not-found, too-many
   */
  async begin(
    { password, ...from }: RestoreFrom & { readonly password: string },
    actor: Actor,
  ): Promise<RestoreState> {
    await this.#demandOwner(actor, password)
    const state = await this.stage(from, actor)
    // In the audit log of the database that is replaced: how it ended.
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

  async #demandOwner(actor: Actor, password: string): Promise<void> {
    const user = findUser(this.#context.database, actor.replace(/^user:/, ''))
    if (user?.level !== 'owner') throw new ApiError('not-permitted', message('backups.only-owner'))
    const verified = await this.#people.verifyPassword(user.email, password)
    if (verified?.userId !== user.userId)
      throw new ApiError('refused', message('users.not-your-password'), {
        errors: [{ path: 'body.password', message: message('users.must-be-your-password') }],
      })
  }
}
