import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { z } from 'zod'

/** A small file of the desktop app, such as where its window was. */
export interface KeptFile<T> {
  read(): T
  write(value: T): void
}

/**
 * What is in the file of another version, of a hand or of a power cut has its form, or it counts as
 * `empty`.
 */
export function keptFile<T>(path: string, form: z.ZodType<T>, empty: T): KeptFile<T> {
  return {
    read() {
      try {
        return form.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch {
        return empty
      }
    },
    write(value) {
      try {
        if (!existsSync(dirname(path))) mkdirSync(dirname(path), { mode: 0o700 })
        writeFileSync(`${path}.part`, JSON.stringify(value, undefined, 2), { mode: 0o600 })
        renameSync(`${path}.part`, path)
      } catch {
        // A full disk must not end the app over where its window was.
      }
    },
  }
}
