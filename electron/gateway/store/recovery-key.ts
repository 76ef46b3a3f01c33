import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { z } from 'zod'
import { instantOf } from './clock.ts'
import { KEY_BYTES, KEY_FILE, readDataKey } from './data-key.ts'
import { syncFolder } from './folder.ts'
import { sealWith } from './seal.ts'
import type { SecretsStore } from './secrets.ts'
import { StoreError } from './store-error.ts'

export const RECOVERY_FILE = 'recovery.key'
/** 160 bits: eight groups of four characters of five bits. */
export const RECOVERY_GROUPS = 8
const GROUP = 4
/** A secret of no meaning: that it opens says that a data key is the one of the database. */
const PROOF = 'recovery.proof'

// Crockford's base 32: no I, L, O or U, which are misread.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const READ_AS: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' }

const Wrapped = z.object({
  version: z.literal(1),
  madeAt: z.string(),
  salt: z.base64(),
  nonce: z.base64(),
  wrapped: z.base64(),
  tag: z.base64(),
  /** Which data key is in it, without saying it: HKDF of it. */
  ofKey: z.string(),
})
type Wrapped = z.infer<typeof Wrapped>

/** A new key, eight groups of four with hyphens between. */
export function newRecoveryKey(random: (bytes: number) => Buffer = randomBytes): string {
  // 32 divides 256: each character is as likely as any other.
  const characters = Array.from(random(RECOVERY_GROUPS * GROUP), (byte) => ALPHABET[byte % ALPHABET.length])
  return Array.from({ length: RECOVERY_GROUPS }, (_, group) => characters.slice(group * GROUP, (group + 1) * GROUP).join('')).join('-')
}

/** A key, or a part of one, as somebody typed it: case, hyphens and spaces do not count, and what is misread is read as it was meant. */
export const plainKey = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/[ILO]/g, (letter) => READ_AS[letter] ?? letter)

/** What `recovery.key` holds: the folder's data key, which only the recovery key gives back. @throws StoreError as `readDataKey` */
export function wrapDataKey(folder: string, recoveryKey: string, now: number): string {
  const dataKey = readDataKey(folder, { mayCreate: false, random: randomBytes })
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const madeAt = instantOf(now)
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(recoveryKey, salt), nonce).setAAD(Buffer.from(madeAt))
  const wrapped = Buffer.concat([cipher.update(dataKey), cipher.final()])
  const text = (bytes: Buffer) => bytes.toString('base64')
  const file: Wrapped = {
    ...{ version: 1, madeAt, salt: text(salt), nonce: text(nonce), wrapped: text(wrapped) },
    ...{ tag: text(cipher.getAuthTag()), ofKey: nameOf(dataKey) },
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Keeps in the database what the data key is proven by. A file without it opens nothing, so this is durable before the file is there. */
export const keepRecoveryProof = (secrets: SecretsStore): void => secrets.set(PROOF, PROOF)

/** Puts a wrapped key in force in the folder. Durable when it returns. */
export function keepRecoveryKey(folder: string, wrapped: string): void {
  writeDurably(folder, RECOVERY_FILE, Buffer.from(wrapped))
}

/** Whether the folder has a recovery key, and whether it is one of its data key. */
export function recoveryKeyState(folder: string): { readonly state: 'none' | 'ready' | 'foreign'; readonly madeAt: string | null } {
  if (!existsSync(join(folder, RECOVERY_FILE))) return { state: 'none', madeAt: null }
  try {
    const { ofKey, madeAt } = readWrapped(folder)
    const isOurs = ofKey === nameOf(readDataKey(folder, { mayCreate: false, random: randomBytes }))
    return { state: isOurs ? 'ready' : 'foreign', madeAt }
  } catch (error) {
    if (error instanceof StoreError) return { state: 'foreign', madeAt: null }
    throw error
  }
}

/**
 * Puts `data.key` back into a folder that lost it, from `recovery.key` beside it. The caller holds the folder's lock.
 * @returns false where it was there already, and is the right one
 * @throws StoreError key-missing, key-wrong, bad-folder, not-a-database: nothing was changed
 */
export function recoverDataKey(folder: string, databaseFile: string, typed: string): boolean {
  const { salt, nonce, wrapped, tag, madeAt } = readWrapped(folder)
  const bytes = (base64: string) => Buffer.from(base64, 'base64')
  let dataKey: Buffer
  try {
    const decipher = createDecipheriv('aes-256-gcm', wrappingKey(typed, bytes(salt)), bytes(nonce), { authTagLength: 16 })
      .setAAD(Buffer.from(madeAt))
      .setAuthTag(bytes(tag))
    dataKey = Buffer.concat([decipher.update(bytes(wrapped)), decipher.final()])
  } catch (error) {
    throw new StoreError(
      'key-wrong',
      `This is not the recovery key of ${madeAt.slice(0, 10)} that ${join(folder, RECOVERY_FILE)} is locked with: compare it with the sheet, group by group.`,
      error,
    )
  }
  const file = join(folder, KEY_FILE)
  if (existsSync(file)) {
    if (readFileSync(file).equals(dataKey)) return false
    throw new StoreError(
      'key-wrong',
      `${file} is there, and is another key than the one that was to be put back: move it away first if the database does not open with it.`,
    )
  }
  if (dataKey.length !== KEY_BYTES || !opens(join(folder, databaseFile), dataKey))
    throw new StoreError(
      'key-wrong',
      `The key in ${join(folder, RECOVERY_FILE)} does not open the database beside it: take both files from the same back-up.`,
    )
  writeDurably(folder, KEY_FILE, dataKey)
  return true
}

/** Whether the data key is the one the database was sealed under. */
function opens(file: string, dataKey: Buffer): boolean {
  let sqlite: Sqlite.Database | undefined
  try {
    sqlite = new Sqlite(file, { fileMustExist: true })
    const sealed = sqlite.prepare('select sealed from secrets where name = ?').pluck().get(PROOF)
    if (!Buffer.isBuffer(sealed)) return false
    return sealWith(dataKey).open(sealed, `secret ${PROOF}`).toString() === PROOF
  } catch (error) {
    if (error instanceof StoreError) return false
    throw new StoreError('not-a-database', `The database ${file} cannot be opened: ${(error as Error).message}.`, error)
  } finally {
    sqlite?.close()
  }
}

function readWrapped(folder: string): Wrapped {
  const file = join(folder, RECOVERY_FILE)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new StoreError(
        'key-missing',
        `There is no ${file}: copy it there from a back-up, with the database of the same back-up.`,
        error,
      )
    throw new StoreError('bad-folder', `${file} cannot be read: ${(error as Error).message}.`, error)
  }
  const parsed = Wrapped.safeParse(json(text))
  if (!parsed.success)
    throw new StoreError('key-wrong', `${file} is not a recovery file of Isthmus, or is damaged: take it from a back-up.`)
  return parsed.data
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// The key has 160 bits of its own: no password hash is needed to slow a search down (NIST SP 800-132 is for what people make up).
const wrappingKey = (recoveryKey: string, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', plainKey(recoveryKey), salt, 'isthmus recovery key', KEY_BYTES))

const nameOf = (dataKey: Buffer): string => Buffer.from(hkdfSync('sha256', dataKey, '', 'isthmus name of the data key', 8)).toString('hex')

function writeDurably(folder: string, name: string, bytes: Buffer): void {
  const part = join(folder, `${name}.part`)
  try {
    const handle = openSync(part, 'w', 0o600)
    try {
      writeSync(handle, bytes)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(part, join(folder, name))
    syncFolder(folder)
  } catch (error) {
    throw new StoreError('bad-folder', `${join(folder, name)} cannot be written: ${(error as Error).message}.`, error)
  }
}
