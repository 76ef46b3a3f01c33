import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { fileFault, StoreError } from './store-error.ts'

/**
 * Encryption of large files in segments (the STREAM construction of Hoang, Reyhanitabar, Rogaway
 * and Vizár, 2015). Changed, missing, added or reordered segments are detected, and plaintext is
 * released only after its segment has been authenticated. Format: 8 bytes of magic, 32 bytes of
 * salt, then for each MiB of plaintext its AES-256-GCM ciphertext and a tag of 16 bytes.
 */
const MAGIC = Buffer.from('ISTHSEA1')
const SALT_BYTES = 32
const HEADER_BYTES = MAGIC.length + SALT_BYTES
const SEGMENT_BYTES = 1024 * 1024
const TAG_BYTES = 16
const NONCE_BYTES = 12

type Progress = (share: number) => void

/** `sha256`: hash of the plaintext, hex. */
export interface SealedFile {
  readonly sha256: string
}

/**
 * Encrypts the file into a new one, which is durable when the promise resolves; no file is left
 * after a failure. @throws StoreError bad-folder
 */
export async function sealFile(
  from: string,
  to: string,
  key: Buffer,
  onProgress: Progress = () => {},
): Promise<SealedFile> {
  return await withFile(from, 'r', (source) =>
    writeNewFile(to, async (target) => {
      const { size } = await source.stat()
      const hash = createHash('sha256')
      const salt = randomBytes(SALT_BYTES)
      const ownKey = fileKey(key, salt)
      await target.appendFile(Buffer.concat([MAGIC, salt]))
      for (let at = 0, number = 0; ; number++) {
        const plain = await read(source, at, Math.min(SEGMENT_BYTES, size - at))
        at += plain.length
        const isLast = at >= size
        hash.update(plain)
        const cipher = createCipheriv('aes-256-gcm', ownKey, nonceOf(number)).setAAD(
          lastSegmentFlag(isLast),
        )
        await target.appendFile(
          Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
        )
        onProgress(size === 0 ? 1 : at / size)
        if (isLast) break
      }
      return { sha256: hash.digest('hex') }
    }),
  )
}

/**
 * Decrypts a file into a new one, which is durable when the promise resolves; no file is left after
 * a failure. @throws StoreError seal-broken, bad-folder
 */
export async function openSealedFile(
  from: string,
  to: string,
  key: Buffer,
  onProgress: Progress = () => {},
): Promise<SealedFile> {
  return await withFile(from, 'r', (source) =>
    writeNewFile(to, (target) =>
      readSealed(from, source, key, onProgress, (plain) => target.appendFile(plain)),
    ),
  )
}

/**
 * Authenticates an encrypted file to its end without writing the plaintext. @throws StoreError
 * seal-broken, bad-folder
 */
export async function checkSealedFile(
  from: string,
  key: Buffer,
  onProgress: Progress = () => {},
): Promise<SealedFile> {
  return await withFile(from, 'r', (source) =>
    readSealed(from, source, key, onProgress, () => Promise.resolve()),
  )
}

async function readSealed(
  name: string,
  source: FileHandle,
  key: Buffer,
  onProgress: Progress,
  onPlaintext: (plain: Buffer) => Promise<void>,
): Promise<SealedFile> {
  const { size } = await source.stat()
  const head = await read(source, 0, Math.min(HEADER_BYTES, size))
  if (head.length < HEADER_BYTES || !head.subarray(0, MAGIC.length).equals(MAGIC))
    throw brokenSealError(name)
  const ownKey = fileKey(key, head.subarray(MAGIC.length))
  const hash = createHash('sha256')
  for (let at = HEADER_BYTES, number = 0; ; number++) {
    const segment = await read(source, at, Math.min(SEGMENT_BYTES + TAG_BYTES, size - at))
    if (segment.length < TAG_BYTES) throw brokenSealError(name)
    at += segment.length
    const isLast = at >= size
    const plain = decryptSegment(name, ownKey, segment, { number, isLast })
    hash.update(plain)
    await onPlaintext(plain)
    onProgress(at / size)
    if (isLast) return { sha256: hash.digest('hex') }
  }
}

function decryptSegment(
  name: string,
  key: Buffer,
  segment: Buffer,
  { number, isLast }: { readonly number: number; readonly isLast: boolean },
): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(lastSegmentFlag(isLast))
    .setAuthTag(segment.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(segment.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch (error) {
    throw brokenSealError(name, error)
  }
}

// Each file has its own key, so nonces can start at 0 in each.
const fileKey = (key: Buffer, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, 'isthmus sealed file', 32))

/**
 * The last segment is marked as such in its authenticated data, so that a truncated file is
 * detected.
 */
const lastSegmentFlag = (isLast: boolean): Buffer => Buffer.of(isLast ? 1 : 0)

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt32BE(number, NONCE_BYTES - 4)
  return nonce
}

/** Reads `length` bytes at `at`; fewer only if the file has become shorter. */
async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, at + done)
    if (bytesRead === 0) throw new MessageError(message('database.file-shrank'))
    done += bytesRead
  }
  return buffer
}

async function withFile<T>(
  path: string,
  flags: string,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const code = flags === 'r' ? 'database.file-not-read' : 'database.file-not-written'
  let file: FileHandle | undefined
  try {
    file = await open(path, flags, 0o600)
    return await work(file)
  } catch (error) {
    throw fileFault(code, { path }, error)
  } finally {
    await file?.close()
  }
}

/** Creates a file that `work` writes completely and durably, or leaves none. */
async function writeNewFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  let wasCreated = false
  try {
    return await withFile(path, 'wx', async (file) => {
      wasCreated = true
      const result = await work(file)
      await file.sync()
      return result
    })
  } catch (error) {
    if (wasCreated) await rm(path, { force: true }).catch(() => undefined)
    throw error
  }
}

function brokenSealError(file: string, cause?: unknown): StoreError {
  return new StoreError('seal-broken', message('database.seal-broken', { file }), cause)
}
