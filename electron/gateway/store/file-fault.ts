import { StoreError } from './store-error.ts'

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

/** A call to the file system that failed, as a sentence: `subject` is its beginning, such as `The back-up could not be written to D:\Back-ups`. */
export function fileFault(subject: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new StoreError('bad-folder', `${subject}: ${WORDS[code] ?? message}.`, error)
}

/** Whether the disk had no room for a change to the database; nothing of it was written. */
export const isDatabaseFull = (error: unknown): boolean => error instanceof Error && (error as { code?: unknown }).code === 'SQLITE_FULL'
