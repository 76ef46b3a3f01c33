import { describe, expect, it } from 'vitest'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import {
  countUnscheduledStudies,
  findReconciliation,
  findReconciliationOfImages,
  findReconciliationOfOrder,
  insertReconciliation,
  listReconciliations,
  listUnscheduledStudies,
  setReconciliationUndone,
} from '#server/modules/reconciliation/reconciliation-queries.ts'
import type { SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import type { NewStudyRecord } from '#server/modules/studies/study-queries.ts'
import { insertStudy } from '#server/modules/studies/study-writing-queries.ts'
import { newKey } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const DAY = '2026-11-20'
const at = (hour: number) => `${DAY}T${String(hour).padStart(2, '0')}:00:00.000Z`
const ALL = [at(0), '2026-11-21T00:00:00.000Z', 10] as const
const ORDER: SentWorklistRow = {
  ...{
    studyInstanceUid: '2.25.9',
    scheduledProcedureStepId: 'S9',
    requestedProcedureId: '',
    accessionNumber: 'A-9',
  },
  ...{
    patientName: 'Sample^Ada',
    patientId: 'P-9',
    patientBirthDate: '',
    patientSex: '',
    description: 'CT head',
  },
  ...{ callingAeTitle: 'CT1', at: at(8) },
}
const { callingAeTitle: _, at: __, ...KEPT_ORDER } = ORDER
const BY = { day: DAY, userId: 'usr_1', userName: 'Anna Admin', at: at(12) }
const keep = (imageStudyUid: string) => ({
  ...BY,
  kind: 'keep' as const,
  imageStudyUid,
  order: null,
  reason: 'Emergency',
})
const notDone = () => ({
  ...BY,
  kind: 'not-done' as const,
  imageStudyUid: null,
  order: KEPT_ORDER,
  reason: 'Did not come',
})

describe('studies without an order', () => {
  it('are those of devices that no row, no partner and no decision speaks of, the first first', () => {
    using temp = tempStore()
    const { store } = temp
    const { database } = store
    const unscheduled = () => listUnscheduledStudies(database, ...ALL)
    for (const [uid, hour] of [
      ['2.25.2', 10],
      ['2.25.1', 9],
      ['2.25.3', 11],
    ] as const)
      seedImages(store, { uid, at: at(hour) })
    seedImages(store, { uid: '2.25.4', at: at(9), state: 'receiving' })
    seedImages(store, { uid: '2.25.5', at: '2026-11-21T00:00:00.000Z' })
    seedImages(store, { uid: '2.25.6', at: at(9), instances: 0 })
    expect(unscheduled()).toEqual(['2.25.1', '2.25.2', '2.25.3'])
    expect(listUnscheduledStudies(database, ALL[0], ALL[1], 2)).toEqual(['2.25.1', '2.25.2'])
    expect(countUnscheduledStudies(store.database, ALL[0], 10)).toEqual({ count: 4, since: at(9) })

    updateImageStudy(database, '2.25.1', { handedOut: ORDER })
    updateImageStudy(database, '2.25.2', { isFetched: true })
    insertReconciliation(database, keep('2.25.3'))
    expect(unscheduled()).toEqual([])
    expect(countUnscheduledStudies(store.database, ALL[0], 10).count).toBe(1)

    updateImageStudy(database, '2.25.1', { handedOut: null })
    const ofSeed = {
      ...{
        area: 'scribe',
        studyId: `stu_${'0'.repeat(32)}`,
        studyInstanceUid: '2.25.1',
        studyDescription: 'CT',
        severity: 'normal',
      },
      ...{
        status: 'unassigned',
        cancelledAt: null,
        assignedTo: null,
        expressCustomerId: null,
        createdByUserId: null,
      },
      ...{ createdByApiKeyId: null, detail: {}, createdAt: at(9), updatedAt: at(9) },
    } as NewStudyRecord
    insertStudy(store.database, ofSeed)
    expect(unscheduled()).toEqual(['2.25.1'])
    seedImages(store, { uid: '2.25.7', at: at(9) })
    expect(unscheduled()).toEqual(['2.25.1', '2.25.7'])
    const { apiKeyId } = newKey(store)
    const ofPartner = {
      ...ofSeed,
      studyId: `stu_${'1'.repeat(32)}`,
      studyInstanceUid: '2.25.7',
      createdByApiKeyId: apiKeyId,
    }
    insertStudy(store.database, ofPartner)
    expect(unscheduled()).toEqual(['2.25.1'])
  })
})

describe('a decision', () => {
  it('is kept sealed, and found by its images, its order and its day until it is undone', () => {
    using temp = tempStore()
    const { database } = temp.store
    seedImages(temp.store, { uid: '2.25.1', at: at(9) })
    const kept = insertReconciliation(database, keep('2.25.1'))
    const noted = insertReconciliation(database, notDone())
    expect(findReconciliationOfImages(database, '2.25.1')).toEqual(kept)
    expect(findReconciliationOfOrder(database, '2.25.9', 'S9')).toEqual(noted)
    expect(listReconciliations(database, DAY, DAY)).toEqual([kept, noted])
    expect(listReconciliations(database, '2026-11-21', '2026-11-22')).toEqual([])
    const rows = database.all(database.sql.selectFrom('reconciliations').selectAll())
    expect(JSON.stringify(rows)).not.toMatch(/Sample|Emergency|Did not come/)

    expect(setReconciliationUndone(database, kept.decisionId, at(13), 'usr_2')).toBe(true)
    expect(setReconciliationUndone(database, kept.decisionId, at(13), 'usr_2')).toBe(false)
    expect(findReconciliation(database, kept.decisionId)).toBeUndefined()
    expect(listReconciliations(database, DAY, DAY)).toEqual([noted])
    expect(insertReconciliation(database, keep('2.25.1')).decisionId).not.toBe(kept.decisionId)
  })

  it('holds alone for its images and for its order', () => {
    using temp = tempStore()
    const { database } = temp.store
    seedImages(temp.store, { uid: '2.25.1', at: at(9) })
    insertReconciliation(database, notDone())
    expect(() => insertReconciliation(database, notDone())).toThrow(/UNIQUE/)
    expect(() =>
      insertReconciliation(database, { ...notDone(), kind: 'link', imageStudyUid: '2.25.1' }),
    ).toThrow(/UNIQUE/)
    insertReconciliation(database, keep('2.25.1'))
    expect(() => insertReconciliation(database, keep('2.25.1'))).toThrow(/UNIQUE/)
  })
})
