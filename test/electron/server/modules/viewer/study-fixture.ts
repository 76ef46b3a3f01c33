import { randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { StudyDetail, StudyRecord } from '#server/modules/studies/study-queries.ts'
import { insertStudy } from '#server/modules/studies/study-writing-queries.ts'
import { idFromUuid } from '#shared/ids.ts'

/** A row of the scribe area; its id. */
export function scribeStudy(
  store: Context,
  studyInstanceUid: string,
  detail: StudyDetail = {},
  more: Partial<StudyRecord> = {},
): string {
  const studyId = idFromUuid('stu', randomUUID())
  insertStudy(store.database, {
    ...{
      area: 'scribe',
      studyId,
      studyInstanceUid,
      studyDescription: 'CT Chest',
      severity: 'normal',
      status: 'unassigned',
    },
    ...{
      cancelledAt: null,
      createdAt: '2026-03-10T09:00:00.000Z',
      updatedAt: '2026-03-10T09:00:00.000Z',
      assignedTo: null,
    },
    ...{ expressCustomerId: null, createdByApiKeyId: null, createdByUserId: null, detail },
    ...(more as object),
  })
  return studyId
}
