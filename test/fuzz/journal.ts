import { closeSync, openSync, readFileSync, readSync, writevSync } from 'node:fs'

/**
 * The input that is being run, in a file that outlives the process: what hangs, dies or takes all
 * memory cannot say any more what it was given. A count of executions (uint32), the input's length
 * (uint32), the input.
 */
export interface Journal extends Disposable {
  begin(input: Buffer): void
}

const HEADER = 8

export function openJournal(path: string): Journal {
  const file = openSync(path, 'w', 0o600)
  const header = Buffer.alloc(HEADER)
  let count = 0
  return {
    begin(input) {
      header.writeUInt32LE(++count >>> 0, 0)
      header.writeUInt32LE(input.length, 4)
      writevSync(file, [header, input], 0)
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}

/** Executions begun so far; 0 before the first. */
export function countIn(path: string): number {
  try {
    const file = openSync(path, 'r')
    const header = Buffer.alloc(HEADER)
    const read = readSync(file, header, 0, HEADER, 0)
    closeSync(file)
    return read < HEADER ? 0 : header.readUInt32LE(0)
  } catch {
    return 0
  }
}

/** The input that was begun last; undefined before the first. */
export function inputIn(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path)
    return bytes.length < HEADER
      ? undefined
      : Buffer.from(bytes.subarray(HEADER, HEADER + bytes.readUInt32LE(4)))
  } catch {
    return undefined
  }
}
