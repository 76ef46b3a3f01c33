import { readFileSync } from 'node:fs'
import { openContext } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import type { Orthanc } from '../../support/orthanc.ts'
import { hashOf } from '../reader.ts'
import type { YearImage } from './studies.ts'

export interface Kept {
  /** What is lost, in sentences. */
  readonly breaches: readonly string[]
  readonly local: number
  readonly removed: number
  /** Whether the study under legal hold is on the disk. */
  readonly heldHere: boolean
}

interface Row {
  readonly sopInstanceUid: string
  readonly file: string
  readonly localRemovedAt: string | null
}

/**
 * Compares what the gateway acknowledged with what there is: each image is a file of the gateway
 * or, where that was removed, an instance of the archive with the same pixels. The gateway is
 * stopped.
 */
export async function checkKept(
  folder: string,
  acknowledged: ReadonlyMap<string, YearImage>,
  archive: Orthanc,
  heldStudy: string,
): Promise<Kept> {
  const breaches: string[] = []
  const inArchive = new Map<string, string>()
  const listed =
    await archive.rest<{ ID: string; MainDicomTags: { SOPInstanceUID: string } }[]>(
      '/instances?expand',
    )
  for (const { ID, MainDicomTags } of listed) inArchive.set(MainDicomTags.SOPInstanceUID, ID)
  const rows = new Map<string, Row>()
  using context = openContext({ folder })
  const query = `select sopInstanceUid, file, localRemovedAt from instances where state = 'current'`
  for (const row of context.database.all(rawQuery<Row>(query, [])))
    rows.set(row.sopInstanceUid, row)
  let removed = 0
  let heldHere = true
  for (const { sopInstanceUid, studyInstanceUid, pixels } of acknowledged.values()) {
    const row = rows.get(sopInstanceUid)
    if (!row) {
      breaches.push(`${sopInstanceUid} was acknowledged and has no row`)
      continue
    }
    if (row.localRemovedAt === null) {
      const file = readFileSync(context.imageFiles.pathOf(row.file))
      // The pixel data are the last element.
      if (!endsWith(file, pixels)) breaches.push(`${sopInstanceUid} has other pixels here`)
      continue
    }
    removed++
    if (studyInstanceUid === heldStudy) heldHere = false
    const id = inArchive.get(sopInstanceUid)
    const kept = id && (await archive.download(`/instances/${id}/file`))
    if (!kept || !endsWith(kept, pixels))
      breaches.push(`${sopInstanceUid} was removed on ${row.localRemovedAt} and is nowhere else`)
  }
  return { breaches, local: acknowledged.size - removed, removed, heldHere }
}

/** Whether a file ends with pixels of this hash, whose length its last element says. */
function endsWith(file: Buffer, hash: string): boolean {
  const at = file.lastIndexOf(Buffer.from([0xe0, 0x7f, 0x10, 0x00, 0x4f, 0x57, 0x00, 0x00]))
  return at >= 0 && hashOf(file.subarray(at + 12)) === hash
}
