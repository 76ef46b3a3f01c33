import { existsSync, renameSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { StoreError } from '#server/database/store-error.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { FolderFinding } from '#shared/contract/dashboard-setup.ts'
import { type BackupEntry, dashboardRescue } from '#shared/contract/dashboard-upkeep.ts'
import { ApiError } from '#shared/errors.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { isBackupName } from './backup-manifest.ts'
import { recoverDataKey } from './recovery-key.ts'
import { backupsIn, type Staging } from './restore-staging.ts'

/** What the paths of all its calls begin with. */
export const RESCUE_CALLS = dashboardRescue.state.path

type Calls = typeof dashboardRescue

const SHOWN = 60

export interface RescueCalls {
  readonly folder: string
  readonly fault: StoreError
  readonly version: string
  readonly backupFolder: string | null
  readonly staging: Staging
  readonly clock: Clock
  readonly hasDataKey: () => boolean
  /** The gateway is opened in a moment. */
  readonly leaveSoon: () => void
}

/** Declares the calls of the rescue page (`shared/contract/dashboard-upkeep.ts`). */
export function serveRescue(app: HttpApp, rescue: RescueCalls): void {
  const { folder, fault, version, backupFolder, staging, hasDataKey, leaveSoon } = rescue
  const handlers: HandlersOf<Calls> = {
    async state() {
      const backups = backupFolder === null ? [] : await backupsIn(backupFolder).catch(() => [])
      return {
        ...{
          fault: fault.fault,
          sentence: fault.message,
          version,
          folder,
          backupFolder,
          hasDataKey: hasDataKey(),
        },
        backups: backups.slice(0, SHOWN),
        restore: staging.state(),
      }
    },
    look: ({ body }) => lookIn(body.folder),
    preview: ({ body }) => staging.preview(inList(body)),
    restore: ({ body }) => staging.begin(inList(body), 'rescue'),
    recoverKey({ body }) {
      putKeyBack(rescue, body.recoveryKey)
      leaveSoon()
      return { success: true }
    },
  }
  serveAll(app, dashboardRescue, handlers)
}

/** Somebody may name the folder of one back-up in place of the one that all are in. */
function listFolder(folder: string): string {
  const name = basename(folder)
  return isAbsolute(folder) && isBackupName(name) ? dirname(folder) : folder
}

const inList = <B extends { readonly folder?: string | undefined }>(body: B): B =>
  body.folder === undefined ? body : { ...body, folder: listFolder(body.folder) }

async function lookIn(typed: string): Promise<ReplyOf<Calls['look']>> {
  const folder = listFolder(typed)
  if (!isAbsolute(folder))
    return {
      backups: [],
      findings: [
        bad(
          'This is not a whole path.',
          'Write it from the drive or the root on, such as D:\\Isthmus back-ups or /mnt/backup/isthmus.',
        ),
      ],
    }
  let backups: BackupEntry[]
  try {
    backups = await backupsIn(folder)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return {
      backups: [],
      findings: [bad(error.message, 'Compare the path, and see whether the disk is plugged in.')],
    }
  }
  if (backups.length === 0)
    return {
      backups,
      findings: [
        bad(
          'There is no back-up of Isthmus in this folder.',
          'Name the folder that holds folders called isthmus-….',
        ),
      ],
    }
  return { backups: backups.slice(0, SHOWN), findings: [] }
}

const bad = (sentence: string, remedy: string): FolderFinding => ({
  verdict: 'bad',
  sentence,
  remedy,
})

/**
 * A `data.key` that is another one is put aside, and comes back where the recovery key does not
 * help.
 * @throws ApiError refused, naming `body.recoveryKey`
 */
function putKeyBack({ folder, clock }: RescueCalls, recoveryKey: string): void {
  const file = join(folder, KEY_FILE)
  const aside = `${file}.aside-${instantOf(clock()).replaceAll(/[:.]/g, '')}`
  const isAside = existsSync(file)
  try {
    if (isAside) renameSync(file, aside)
    try {
      recoverDataKey(folder, DATABASE_FILE, recoveryKey)
    } catch (error) {
      if (isAside && !existsSync(file)) renameSync(aside, file)
      throw error
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new ApiError('refused', error.message, {
      errors: [{ path: 'body.recoveryKey', message: error.message }],
    })
  }
}
