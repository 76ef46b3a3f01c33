import { describe, expect, it } from 'vitest'
import type { HandedOutRow } from '#server/modules/images/image-study-queries.ts'
import type { NewStudyRecord } from '#server/modules/studies/study-queries.ts'
import { newKey } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const DAY = '2026-11-20'
const at = (hour: number) => `${DAY}T${String(hour).padStart(2, '0')}:00:00.000Z`
const ALL = [at(0), '2026-11-21T00:00:00.000Z', 10] as const
const ORDER: HandedOutRow = {
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
    const { imageStudies, reconciliations } = store
    const unscheduled = () => reconciliations.unscheduled(...ALL)
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
    expect(reconciliations.unscheduled(ALL[0], ALL[1], 2)).toEqual(['2.25.1', '2.25.2'])
    expect(store.examFacts.unplanned(ALL[0], 10)).toEqual({ count: 4, since: at(9) })

    imageStudies.update('2.25.1', { handedOut: ORDER })
    imageStudies.update('2.25.2', { isFetched: true })
    reconciliations.insert(keep('2.25.3'))
    expect(unscheduled()).toEqual([])
    expect(store.examFacts.unplanned(ALL[0], 10).count).toBe(1)

    imageStudies.update('2.25.1', { handedOut: null })
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
    store.studies.insert(ofSeed)
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
    store.studies.insert(ofPartner)
    expect(unscheduled()).toEqual(['2.25.1'])
  })
})

describe('a decision', () => {
  it('is kept sealed, and found by its images, its order and its day until it is undone', () => {
    using temp = tempStore()
    const { reconciliations, database } = temp.store
    seedImages(temp.store, { uid: '2.25.1', at: at(9) })
    const kept = reconciliations.insert(keep('2.25.1'))
    const noted = reconciliations.insert(notDone())
    expect(reconciliations.ofImages('2.25.1')).toEqual(kept)
    expect(reconciliations.ofOrder('2.25.9', 'S9')).toEqual(noted)
    expect(reconciliations.between(DAY, DAY)).toEqual([kept, noted])
    expect(reconciliations.between('2026-11-21', '2026-11-22')).toEqual([])
    const rows = database.all(database.sql.selectFrom('reconciliations').selectAll())
    expect(JSON.stringify(rows)).not.toMatch(/Sample|Emergency|Did not come/)

    expect(reconciliations.undo(kept.decisionId, at(13), 'usr_2')).toBe(true)
    expect(reconciliations.undo(kept.decisionId, at(13), 'usr_2')).toBe(false)
    expect(reconciliations.get(kept.decisionId)).toBeUndefined()
    expect(reconciliations.between(DAY, DAY)).toEqual([noted])
    expect(reconciliations.insert(keep('2.25.1')).decisionId).not.toBe(kept.decisionId)
  })

  it('holds alone for its images and for its order', () => {
    using temp = tempStore()
    const { reconciliations } = temp.store
    seedImages(temp.store, { uid: '2.25.1', at: at(9) })
    reconciliations.insert(notDone())
    expect(() => reconciliations.insert(notDone())).toThrow(/UNIQUE/)
    expect(() =>
      reconciliations.insert({ ...notDone(), kind: 'link', imageStudyUid: '2.25.1' }),
    ).toThrow(/UNIQUE/)
    reconciliations.insert(keep('2.25.1'))
    expect(() => reconciliations.insert(keep('2.25.1'))).toThrow(/UNIQUE/)
  })
})
