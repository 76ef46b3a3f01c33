import { readFileSync } from 'node:fs'
import { openContext } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { dataSetIn } from '../../flows/dicomweb-fixture.ts'
import type { TestStore } from '../../support/object-store.ts'
import type { Orthanc } from '../../support/orthanc.ts'
import { hashOf } from '../reader.ts'
import type { YearImage } from './studies.ts'

/** Where copies are. */
export interface Places {
  readonly archive: Orthanc
  /** By the names of their tiers. */
  readonly stores: ReadonlyMap<string, TestStore>
}

export interface Kept {
  /** What is lost, or was removed without proof, in sentences. */
  readonly breaches: readonly string[]
  readonly local: number
  readonly removed: number
  /** Copies by which the gateway may remove files, and that were found to be true. */
  readonly proofs: { readonly archive: number; readonly stores: number }
  /** Whether the study under legal hold is on the disk. */
  readonly isHeldHere: boolean
}

interface Row {
  readonly instanceId: number
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly file: string
  readonly dataSetOffset: number
  readonly localRemovedAt: string | null
}

/** A copy that the gateway takes for confirmed. */
interface Proof {
  readonly instanceId: number
  /** Of the tier; empty: the archive. */
  readonly tierName: string
  readonly objectKey: string
}

const ROWS = `select instanceId, sopInstanceUid, studyInstanceUid, file, dataSetOffset, localRemovedAt
  from instances where state = 'current'`
const PROOFS = `select instanceId, '' as tierName, '' as objectKey
    from instanceCopies join destinations using (destinationId)
  union all
  select c.instanceId, t.name, c.objectKey from tierCopies c join tiers t using (tierId)
    where c.state = 'stored'`

/**
 * Compares what the gateway acknowledged with what there is. Each image is a file of the gateway,
 * or was removed and has proofs; and each proof, of which image ever, is true: the archive or the
 * store has the same data set. The gateway is stopped.
 */
export class YearChecks {
  readonly #folder: string
  readonly #acknowledged: ReadonlyMap<string, YearImage>
  readonly #places: Places
  /** Proofs that were found to be true by an earlier check. */
  readonly #known = new Set<string>()

  constructor(folder: string, acknowledged: ReadonlyMap<string, YearImage>, places: Places) {
    this.#folder = folder
    this.#acknowledged = acknowledged
    this.#places = places
  }

  /** @param isWhole whether proofs are compared that an earlier check has compared already */
  async check(heldStudy: string, isWhole: boolean): Promise<Kept> {
    if (isWhole) this.#known.clear()
    using context = openContext({ folder: this.#folder })
    const rows = context.database.all(rawQuery<Row>(ROWS, []))
    const byUid = new Map(rows.map((row) => [row.sopInstanceUid, row]))
    const proofs = Map.groupBy(
      context.database.all(rawQuery<Proof>(PROOFS, [])),
      ({ instanceId }) => instanceId,
    )
    const inArchive = await this.#listArchive()
    const breaches: string[] = []
    const counts = { archive: 0, stores: 0, removed: 0 }
    for (const image of this.#acknowledged.values()) {
      const { sopInstanceUid, dataSet } = image
      const row = byUid.get(sopInstanceUid)
      if (!row) {
        breaches.push(`${sopInstanceUid} was acknowledged and has no row`)
        continue
      }
      const of = proofs.get(row.instanceId) ?? []
      for (const proof of of) {
        if (!(await this.#isTrue(proof, image, inArchive)))
          breaches.push(`${sopInstanceUid} is not in ${proof.tierName || 'the archive'}`)
        counts[proof.tierName === '' ? 'archive' : 'stores']++
      }
      if (row.localRemovedAt !== null) {
        counts.removed++
        if (of.length === 0)
          breaches.push(`${sopInstanceUid} was removed on ${row.localRemovedAt} without proof`)
      } else if (!isSame(context.imageFiles.pathOf(row.file), dataSet, row.dataSetOffset))
        breaches.push(`${sopInstanceUid} is not on the disk as it was received`)
    }
    const { archive, stores, removed } = counts
    return {
      ...{ breaches, removed, local: this.#acknowledged.size - removed },
      proofs: { archive, stores },
      isHeldHere: rows.every(
        ({ studyInstanceUid, localRemovedAt }) =>
          studyInstanceUid !== heldStudy || localRemovedAt === null,
      ),
    }
  }

  async #isTrue(
    { tierName, objectKey }: Proof,
    { sopInstanceUid, dataSet }: YearImage,
    inArchive: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    const key = `${tierName} ${sopInstanceUid}`
    if (this.#known.has(key)) return true
    const file = await this.#copyOf(tierName, objectKey, inArchive.get(sopInstanceUid))
    if (!file || hashOf(dataSetIn(file)) !== dataSet) return false
    this.#known.add(key)
    return true
  }

  async #copyOf(tierName: string, key: string, id: string | undefined) {
    const { archive, stores } = this.#places
    if (tierName === '') return id && (await archive.download(`/instances/${id}/file`))
    try {
      return stores.get(tierName)?.contentOf(key)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async #listArchive(): Promise<Map<string, string>> {
    const listed =
      await this.#places.archive.rest<{ ID: string; MainDicomTags: { SOPInstanceUID: string } }[]>(
        '/instances?expand',
      )
    return new Map(listed.map(({ ID, MainDicomTags }) => [MainDicomTags.SOPInstanceUID, ID]))
  }
}

function isSame(path: string, dataSet: string, offset: number): boolean {
  try {
    return hashOf(readFileSync(path).subarray(offset)) === dataSet
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
