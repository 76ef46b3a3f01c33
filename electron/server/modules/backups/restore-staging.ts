import { isAbsolute, join } from 'node:path'
import { StoreError } from '#server/database/store-error.ts'
import { tableCounts } from '#server/database/table-counts.ts'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { untoldRestores } from '#server/modules/audit/pending-restore-audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { People } from '#server/modules/users/people.ts'
import { findUser } from '#server/modules/users/queries.ts'
import type {
  BackupEntry,
  RestorePreview,
  RestoreState,
} from '#shared/contract/dashboard-upkeep.ts'
import { ApiError } from '#shared/errors.ts'
import { type BackupMade, listBackups } from './make-backup.ts'
import { type BackupKey, type BackupPreview, previewBackup, stageRestore } from './restore-files.ts'

/** Which back-up; `recoveryKey` as it was typed. Without `folder` that of the plan. */
export interface RestoreFrom {
  readonly folder?: string | undefined
  readonly name: string
  readonly recoveryKey?: string | undefined
}

/**
 * Makes one back-up after another ready to take the place of the database; it does so when the
 * gateway starts again.
 */
export interface Staging extends AsyncDisposable {
  /** Nothing is changed. @throws ApiError refused, not-found */
  preview(from: RestoreFrom): Promise<RestorePreview>
  /**
   * Begins; `state` says how far it is. @throws ApiError refused (naming `body.recoveryKey` where
   * that is what lacks), not-found
   */
  begin(from: RestoreFrom, actor: string): Promise<RestoreState>
  state(): RestoreState
}

export interface StagingDeps {
  /** The data folder. Whoever calls holds its lock. */
  readonly data: string
  readonly backupFolder: () => string | null
  /** The data key of the folder; undefined where it is lost. */
  readonly dataKey: () => Buffer | undefined
  /** Rows of these tables now; undefined where the database cannot be read. */
  readonly rowsNow: (
    tables: readonly string[],
  ) => Promise<Readonly<Record<string, number>> | undefined>
  readonly clock: () => number
  /** Once it is ready, and whoever looks has had the time to see so. */
  readonly onReady: () => void
  /** A fault of ours. */
  readonly onError: (error: unknown) => void
  /** Milliseconds between ready and `onReady`. */
  readonly lingerMs?: number
}

const LINGER_MS = 1500
const SENTENCES: Readonly<Record<Exclude<RestoreState['phase'], 'failed'>, string>> = {
  none: '',
  decrypting: 'The back-up is being opened. The database is still as it was.',
  checking: 'The opened back-up is being checked. The database is still as it was.',
  ready: 'The back-up is ready: the gateway starts again with it.',
}

export function openStaging(deps: StagingDeps): Staging {
  const { data, clock, dataKey, rowsNow, onReady, onError, lingerMs = LINGER_MS } = deps
  let state: RestoreState = { phase: 'none', share: 0, sentence: '' }
  let isBusy = false
  let work: Promise<void> = Promise.resolve()
  let lingering: NodeJS.Timeout | undefined

  const folderOf = (from: RestoreFrom): string => {
    const folder = from.folder ?? deps.backupFolder()
    if (folder === null)
      throw refused(
        'body.folder',
        'There is no folder for back-ups: name the one that the back-up is in.',
      )
    if (!isAbsolute(folder))
      throw refused('body.folder', 'must be a whole path, from the drive or the root on')
    return folder
  }

  async function look(from: RestoreFrom) {
    const folder = folderOf(from)
    const made = (await worded(listBackups(folder), 'body.folder')).find(
      ({ name }) => name === from.name,
    )
    if (!made)
      throw new ApiError(
        'not-found',
        `There is no back-up ${from.name} in ${folder}: look at the list again.`,
      )
    const key = keyOf(from.recoveryKey, dataKey())
    const found = await worded(previewBackup(join(folder, made.name), key), 'body.name')
    return { path: join(folder, made.name), key, made, found }
  }

  async function run(path: string, key: BackupKey, actor: string): Promise<void> {
    try {
      await stageRestore({
        ...{ data, from: path, key, actor, now: clock() },
        onProgress: ({ phase, share }) => (state = { phase, share, sentence: SENTENCES[phase] }),
      })
      state = { phase: 'ready', share: 1, sentence: SENTENCES.ready }
      lingering = setTimeout(onReady, lingerMs)
    } catch (error) {
      if (!(error instanceof StoreError)) onError(error)
      const sentence =
        error instanceof StoreError
          ? error.message
          : 'The back-up could not be put back for a reason that the gateway did not foresee; its log has it.'
      state = { phase: 'failed', share: 0, sentence }
    } finally {
      isBusy = false
    }
  }

  return {
    async preview(from) {
      const { made, found } = await look(from)
      const now = await rowsNow(Object.keys(found.manifest.rows))
      const rows = Object.entries(found.manifest.rows).map(([table, inBackup]) => ({
        table,
        inBackup,
        now: now ? (now[table] ?? 0) : null,
      }))
      return {
        name: made.name,
        madeAt: made.madeAt,
        opensWith: found.opensWith,
        fault: found.fault,
        rows,
      }
    },
    async begin(from, actor) {
      if (isBusy)
        throw new ApiError('refused', 'A back-up is being made ready already: wait for it to end.')
      if (state.phase === 'ready')
        throw new ApiError(
          'refused',
          'A back-up is ready already: the gateway starts again with it.',
        )
      isBusy = true
      try {
        const { path, key, found } = await look(from)
        demandOpen(from, found)
        state = { phase: 'decrypting', share: 0, sentence: SENTENCES.decrypting }
        work = run(path, key, actor)
        return state
      } catch (error) {
        isBusy = false
        throw error
      }
    },
    state: () => state,
    async [Symbol.asyncDispose]() {
      await work
      clearTimeout(lingering)
    },
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
  if (opensWith === 'no')
    throw new ApiError('refused', fault || 'This back-up opens with no key that is here.')
  if (opensWith === 'recovery-key' && !isTyped)
    throw refused(
      'body.recoveryKey',
      'This back-up is of another data key: type the recovery key that was made for it.',
    )
  if (fault) throw isTyped ? refused('body.recoveryKey', fault) : new ApiError('refused', fault)
}

const refused = (path: string, message: string) =>
  new ApiError('refused', message, { errors: [{ path, message }] })

/** A fault of a back-up's folder is one of what was asked for. */
const worded = <T>(looking: Promise<T>, path: string): Promise<T> =>
  looking.catch((error: unknown) => {
    throw error instanceof StoreError ? refused(path, error.message) : error
  })

/** A back-up as a list shows it, kept until a person removes it. */
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
  return (await worded(listBackups(folder), 'body.folder')).map(backupEntry)
}

/**
 * Notes in the audit trail which back-ups took the place of the database since it was noted last.
 * @returns their names, the oldest first
 */
export function noteRestores(deps: DomainDeps, actor: Actor): string[] {
  return untoldRestores(deps.store.folder).map(({ name, by, keptAside, told }) => {
    note(deps.store, actor, 'database.restore', name, { by, keptAside })
    told()
    return name
  })
}

/** Puts a back-up back while the gateway runs. */
export interface Restoring extends AsyncDisposable {
  preview: Staging['preview']
  /**
   * For an owner, with the password; the gateway starts again by itself once the back-up is ready.
   * @throws ApiError not-permitted, refused (naming `body.password`, `body.recoveryKey`),
   *   not-found, too-many
   */
  begin(body: RestoreFrom & { readonly password: string }, actor: Actor): Promise<RestoreState>
  state: Staging['state']
}

export interface RestoringDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get'>
  readonly people: Pick<People, 'verifyPassword'>
  /** Closes the gateway and opens it again; without it the back-up waits for the next start. */
  readonly restart?: (() => void) | undefined
  readonly onError: (error: unknown) => void
  readonly lingerMs?: number
}

export function openRestoring(deps: RestoringDeps): Restoring {
  const { store, settings, people, clock, restart = () => {}, onError, lingerMs } = deps
  const staging = openStaging({
    data: store.folder,
    backupFolder: () => settings.get('backup.folder'),
    dataKey: () => store.seal.exportKey(),
    rowsNow: async () =>
      Object.fromEntries(
        (await tableCounts(store.database)).map(({ table, rows }) => [table, rows]),
      ),
    ...{ clock, onError, onReady: restart },
    ...(lingerMs !== undefined && { lingerMs }),
  })

  async function demandOwner(actor: Actor, password: string): Promise<void> {
    const user = findUser(store.database, actor.replace(/^user:/, ''))
    if (user?.level !== 'owner')
      throw new ApiError('not-permitted', 'Only an owner may put a back-up back: ask one of them.')
    const verified = await people.verifyPassword(user.email, password)
    if (verified?.userId !== user.userId)
      throw new ApiError(
        'refused',
        'This is not your password. Enter the one that you sign in with.',
        {
          errors: [
            { path: 'body.password', message: 'must be the password that you sign in with' },
          ],
        },
      )
  }

  return {
    preview: staging.preview,
    async begin({ password, ...from }, actor) {
      await demandOwner(actor, password)
      const state = await staging.begin(from, actor)
      // In the trail of the database that is put aside: how it ended.
      note(deps.store, actor, 'restore.begin', from.name)
      return state
    },
    state: staging.state,
    [Symbol.asyncDispose]: () => staging[Symbol.asyncDispose](),
  }
}
