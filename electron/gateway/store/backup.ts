import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { checkCopy } from './backup-check.ts'
import { instantOf } from './clock.ts'
import { RECOVERY_FILE, recoveryKeyState } from './recovery-key.ts'
import { DATABASE_FILE, type Store } from './store.ts'
import { StoreError } from './store-error.ts'

/** A back-up is a folder: the database as `gateway.sqlite`, `recovery.key` where there is one, and what it is in `backup.json`. */
const NAME = /^isthmus-\d{4}-\d\d-\d\d-\d{6}Z$/
const MANIFEST = 'backup.json'
const PART = '.part'
const LEFT_MS = 24 * 60 * 60_000

const Manifest = z.object({
  version: z.literal(1),
  madeAt: z.string(),
  bytes: z.int(),
  hasRecoveryKey: z.boolean(),
  /** Rows of the tables that were compared. */
  rows: z.record(z.string(), z.int()),
})
type Manifest = z.infer<typeof Manifest>

export interface BackupMade extends Omit<Manifest, 'version'> {
  /** Of its folder. */
  readonly name: string
}

export interface BackupOptions {
  /** Where it goes; the folder is there. */
  readonly folder: string
  readonly now: number
  readonly onProgress: (progress: { readonly phase: 'copying' | 'checking'; readonly share: number }) => void
}

/**
 * Copies the database while the gateway works on, and opens the copy to see that it is whole and has all rows. Images are not part of it, and
 * `data.key` never is. What is not finished has a name that ends with `.part`.
 * @throws StoreError bad-folder, damaged
 */
export async function makeBackup(store: Store, { folder, now, onProgress }: BackupOptions): Promise<BackupMade> {
  const madeAt = instantOf(now)
  const name = `isthmus-${madeAt.slice(0, 10)}-${madeAt.slice(11, 19).replaceAll(':', '')}Z`
  const part = join(folder, `${name}${PART}`)
  try {
    await rm(part, { recursive: true, force: true })
    await removeLeft(folder, now)
    await mkdir(part, { mode: 0o700 })
    const copy = join(part, DATABASE_FILE)
    const rows = await store.database.backup(copy, (share) => onProgress({ phase: 'copying', share }))
    onProgress({ phase: 'checking', share: 1 })
    const found = await checkCopy(copy, Object.keys(rows))
    const differs = Object.keys(rows).find((table) => rows[table] !== found[table])
    if (differs !== undefined)
      throw new StoreError(
        'damaged',
        `The back-up has ${found[differs]} rows of ${differs} and the database ${rows[differs]}: it was given up.`,
      )
    const hasRecoveryKey = recoveryKeyState(store.folder).state === 'ready'
    if (hasRecoveryKey) await copyFile(join(store.folder, RECOVERY_FILE), join(part, RECOVERY_FILE))
    const manifest: Manifest = { version: 1, madeAt, bytes: (await stat(copy)).size, hasRecoveryKey, rows }
    await writeFile(join(part, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
    for (const file of await readdir(part)) await syncFile(join(part, file))
    await syncFile(part)
    await rename(part, join(folder, name))
    await syncFile(folder)
    return { ...manifest, name }
  } catch (error) {
    await rm(part, { recursive: true, force: true }).catch(() => undefined)
    if (error instanceof StoreError) throw error
    throw new StoreError('bad-folder', `The back-up could not be written to ${folder}: ${(error as Error).message}.`, error)
  }
}

/** What a gateway left that was ended while it wrote: each is as large as the database. Younger ones may be written by another gateway now. */
async function removeLeft(folder: string, now: number): Promise<void> {
  const latest = `isthmus-${instantOf(now - LEFT_MS).slice(0, 10)}`
  const left = (await readdir(folder)).filter((name) => name.endsWith(PART) && NAME.test(name.slice(0, -PART.length)) && name < latest)
  for (const name of left) await rm(join(folder, name), { recursive: true, force: true })
}

/** What is in the folder, newest first; what is not ours, or not finished, is left out. @throws StoreError bad-folder */
export async function listBackups(folder: string, limit: number): Promise<BackupMade[]> {
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    throw new StoreError('bad-folder', `The back-up folder ${folder} cannot be read: ${(error as Error).message}.`, error)
  }
  const newest = names
    .filter((name) => NAME.test(name))
    .sort()
    .reverse()
    .slice(0, limit)
  const read = await Promise.all(newest.map((name) => readManifest(folder, name)))
  return read.filter((made) => made !== undefined)
}

async function readManifest(folder: string, name: string): Promise<BackupMade | undefined> {
  try {
    const parsed = Manifest.safeParse(JSON.parse(await readFile(join(folder, name, MANIFEST), 'utf8')))
    return parsed.success ? { ...parsed.data, name } : undefined
  } catch {
    return undefined
  }
}

/** Makes a file, or the names in a folder, durable. Windows has no such call for folders and needs none. */
async function syncFile(path: string): Promise<void> {
  const isFolder = (await stat(path)).isDirectory()
  if (isFolder && process.platform === 'win32') return
  const handle = await open(path, isFolder ? 'r' : 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
