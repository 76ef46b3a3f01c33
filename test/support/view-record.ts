import { createHash, randomUUID } from 'node:crypto'
import type { ViewRecord } from '#server/modules/viewer/queries.ts'

/**
 * A view from the window of what the archive alone has, unless it says more; it runs for a year
 * from 2026-03-10.
 */
export function viewRecord(userId: string, differs: Partial<ViewRecord> = {}): ViewRecord {
  const viewId = randomUUID()
  const at = '2026-03-10T09:00:00.000Z'
  return {
    ...{
      viewId,
      tokenHash: createHash('sha256').update(viewId).digest('hex'),
      kind: 'window',
      area: null,
      studyId: null,
    },
    ...{
      studyInstanceUid: '1.2.3',
      userId,
      createdByApiKeyId: null,
      createdByUserId: userId,
      sessionId: null,
      ephemeral: null,
    },
    ...{ createdAt: at, lastUsedAt: at, expiresAt: '2027-03-10T09:00:00.000Z', ...differs },
  }
}

/** What makes it one without a study, by a link of the key. */
export const ephemeralView = (createdByApiKeyId: string): Partial<ViewRecord> => ({
  ...{
    kind: 'ephemeral',
    area: 'viewer',
    studyInstanceUid: null,
    userId: null,
    createdByApiKeyId,
    createdByUserId: null,
  },
  ephemeral: { retrievalId: 'h' },
})
