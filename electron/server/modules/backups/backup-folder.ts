import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { bad, type Finding, ok, warn } from '#server/platform/finding.ts'
import type { BackupPlace } from '#shared/contract/dashboard-backups.ts'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'

/**
 * Where a folder is stored: on a disk of this PC, on another machine, or in a folder that a program
 * synchronizes with a cloud service.
 */
export type FolderKind = 'local' | 'network' | 'synced'

// Values of `f_type` in statfs(2) on Linux: NFS, SMB, SMB2, CIFS, 9P (shared folders of virtual
// machines), AFS.
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x5346414f])
const SYNCED_FOLDER_PATTERN =
  /(^|[\\/])(onedrive|dropbox|google ?drive|my drive|icloud ?drive|mobile documents|nextcloud|box sync)([\\/ ]|$| -)/i

export function kindOfFolder(folder: string): FolderKind {
  if (SYNCED_FOLDER_PATTERN.test(folder)) return 'synced'
  if (folder.startsWith('\\\\') || folder.startsWith('//')) return 'network'
  if (process.platform !== 'linux') return 'local'
  try {
    return NETWORK_TYPES.has(statfsSync(nearestExistingFolder(folder)).type >>> 0)
      ? 'network'
      : 'local'
  } catch {
    return 'local'
  }
}

/** The folder, or its nearest ancestor that exists. */
function nearestExistingFolder(folder: string): string {
  let part = resolve(folder)
  while (!existsSync(part) && dirname(part) !== part) part = dirname(part)
  return part
}

/** Resolves symbolic links, even if the folder does not exist yet. */
function realPath(folder: string): string {
  const existing = nearestExistingFolder(folder)
  return join(realpathSync(existing), relative(existing, resolve(folder)))
}

/**
 * Checks whether backups can be written to a folder and how safe they are there. Creates the
 * folder, accessible only to its owner, if it does not exist. The folder is usable if no finding is
 * bad.
 */
export function checkBackupFolder(
  folder: string,
  data: { readonly folder: string; readonly databaseBytes: number },
): Finding[] {
  if (!isAbsolute(folder))
    return [bad(message('backups.no-whole-path'), message('backups.no-whole-path-remedy'))]
  const inside = relative(realPath(data.folder), realPath(folder))
  if (inside === '' || (!inside.startsWith('..') && !isAbsolute(inside)))
    return [bad(message('backups.folder-inside-data'), message('backups.folder-elsewhere'))]
  const fault = writeFault(folder)
  if (fault)
    return [
      bad(
        message('backups.folder-not-writable', { fault }),
        message('backups.folder-not-writable-remedy'),
      ),
    ]
  return [
    ok(message('backups.folder-writable')),
    spaceFinding(folder, data.databaseBytes),
    diskFinding(folder, data.folder),
    ...folderKindFindings(folder),
  ]
}

function writeFault(folder: string): Message | undefined {
  const probe = join(folder, `.isthmus-${process.pid}.tmp`)
  try {
    if (!existsSync(folder)) {
      // mkdir with `recursive` never returns if the file system reports ENOENT because it does not
      // support such folders. Checking access first avoids this.
      accessSync(nearestExistingFolder(folder), constants.W_OK)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    }
    if (!statSync(folder).isDirectory()) return message('backups.path-is-file')
    rmSync(probe, { force: true })
    // The flag prevents writing through a symbolic link that someone else created.
    writeFileSync(probe, 'probe', { flag: 'wx', mode: 0o600 })
    rmSync(probe)
    return undefined
  } catch (error) {
    return WRITE_FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? explanationOf(error)
  }
}

const WRITE_FAULTS: Readonly<Record<string, Message>> = {
  EACCES: message('backups.account-may-not'),
  EPERM: message('backups.account-may-not'),
  EROFS: message('backups.disk-read-only'),
  ENOSPC: message('database.disk-full'),
  ENOTDIR: message('backups.path-through-file'),
  ENOENT: message('backups.path-not-made'),
}

function spaceFinding(folder: string, databaseBytes: number): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const freeBytes = bavail * bsize
  const room = (code: MessageCode) =>
    message(code, { free: formatSize(freeBytes), needed: formatSize(databaseBytes) })
  if (freeBytes < databaseBytes * 1.1)
    return bad(room('backups.room'), message('backups.room-remedy'))
  return freeBytes < databaseBytes * 10
    ? warn(room('backups.room-for-few'), message('backups.room-for-few-remedy'))
    : ok(room('backups.room'))
}

const formatSize = (bytes: number): string =>
  bytes < 1e9 ? `${Math.max(1, Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`

const isSameDisk = (folder: string, dataFolder: string): boolean =>
  statSync(folder).dev === statSync(dataFolder).dev

/** Where a backup folder is stored, relative to the data folder; `null` if it does not exist. */
export function backupPlaceOf(folder: string, dataFolder: string): BackupPlace | null {
  const kind = kindOfFolder(folder)
  if (kind !== 'local') return kind
  if (!existsSync(folder)) return null
  return isSameDisk(folder, dataFolder) ? 'same-disk' : 'other-disk'
}

const diskFinding = (folder: string, dataFolder: string): Finding =>
  isSameDisk(folder, dataFolder)
    ? warn(message('backups.same-disk'), message('backups.same-disk-remedy'))
    : ok(message('backups.other-disk'))

const FINDINGS_BY_KIND: Readonly<Record<FolderKind, Finding | undefined>> = {
  local: undefined,
  network: ok(message('backups.other-machine')),
  synced: warn(message('backups.synced-folder'), message('backups.synced-folder-remedy')),
}
const folderKindFindings = (folder: string): Finding[] =>
  [FINDINGS_BY_KIND[kindOfFolder(folder)] ?? []].flat()
