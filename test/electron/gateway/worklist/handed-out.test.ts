import { describe, expect, it } from 'vitest'
import type { HandedOutQuery } from '#gateway/worklist/handed-out.ts'
import { ask, type Bench, device, item, openBench } from './worklist-fixture.ts'

const TODAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })
const NOTHING: HandedOutQuery = {
  callingAeTitle: 'CT1',
  studyInstanceUid: '',
  scheduledProcedureStepId: '',
  requestedProcedureId: '',
  accessionNumber: '',
  patientId: '',
}
const handedOut = (bench: Bench, query: Partial<HandedOutQuery>) => bench.worklist.handedOut({ ...NOTHING, ...query })
const patientOf = async (bench: Bench, query: Partial<HandedOutQuery>) => (await handedOut(bench, query))?.patientId

describe('the row that images belong to', () => {
  it('is found with all it said and when it was sent', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    await bench.find(TODAY)
    expect(await handedOut(bench, { studyInstanceUid: '2.25.10002', scheduledProcedureStepId: 'S002' })).toEqual({
      studyInstanceUid: '2.25.10002',
      scheduledProcedureStepId: 'S002',
      requestedProcedureId: 'A002',
      accessionNumber: 'A002',
      patientName: 'TESTER^NUMBER002',
      patientId: 'P002',
      patientBirthDate: '19700102',
      patientSex: 'F',
      description: 'Chest',
      callingAeTitle: 'CT1',
      at: '2026-11-20T09:00:00.000Z',
    })
  })

  it.each([
    ['its UID, whatever the console made of the step', { studyInstanceUid: '2.25.10001', scheduledProcedureStepId: 'MADE' }],
    ['step and requested procedure', { studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S001', requestedProcedureId: 'A001' }],
    ['the step alone', { studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S001' }],
    ['the requested procedure', { studyInstanceUid: '1.2.3', scheduledProcedureStepId: '1', requestedProcedureId: 'A001' }],
    ['order and patient', { studyInstanceUid: '1.2.3', accessionNumber: 'A001', patientId: 'P001' }],
    ['the UID, with another patient: that is for the mismatch to say', { studyInstanceUid: '2.25.10001', patientId: 'P999' }],
    ['values with padding', { studyInstanceUid: '1.2.3', accessionNumber: 'A001 ', patientId: ' P001' }],
  ])('is found by %s', async (_, query) => {
    await using bench = await openBench({ items: [item(2), item(1)] })
    await bench.find(TODAY)
    expect(await patientOf(bench, query)).toBe('P001')
  })

  it.each([
    ['nothing is known', {}],
    ['the order is another patient’s', { accessionNumber: 'A001', patientId: 'P002' }],
    ['the patient is all that is known', { patientId: 'P001' }],
    ['the step is of another requested procedure', { scheduledProcedureStepId: 'S001', requestedProcedureId: 'A999' }],
    ['order and patient are others', { scheduledProcedureStepId: 'S001', accessionNumber: 'A999', patientId: 'P999' }],
    ['another device asked', { callingAeTitle: 'MR1', studyInstanceUid: '2.25.10001' }],
  ])('is not found where %s', async (_, query) => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    await bench.find(TODAY)
    expect(await handedOut(bench, query)).toBeUndefined()
  })

  it('was sent: rows that were filtered, withheld, or shown in the window only do not count', async () => {
    await using bench = await openBench({ items: [item(1), item(2, { PatientName: '' }), item(3)] })
    const patient = { deviceId: device().deviceId, patientName: '', accessionNumber: '', modality: '', stationAeTitle: '' }
    await bench.worklist.ask({ ...patient, patientId: '', startDate: null, endDate: null }, device(), { userId: 'u', name: 'Anna' })
    await bench.find(ask({ PatientID: 'P003' }))
    expect(await handedOut(bench, { studyInstanceUid: '2.25.10001' })).toBeUndefined()
    expect(await handedOut(bench, { studyInstanceUid: '2.25.10002' })).toBeUndefined()
    expect(await patientOf(bench, { studyInstanceUid: '2.25.10003' })).toBe('P003')
  })

  it('is one of a study: an id that two studies share is no proof', async () => {
    const step = { ScheduledProcedureStepID: '1' }
    await using bench = await openBench({ items: [item(1, {}, step), item(2, {}, step)] })
    await bench.find(TODAY)
    expect(await handedOut(bench, { scheduledProcedureStepId: '1' })).toBeUndefined()
    expect(await patientOf(bench, { scheduledProcedureStepId: '1', requestedProcedureId: 'A002' })).toBe('P002')
  })

  it('is the newest that was sent, also after the step is done and the partner lists it no more', async () => {
    await using bench = await openBench({ items: [item(1, { PatientName: 'OLD' }), item(2)] })
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.partner.now({ items: [item(1, { PatientName: 'NEW' }), item(2)] })
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.steps.set('2.25.10001', 'S001', 'completed')
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.partner.now({ items: [item(2)] })
    await bench.find(TODAY)
    bench.restart()
    const row = await handedOut(bench, { studyInstanceUid: '2.25.10001', scheduledProcedureStepId: 'S001' })
    expect(row).toMatchObject({ patientName: 'NEW', at: '2026-11-20T09:01:00.000Z' })
  })

  it('is the closest join before the newest', async () => {
    await using bench = await openBench({ items: [item(1)] })
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.partner.now({ items: [item(2, {}, { ScheduledProcedureStepID: 'S001' })] })
    await bench.find(TODAY)
    expect(await patientOf(bench, { studyInstanceUid: '2.25.10001', scheduledProcedureStepId: 'S001' })).toBe('P001')
    expect(await patientOf(bench, { scheduledProcedureStepId: 'S001' })).toBe('P002')
  })

  it('has the step and the requested procedure that were made up for it', async () => {
    await using bench = await openBench({ items: [item(1, { AccessionNumber: '' }, { ScheduledProcedureStepID: '' })] })
    await bench.find(TODAY)
    const row = await handedOut(bench, { studyInstanceUid: '2.25.10001' })
    const { scheduledProcedureStepId = '', requestedProcedureId = '' } = row ?? {}
    expect(scheduledProcedureStepId).toMatch(/^S[A-Z2-7]{15}$/)
    expect(await handedOut(bench, { scheduledProcedureStepId, requestedProcedureId })).toEqual(row)
  })

  it('has the name as the device was sent it', async () => {
    await using bench = await openBench({ items: [item(1, { PatientName: 'Łukasz^Żak' })] })
    bench.device = device({ characterSet: 'ISO_IR 100' })
    await bench.find(TODAY)
    expect((await handedOut(bench, { studyInstanceUid: '2.25.10001' }))?.patientName).toBe('Lukasz^Zak')
    bench.device = device({ characterSet: 'ISO_IR 101', updatedAt: '2026-11-20T09:00:01.000Z' })
    await bench.find(TODAY)
    expect((await handedOut(bench, { studyInstanceUid: '2.25.10001' }))?.patientName).toBe('Łukasz^Żak')
  })
})
