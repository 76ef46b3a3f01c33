import { statSync } from 'node:fs'
import { join } from 'node:path'
import { listBackups, makeBackup } from '#gateway/store/backup.ts'
import { instantOf } from '#gateway/store/clock.ts'
import { DATABASE_FILE } from '#gateway/store/store.ts'
import { StoreError } from '#gateway/store/store-error.ts'
import type { BackupState, FolderFinding } from '#shared/contract/dashboard-setup.ts'
import { ApiError } from '#shared/errors.ts'
import { type Actor, type DomainDeps, note } from './audit.ts'
import type { Settings } from './settings.ts'
import { checkBackupFolder } from './setup-folder.ts'

/** Back-ups of the database, made when somebody asks for one. */
export interface Backups extends AsyncDisposable {
  state(): Promise<BackupState>
  /** Checks the folder, and keeps it as the one for back-ups where nothing is bad. */
  useFolder(folder: string, actor: Actor): { readonly isUsed: boolean; readonly findings: FolderFinding[] }
  /** Begins one; `state` says how far it is. @throws ApiError refused: no folder, one that will not do, or one is being made */
  begin(actor: Actor): void
}

export interface BackupsDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get' | 'change'>
  /** A fault of ours. */
  readonly onError: (error: unknown) => void
}

const SHOWN = 20

export function openBackups(deps: BackupsDeps): Backups {
  const { store, settings, clock, onError } = deps
  let running: BackupState['running'] = null
  let last: BackupState['last'] = null
  let work: Promise<void> = Promise.resolve()

  const check = (folder: string) =>
    checkBackupFolder(folder, { folder: store.folder, databaseBytes: statSync(join(store.folder, DATABASE_FILE)).size })

  async function run(folder: string, actor: Actor): Promise<void> {
    try {
      const made = await makeBackup(store, { folder, now: clock(), onProgress: (progress) => (running = progress) })
      note(deps, actor, 'backup.make', made.name, { bytes: made.bytes, hasRecoveryKey: made.hasRecoveryKey })
      last = {
        success: true,
        sentence: `The back-up ${made.name} is written, and was opened and compared with the database.`,
        at: made.madeAt,
      }
    } catch (error) {
      if (!(error instanceof StoreError)) onError(error)
      const sentence =
        error instanceof StoreError ? error.message : 'The back-up failed for a reason that the gateway did not foresee; its log has it.'
      last = { success: false, sentence, at: instantOf(clock()) }
    } finally {
      running = null
    }
  }

  return {
    async state() {
      const folder = settings.get('backup.folder')
      if (folder === null) return { folder, running, last, backups: [], fault: '' }
      try {
        const backups = (await listBackups(folder, SHOWN)).map(({ name, madeAt, bytes, hasRecoveryKey }) => ({
          name,
          madeAt,
          bytes,
          hasRecoveryKey,
        }))
        return { folder, running, last, backups, fault: '' }
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        return { folder, running, last, backups: [], fault: error.message }
      }
    },
    useFolder(folder, actor) {
      const findings = check(folder)
      const isUsed = findings.every(({ verdict }) => verdict !== 'bad')
      if (isUsed) settings.change({ 'backup.folder': folder }, actor)
      return { isUsed, findings }
    },
    begin(actor) {
      const folder = settings.get('backup.folder')
      if (folder === null) throw new ApiError('refused', 'Choose a folder for back-ups first.')
      if (running) throw new ApiError('refused', 'A back-up is being made already: wait for it to end.')
      const fault = check(folder).find(({ verdict }) => verdict === 'bad')
      if (fault) throw new ApiError('refused', `${fault.sentence} ${fault.remedy}`)
      running = { phase: 'copying', share: 0 }
      work = run(folder, actor)
    },
    [Symbol.asyncDispose]: () => work,
  }
}
