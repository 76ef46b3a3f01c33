import { listInstanceVersions } from '#server/modules/images/instance-queries.ts'
import type { Promised } from '../promise.ts'

/**
 * A device that was told Success deletes its copy: each content it sent is in a file, byte for
 * byte, and a row says so.
 */
export const imagesKept: Promised = {
  name: 'Nothing acknowledged is lost: images',
  when: 'day',
  check: ({ ledger, reader }) =>
    ledger.instances.flatMap(({ sopInstanceUid, dataSet, isDiscarded, callingAeTitle }) => {
      if (isDiscarded) return []
      const versions = listInstanceVersions(reader.store.database, sopInstanceUid)
      if (versions.some((version) => reader.bytesOf(version)?.equals(dataSet))) return []
      return [
        `${sopInstanceUid} of ${callingAeTitle}: ${versions.length} rows, and no file has what was acknowledged`,
      ]
    }),
}
