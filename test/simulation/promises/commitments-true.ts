import { listInstanceVersions } from '#server/modules/images/instance-queries.ts'
import type { Promised } from '../promise.ts'

/** A device deletes what was committed: it was acknowledged, and is there. */
export const commitmentsTrue: Promised = {
  name: 'Nothing is committed that is not kept',
  when: 'day',
  check({ ledger, reader }) {
    return ledger.commitments.flatMap(({ committed }) =>
      committed.flatMap((sopInstanceUid) => {
        const current = listInstanceVersions(reader.store.database, sopInstanceUid).find(
          (version) => reader.bytesOf(version),
        )
        return current ? [] : [`${sopInstanceUid} was committed, and is not there`]
      }),
    )
  },
}
