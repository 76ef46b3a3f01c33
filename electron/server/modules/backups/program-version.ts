import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeKeyFile } from '#server/database/data-key.ts'
import { json } from '#server/platform/text.ts'
import type { Instant } from '#shared/contract/conventions.ts'

/** In the data folder: which version of the program opened it last, and which one before that. */
const VERSION_FILE = 'version.json'

const PreviousVersionSchema = z.object({
  /** `null` if it was a version that did not record itself. */
  version: z.string().nullable(),
  schema: z.int(),
  /** When the version that followed it was started first. */
  until: z.iso.datetime(),
})
export type PreviousVersion = z.infer<typeof PreviousVersionSchema>

const ProgramVersionSchema = z.object({
  version: z.string(),
  schema: z.int(),
  previous: PreviousVersionSchema.nullable(),
})

export function readProgramVersion(
  folder: string,
): z.infer<typeof ProgramVersionSchema> | undefined {
  try {
    return ProgramVersionSchema.safeParse(json(readFileSync(join(folder, VERSION_FILE), 'utf8')))
      .data
  } catch {
    return undefined
  }
}

/**
 * Records the version that has opened the folder.
 * @param before schema of the database before it was opened; 0 if there was none
 */
export function recordProgramVersion(
  folder: string,
  now: { readonly version: string; readonly schema: number; readonly at: Instant },
  before: number,
): void {
  const last = readProgramVersion(folder)
  const { version, schema, at } = now
  if (last?.version === version && last.schema === schema && before === schema) return
  const isUpdate = last ? last.version !== version : before > 0 && before < schema
  const previous = isUpdate
    ? { version: last?.version ?? null, schema: before, until: at }
    : (last?.previous ?? null)
  const record = { version, schema, previous }
  writeKeyFile(folder, VERSION_FILE, Buffer.from(`${JSON.stringify(record, null, 2)}\n`))
}
