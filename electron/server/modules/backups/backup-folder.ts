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
import type { FolderFinding } from '#shared/contract/dashboard-setup.ts'
import type { BackupPlace } from '#shared/contract/dashboard-upkeep.ts'

/**
 * Where a folder is: on a disk of this PC, on another machine, or kept in step with a cloud by a
 * program.
 */
export type FolderKind = 'local' | 'network' | 'synced'

// Linux, statfs(2): NFS, SMB, SMB2, CIFS, 9P (shared folders of virtual machines), AFS.
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x5346414f])
const SYNCED =
  /(^|[\\/])(onedrive|dropbox|google ?drive|my drive|icloud ?drive|mobile documents|nextcloud|box sync)([\\/ ]|$| -)/i

export function kindOfFolder(folder: string): FolderKind {
  if (SYNCED.test(folder)) return 'synced'
  if (folder.startsWith('\\\\') || folder.startsWith('//')) return 'network'
  if (process.platform !== 'linux') return 'local'
  try {
    return NETWORK_TYPES.has(statfsSync(existingPart(folder)).type >>> 0) ? 'network' : 'local'
  } catch {
    return 'local'
  }
}

/** The folder, or the nearest one above it that is there. */
function existingPart(folder: string): string {
  let part = resolve(folder)
  while (!existsSync(part) && dirname(part) !== part) part = dirname(part)
  return part
}

/** Without links on the way, also of a folder that is not there yet. */
function realPath(folder: string): string {
  const there = existingPart(folder)
  return join(realpathSync(there), relative(there, resolve(folder)))
}

const bad = (sentence: string, remedy: string): FolderFinding => ({
  verdict: 'bad',
  sentence,
  remedy,
})
const warn = (sentence: string, remedy: string): FolderFinding => ({
  verdict: 'warn',
  sentence,
  remedy,
})
const ok = (sentence: string): FolderFinding => ({ verdict: 'ok', sentence, remedy: '' })

/**
 * Whether back-ups can go to a folder, and how well they would be kept there. A folder that is not
 * there is made, for its owner only. Nothing bad in it: it will do.
 */
export function checkBackupFolder(
  folder: string,
  data: { readonly folder: string; readonly databaseBytes: number },
): FolderFinding[] {
  if (!isAbsolute(folder))
    return [
      bad(
        'This is not a whole path.',
        'Write it from the drive or the root on, such as D:\\Isthmus back-ups or /mnt/backup/isthmus.',
      ),
    ]
  const inside = relative(realPath(data.folder), realPath(folder))
  if (inside === '' || (!inside.startsWith('..') && !isAbsolute(inside)))
    return [
      bad(
        'This folder is inside the data folder: what destroys one destroys the other.',
        'Choose a folder elsewhere, best on another disk.',
      ),
    ]
  const fault = faultOfWriting(folder)
  if (fault)
    return [
      bad(
        `The folder cannot be written to: ${fault}.`,
        'Choose another one, or let the account of the gateway write to it.',
      ),
    ]
  return [
    ok('The folder is there and can be written to.'),
    roomIn(folder, data.databaseBytes),
    diskOf(folder, data.folder),
    ...kindFinding(folder),
  ]
}

function faultOfWriting(folder: string): string | undefined {
  const probe = join(folder, `.isthmus-${process.pid}.tmp`)
  try {
    if (!existsSync(folder)) {
      // Node's own recursive making never returns where a file system without such folders says
      // ENOENT.
      accessSync(existingPart(folder), constants.W_OK)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    }
    if (!statSync(folder).isDirectory()) return 'it is a file'
    rmSync(probe, { force: true })
    // Never through a link that somebody else put there.
    writeFileSync(probe, 'probe', { flag: 'wx', mode: 0o600 })
    rmSync(probe)
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return WHY[code ?? ''] ?? message
  }
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'this account may not',
  EPERM: 'this account may not',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'a part of the path cannot be made',
}

function roomIn(folder: string, databaseBytes: number): FolderFinding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const words = `${sizeText(free)} are free, a back-up takes about ${sizeText(databaseBytes)}`
  if (free < databaseBytes * 1.1) return bad(`${words}.`, 'Make room, or choose another disk.')
  return free < databaseBytes * 10
    ? warn(
        `${words}: there is room for only a few.`,
        'Choose a larger disk, or remove old back-ups by hand.',
      )
    : ok(`${words}.`)
}

const sizeText = (bytes: number): string =>
  bytes < 1e9 ? `${Math.max(1, Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`

const isSameDisk = (folder: string, dataFolder: string): boolean =>
  statSync(folder).dev === statSync(dataFolder).dev

/** Where a folder for back-ups is, seen from the data; null where it is not there. */
export function placeOfFolder(folder: string, dataFolder: string): BackupPlace | null {
  const kind = kindOfFolder(folder)
  if (kind !== 'local') return kind
  if (!existsSync(folder)) return null
  return isSameDisk(folder, dataFolder) ? 'same-disk' : 'other-disk'
}

const diskOf = (folder: string, dataFolder: string): FolderFinding =>
  isSameDisk(folder, dataFolder)
    ? warn(
        'It is on the same disk as the database: if that disk dies, both are gone.',
        'Use another disk, a USB disk or a folder on a server.',
      )
    : ok('It is on another disk than the database.')

const FINDING_OF_KIND: Readonly<Record<FolderKind, FolderFinding | undefined>> = {
  local: undefined,
  network: ok('It is on another machine, which outlives this PC.'),
  synced: warn(
    'A program copies this folder to a cloud: what is in a back-up would leave the clinic.',
    'Use another folder, unless the clinic has agreed on that cloud.',
  ),
}
const kindFinding = (folder: string): FolderFinding[] =>
  [FINDING_OF_KIND[kindOfFolder(folder)] ?? []].flat()
