import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { z } from 'zod'
import { KEY_BYTES, KEY_FILE, writeKeyFile } from '#server/database/data-key.ts'
import { keyNameOf, type Seal, sealWith } from '#server/database/encryption.ts'
import { matchesKey } from '#server/database/key-proof.ts'
import { StoreError } from '#server/database/store-error.ts'
import { instantOf } from '#server/platform/clock.ts'
import { json } from '#server/platform/text.ts'
import { message } from '#shared/messages/message.ts'

export const RECOVERY_FILE = 'recovery.key'
/** 160 bits: eight groups of four characters with five bits each. */
export const RECOVERY_GROUPS = 8
const GROUP_LENGTH = 4
// Offsets in the output of `Seal.seal`: version, nonce and tag are separate fields of the file.
const [VERSION, NONCE_END, TAG_BYTES] = [1, 13, 16]

// Crockford's base 32, without I, L, O and U, which are easily misread.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const MISREAD_AS: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' }

const WrappedKey = z.object({
  version: z.literal(1),
  madeAt: z.string(),
  salt: z.base64(),
  nonce: z.base64(),
  wrapped: z.base64(),
  tag: z.base64(),
  /** Identifies the wrapped data key without revealing it: `Seal.keyName`. */
  ofKey: z.string(),
})
type WrappedKey = z.infer<typeof WrappedKey>

/** A new key: eight groups of four characters, separated by hyphens. */
export function newRecoveryKey(random: (bytes: number) => Buffer = randomBytes): string {
  // 32 divides 256, so all characters are equally likely.
  const characters = Array.from(
    random(RECOVERY_GROUPS * GROUP_LENGTH),
    (byte) => ALPHABET[byte % ALPHABET.length],
  )
  return Array.from({ length: RECOVERY_GROUPS }, (_, group) =>
    characters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(''),
  ).join('-')
}

/**
 * Normalizes a typed key or a part of one: removes hyphens and spaces, folds case and corrects
 * characters that are commonly misread.
 */
export const normalizeKey = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/[ILO]/g, (letter) => MISREAD_AS[letter] ?? letter)

/** The contents of `recovery.key`: the current data key, encrypted with the recovery key. */
export function wrapDataKey(
  seal: Pick<Seal, 'wrapUnder' | 'keyName'>,
  recoveryKey: string,
  now: number,
): string {
  const salt = randomBytes(16)
  const madeAt = instantOf(now)
  const sealed = seal.wrapUnder(wrappingKey(recoveryKey, salt), madeAt)
  const text = (bytes: Buffer) => bytes.toString('base64')
  const file: WrappedKey = {
    ...{ version: 1, madeAt, salt: text(salt), nonce: text(sealed.subarray(1, NONCE_END)) },
    ...{
      wrapped: text(sealed.subarray(NONCE_END, -TAG_BYTES)),
      tag: text(sealed.subarray(-TAG_BYTES)),
      ofKey: seal.keyName,
    },
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Stores a wrapped key as the folder's recovery key. Durable on return. */
export const keepRecoveryKey = (folder: string, wrapped: string): void =>
  writeKeyFile(folder, RECOVERY_FILE, Buffer.from(wrapped))

/** Whether the folder has a recovery key, and whether it belongs to this data key. */
export function recoveryKeyState(
  folder: string,
  { keyName }: Pick<Seal, 'keyName'>,
): { readonly state: 'none' | 'ready' | 'foreign'; readonly madeAt: string | null } {
  const file = join(folder, RECOVERY_FILE)
  if (!existsSync(file)) return { state: 'none', madeAt: null }
  try {
    const { ofKey, madeAt } = readWrapped(file)
    return { state: ofKey === keyName ? 'ready' : 'foreign', madeAt }
  } catch (error) {
    if (error instanceof StoreError) return { state: 'foreign', madeAt: null }
    throw error
  }
}

/**
 * Decrypts the data key in a recovery file, such as the one in a backup. @throws StoreError
 * key-missing, key-wrong, bad-folder
 */
export function openRecoveryFile(
  file: string,
  typed: string,
): { readonly dataKey: Buffer; readonly madeAt: string } {
  const { salt, nonce, wrapped, tag, madeAt, ofKey } = readWrapped(file)
  const bytes = (base64: string) => Buffer.from(base64, 'base64')
  const sealed = Buffer.concat([Buffer.of(VERSION), bytes(nonce), bytes(wrapped), bytes(tag)])
  try {
    const dataKey = sealWith(wrappingKey(typed, bytes(salt))).open(sealed, madeAt)
    if (dataKey.length === KEY_BYTES && keyNameOf(dataKey) === ofKey) return { dataKey, madeAt }
  } catch (error) {
    throw new StoreError(
      'key-wrong',
      message('database.not-the-recovery-key', { day: madeAt.slice(0, 10), file }),
      error,
    )
  }
  throw new StoreError('key-wrong', message('database.recovered-other-key', { file }))
}

/**
 * Restores a lost `data.key` from the folder's `recovery.key`. The caller holds the folder's lock.
 * @returns false if the correct `data.key` already existed
 * @throws StoreError key-missing, key-wrong, bad-folder, not-a-database: nothing was changed
 */
export function recoverDataKey(folder: string, databaseFile: string, typed: string): boolean {
  const recovery = join(folder, RECOVERY_FILE)
  const { dataKey } = openRecoveryFile(recovery, typed)
  const file = join(folder, KEY_FILE)
  if (existsSync(file)) {
    if (readFileSync(file).equals(dataKey)) return false
    throw new StoreError('key-wrong', message('database.key-there', { file }))
  }
  if (matchesDataKey(join(folder, databaseFile), dataKey) !== true)
    throw new StoreError('key-wrong', message('database.key-not-fitting', { file: recovery }))
  writeKeyFile(folder, KEY_FILE, dataKey)
  return true
}

/**
 * Whether a database was encrypted with the data key; undefined if nothing in it is encrypted.
 * @throws StoreError not-a-database
 */
export function matchesDataKey(databaseFile: string, dataKey: Buffer): boolean | undefined {
  let sqlite: Sqlite.Database | undefined
  try {
    const opened = new Sqlite(databaseFile, { fileMustExist: true })
    sqlite = opened
    return matchesKey((sql) => opened.prepare(sql).get(), sealWith(dataKey))
  } catch (error) {
    throw new StoreError(
      'not-a-database',
      message('database.not-opened', { file: databaseFile, reason: (error as Error).message }),
      error,
    )
  } finally {
    sqlite?.close()
  }
}

function readWrapped(file: string): WrappedKey {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new StoreError('key-missing', message('database.no-recovery-file', { file }), error)
    throw new StoreError(
      'bad-folder',
      message('database.file-not-readable', { file, fault: (error as Error).message }),
      error,
    )
  }
  const parsed = WrappedKey.safeParse(json(text))
  if (!parsed.success)
    throw new StoreError('key-wrong', message('database.no-recovery-file-of-ours', { file }))
  return parsed.data
}

// The recovery key has 160 random bits, so no slow password hash is needed (NIST SP 800-132
// concerns passwords that people choose).
const wrappingKey = (recoveryKey: string, salt: Buffer): Buffer =>
  Buffer.from(
    hkdfSync('sha256', normalizeKey(recoveryKey), salt, 'isthmus recovery key', KEY_BYTES),
  )
