import { StoreError } from '#server/database/store-error.ts'

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the disk, or this account, may hold',
  EROFS: 'the disk can only be read',
  EACCES: 'this account may not do that there',
  EPERM: 'this account may not do that there',
  ENOENT: 'it is not there',
}

/**
 * A call to the file system that failed, as a sentence: `subject` is its beginning, such as
 * `The back-up could not be written to D:\Back-ups`.
 */
export function fileFault(subject: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new StoreError('bad-folder', `${subject}: ${WORDS[code] ?? message}.`, error)
}
