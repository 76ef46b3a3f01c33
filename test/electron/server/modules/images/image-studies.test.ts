import { describe, expect, it } from 'vitest'
import * as customerService from '#server/modules/customers/service.ts'
import { announceInstances } from '#server/modules/images/announced-instance-queries.ts'
import { insertCommitment } from '#server/modules/images/commitment-queries.ts'
import {
  canSeeImages,
  listImageStudies,
  listQuarantine,
  readImageStudy,
  requireCanManageImages,
  requireQuarantineAccess,
} from '#server/modules/images/image-studies.ts'
import { summariseImages } from '#server/modules/images/image-study-list-queries.ts'
import { setInstanceState } from '#server/modules/images/instance-queries.ts'
import { insertPerformedStep } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { isStudyMismatched } from '#server/modules/studies/image-study-queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import { ImageStudy, ImageStudySummary } from '#shared/contract/images.ts'
import { QuarantinedInstance } from '#shared/contract/quarantine.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { MISMATCH, quarantine, seedImages } from '../../../../support/images.ts'
import { codeOf } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

function stage() {
  const temp = tempStore('2026-11-20T09:00:00.000Z')
  const { store } = temp
  const studies = bound(studyService, temp.store)
  const customers = bound(customerService, temp.store)
  const key = newKey(store)
  /** A study of the interface over the images, of a customer of its own. */
  function ofCustomer(studyInstanceUid: string): ExpressCustomerId {
    const expressCustomerId = customers.createCustomer(key, {
      expressCustomerName: studyInstanceUid,
    }).expressCustomerId as ExpressCustomerId
    studies.createStudy(key, 'scribe', {
      studyInstanceUid,
      studyDescription: 'CT',
      severity: 'normal',
      expressCustomerId,
    })
    return expressCustomerId
  }
  return {
    ...{ ...temp, studies, key, ofCustomer },
    owner: atTheWindow(newUser(store, { level: 'owner' })),
    member: (customerIds: ExpressCustomerId[] = [], canManageStudies = true): UserCaller =>
      atTheWindow(newUser(store, { canManageStudies }), customerIds),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const ALL = { show: 'all', search: '', limit: 20 } as const

const ANNOUNCED = '2026-11-20T08:45:00.000Z'

describe('a study with images', () => {
  it('is shown as its images came, with the rows of the interface that show them', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.3', instances: 2 })
    const { record } = on.studies.createStudy(on.key, 'viewer', {
      studyInstanceUid: '1.2.3',
      studyDescription: 'CT',
      severity: 'normal',
    })
    const [shown] = listImageStudies(on.store, on.owner, ALL).items
    expect(ImageStudySummary.parse(shown)).toEqual({
      ...{
        studyInstanceUid: '1.2.3',
        patientName: 'MEIER^ANNA',
        patientId: 'P-4711',
        patientBirthDate: '19800131',
        patientSex: 'F',
      },
      ...{
        accessionNumber: 'A-100',
        studyDescription: 'CT Thorax',
        studyDate: '20261120',
        studyTime: '093000',
        modalities: ['CT'],
      },
      ...{
        series: 1,
        instances: 2,
        bytes: 1_052_000,
        expected: null,
        missing: 0,
        quarantined: 0,
        state: 'complete',
      },
      lastTransfer: { how: 'released', detail: null, at: '2026-11-20T08:45:00.000Z' },
      ...{
        deviceName: 'CT room 1',
        callingAeTitle: 'CT1',
        identity: 'unverified',
        isUnscheduled: true,
      },
      ...{
        firstInstanceAt: '2026-11-20T08:45:00.000Z',
        lastInstanceAt: '2026-11-20T08:45:00.000Z',
      },
      studies: [{ area: 'viewer', studyId: record.studyId, isSeeded: false }],
      enrichment: { state: 'not-asked', askedAt: null, nextAt: null, detail: null, warnings: [] },
    })
  })

  it('is complete, receiving or incomplete as what was announced and the last transfer say', () => {
    using on = stage()
    const { store, owner } = on
    const stateOf = (uid: string) => readImageStudy(store, owner, uid).state
    const announced = (uid: string, count: number) =>
      announceInstances(
        store.database,
        uid,
        Array.from({ length: count }, (_, index) => ({
          sopInstanceUid: `${uid}.1.${index + 1}`,
          seriesInstanceUid: `${uid}.1`,
        })),
        ANNOUNCED,
      )
    seedImages(store, { uid: '1.1', state: 'receiving', how: 'aborted' })
    seedImages(store, { uid: '1.2', how: 'aborted' })
    seedImages(store, { uid: '1.3', how: 'released', instances: 2 })
    announced('1.3', 3)
    seedImages(store, { uid: '1.4', how: 'released', instances: 2 })
    announced('1.4', 2)
    expect(['1.1', '1.2', '1.3', '1.4'].map(stateOf)).toEqual([
      'receiving',
      'incomplete',
      'incomplete',
      'complete',
    ])
    expect(readImageStudy(store, owner, '1.3')).toMatchObject({ expected: 3, missing: 1 })
    expect(
      listImageStudies(store, owner, { ...ALL, show: 'incomplete' })
        .items.map(({ studyInstanceUid }) => studyInstanceUid)
        .sort(),
    ).toEqual(['1.2', '1.3'])
  })

  it('names the series that were announced and of which nothing has come', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.3' })
    const announced = ['1.2.3.1.1', '1.2.3.9.1', '1.2.3.9.2'].map((uid) => ({
      sopInstanceUid: uid,
      seriesInstanceUid: uid.slice(0, -2),
    }))
    announceInstances(on.store.database, '1.2.3', announced, ANNOUNCED)
    expect(ImageStudy.parse(readImageStudy(on.store, on.owner, '1.2.3')).seriesList).toEqual([
      {
        ...{
          seriesInstanceUid: '1.2.3.1',
          modality: 'CT',
          seriesNumber: '2',
          seriesDescription: 'Thorax 1 mm',
          instances: 1,
        },
        ...{ bytes: 526_000, expected: 1, lastInstanceAt: '2026-11-20T08:45:00.000Z' },
      },
      {
        ...{
          seriesInstanceUid: '1.2.3.9',
          modality: '',
          seriesNumber: '',
          seriesDescription: '',
          instances: 0,
        },
        ...{ bytes: 0, expected: 2, lastInstanceAt: null },
      },
    ])
  })

  it('has its performed steps and commitments', () => {
    using on = stage()
    const { store } = on
    seedImages(store, { uid: '1.2.3' })
    const at = '2026-11-20T08:40:00.000Z'
    insertPerformedStep(store.database, {
      ...{
        sopInstanceUid: '1.9',
        status: 'DISCONTINUED',
        modality: 'CT',
        callingAeTitle: 'CT1',
        remoteAddress: '10.0.3.7',
      },
      ...{
        deviceName: 'CT room 1',
        startedAt: at,
        endedAt: at,
        discontinuationCode: '110513',
        discontinuationMeaning: 'For no reason',
      },
      ...{ instances: 1, dataSet: {}, updatedAt: at },
      items: [
        { studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S1' },
        { studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S2' },
        { studyInstanceUid: '1.2.8', scheduledProcedureStepId: 'S3' },
      ],
    })
    insertCommitment(store.database, {
      ...{
        transactionUid: '1.7',
        callingAeTitle: 'CT1',
        remoteAddress: '10.0.3.7',
        deviceName: 'CT room 1',
        requestedAt: at,
        nextAt: at,
      },
      items: [{ sopClassUid: '1.2.840.10008.5.1.4.1.1.2', sopInstanceUid: '1.2.3.1.1' }],
    })
    const { performedSteps, commitments } = ImageStudy.parse(
      readImageStudy(on.store, on.owner, '1.2.3'),
    )
    expect(performedSteps).toEqual([
      {
        ...{
          sopInstanceUid: '1.9',
          status: 'DISCONTINUED',
          scheduledProcedureStepId: 'S1, S2',
          modality: 'CT',
          deviceName: 'CT room 1',
        },
        ...{ startedAt: at, endedAt: at, instances: 1, discontinuationReason: 'For no reason' },
      },
    ])
    expect(commitments).toEqual([
      {
        ...{
          transactionUid: '1.7',
          deviceName: 'CT room 1',
          callingAeTitle: 'CT1',
          requestedAt: at,
          instances: 1,
          failed: 0,
        },
        ...{ state: 'waiting', attempts: 0, nextAt: at, lastError: null },
      },
    ])
  })

  it('is found by a part of a patient id or accession number, and by what its UID begins with', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.3' })
    seedImages(on.store, { uid: '1.2.4', header: { patientId: 'P-1', accessionNumber: 'B-7' } })
    const found = (search: string) =>
      listImageStudies(on.store, on.owner, { ...ALL, search }).items.map(
        ({ studyInstanceUid }) => studyInstanceUid,
      )
    expect([found('p-4711'), found('B-7'), found('1.2.4'), found('P-47')]).toEqual([
      ['1.2.3'],
      ['1.2.4'],
      ['1.2.4'],
      ['1.2.3'],
    ])
    expect(found('1.2').sort()).toEqual(['1.2.3', '1.2.4'])
  })
})

describe('the identity of a study', () => {
  it('is a mismatch in the list, in the study and in the filter where something differs', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.3', mismatch: MISMATCH })
    seedImages(on.store, { uid: '1.2.4' })
    const difference = {
      from: 'worklist',
      field: 'patientName',
      expected: 'MAIER^ANNA',
      received: 'MEIER^ANNA',
    }
    expect(readImageStudy(on.store, on.owner, '1.2.3')).toMatchObject({
      identity: 'mismatch',
      identityCheck: { state: 'mismatch', differences: [difference], override: null },
    })
    expect(readImageStudy(on.store, on.owner, '1.2.4').identity).toBe('unverified')
    const shown = listImageStudies(on.store, on.owner, { ...ALL, show: 'mismatch' }).items
    expect(shown.map(({ studyInstanceUid, identity }) => [studyInstanceUid, identity])).toEqual([
      ['1.2.3', 'mismatch'],
    ])
    expect(summariseImages(on.store.database, ANNOUNCED).mismatches).toBe(1)
  })

  it('follows what a partner says of the patient, also after the images arrived', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.3' })
    const stateOf = () => [
      readImageStudy(on.store, on.owner, '1.2.3').identity,
      isStudyMismatched(on.store.database, '1.2.3'),
    ]
    const { studyId } = on.studies.createStudy(on.key, 'scribe', {
      ...{ studyInstanceUid: '1.2.3', studyDescription: 'CT', severity: 'normal' },
      reportMetadata: { patientName: 'Anna Meier', mrn: 'P-4711' },
    }).record
    expect(stateOf()).toEqual(['matched', false])
    on.studies.updateStudy(on.key, 'scribe', studyId, {
      reportMetadata: { patientName: 'Jan Novák' },
    })
    expect(stateOf()).toEqual(['mismatch', true])
    on.studies.updateStudy(on.key, 'scribe', studyId, {
      reportMetadata: { patientName: 'Anna Meier' },
    })
    expect(stateOf()).toEqual(['matched', false])
  })
})

describe('a member who is linked to customers', () => {
  it('sees the images of their studies alone, page by page', () => {
    using on = stage()
    const { store } = on
    for (let number = 1; number <= 30; number += 1)
      seedImages(store, { uid: `1.2.${number}`, at: `2026-11-20T08:${number + 10}:00.000Z` })
    const customers = [4, 11, 25].map((number) => on.ofCustomer(`1.2.${number}`))
    on.ofCustomer('1.2.30')
    const linked = on.member(customers)
    const first = listImageStudies(store, linked, { ...ALL, limit: 2 })
    const second = listImageStudies(store, linked, { ...ALL, limit: 2, after: first.next })
    expect(
      [first, second].map(({ items }) => items.map(({ studyInstanceUid }) => studyInstanceUid)),
    ).toEqual([['1.2.25', '1.2.11'], ['1.2.4']])
    expect(second.next).toBeUndefined()
    expect(readImageStudy(store, linked, '1.2.4').studies).toHaveLength(1)
    expect(codeOf(() => readImageStudy(store, linked, '1.2.30'))).toBe('not-found')
    expect(codeOf(() => readImageStudy(store, linked, '1.2.5'))).toBe('not-found')
    expect([
      canSeeImages(store, linked, '1.2.4'),
      canSeeImages(store, linked, '1.2.5'),
      canSeeImages(store, on.member(), '1.2.5'),
    ]).toEqual([true, false, true])
  })

  it('manages the images of their studies alone', () => {
    using on = stage()
    const { store } = on
    for (const uid of ['1.2.3', '1.2.4']) seedImages(store, { uid })
    const linked = on.member([on.ofCustomer('1.2.3')])
    const [mine, other] = ['1.2.3', '1.2.4'].map((uid) => quarantine(store, uid).instanceId)
    expect(codeOf(() => requireCanManageImages(store, linked, '1.2.3'))).toBe('none')
    expect(codeOf(() => requireCanManageImages(store, linked, '1.2.4'))).toBe('not-found')
    expect(codeOf(() => requireCanManageImages(store, linked))).toBe('not-permitted')
    expect(codeOf(() => requireCanManageImages(store, on.member()))).toBe('none')
    expect(codeOf(() => requireCanManageImages(store, on.member([], false)))).toBe('not-permitted')
    expect(codeOf(() => requireQuarantineAccess(store, linked, mine ?? 0))).toBe('none')
    expect(codeOf(() => requireQuarantineAccess(store, linked, other ?? 0))).toBe('not-found')
    expect(codeOf(() => requireQuarantineAccess(store, on.member([], false), mine ?? 0))).toBe(
      'not-permitted',
    )
    expect(
      listQuarantine(store, linked, { limit: 20 }).items.map(({ instanceId }) => instanceId),
    ).toEqual([mine])
  })
})

describe('the quarantine', () => {
  it('shows what was set aside, newest first, of all studies or of one', () => {
    using on = stage()
    const { store, owner } = on
    for (const uid of ['1.2.3', '1.2.4']) seedImages(store, { uid })
    const first = quarantine(store, '1.2.3')
    const second = quarantine(store, '1.2.4', {
      reason: 'wrong-step',
      detail: verbatim('The wrong worklist entry was selected.'),
    })
    const { items } = listQuarantine(store, owner, { limit: 20 })
    expect(items.map(({ instanceId }) => instanceId)).toEqual([second.instanceId, first.instanceId])
    expect(QuarantinedInstance.parse(items[0])).toEqual({
      ...{
        instanceId: second.instanceId,
        reason: 'wrong-step',
        detail: verbatim('The wrong worklist entry was selected.'),
      },
      ...{
        sopInstanceUid: '1.2.4.1.1',
        seriesInstanceUid: '1.2.4.1',
        studyInstanceUid: '1.2.4',
        patientName: 'MEIER^ANNA',
      },
      ...{
        modality: 'CT',
        deviceName: 'CT room 1',
        callingAeTitle: 'CT1',
        remoteAddress: '10.0.3.7',
        bytes: 526_000,
      },
      receivedAt: '2026-11-20T08:45:00.000Z',
    })
    expect(
      listQuarantine(store, owner, { limit: 20, studyInstanceUid: '1.2.3' }).items,
    ).toHaveLength(1)
    expect(readImageStudy(store, owner, '1.2.3')).toMatchObject({ quarantined: 1, instances: 1 })
  })

  it('decides on nothing twice', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.3' })
    const { instanceId } = quarantine(on.store, '1.2.3')
    setInstanceState(on.store.database, instanceId, 'superseded')
    expect(codeOf(() => requireQuarantineAccess(on.store, on.owner, instanceId))).toBe('not-found')
    expect(codeOf(() => requireQuarantineAccess(on.store, on.owner, 999))).toBe('not-found')
  })
})
