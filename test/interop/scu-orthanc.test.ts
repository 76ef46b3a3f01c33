import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { moveStudy } from '#server/dicom/scu/move.ts'
import type { PriorKeys } from '#server/dicom/scu/query.ts'
import { findStudies, testConnection } from '#server/dicom/scu/query.ts'
import { sendInstances } from '#server/dicom/scu/store.ts'
import { type Archive, startStorescp } from '../support/archive.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { writeInstance } from '../support/instance-file.ts'
import { isThere, needs } from '../support/needs.ts'
import { type Orthanc, startOrthanc } from '../support/orthanc.ts'

const scratch = scratchFolder()
let receiver: Archive | undefined
let orthanc: Orthanc | undefined

// It answers in UTF-8 whatever the images are in.
beforeAll(async () => {
  if (!isThere('orthanc') || !isThere('dcmtk')) return
  receiver = await startStorescp()
  orthanc = await startOrthanc(receiver.port, { DicomAlwaysAllowFind: true })
})
afterAll(async () => {
  await orthanc?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const caller = () => ({
  peer: { host: '127.0.0.1', port: orthanc?.port ?? 0, aeTitle: 'ORTHANC' },
  callingAeTitle: 'ISTHMUS',
})
const KEYS: PriorKeys = {
  patientId: 'P-0815',
  patientName: 'Müller',
  accessionNumber: '',
  startDate: null,
  endDate: null,
}

describe('Orthanc', () => {
  it('takes images of two transfer syntaxes over one association', async (context) => {
    needs(context, 'orthanc', 'dcmtk')
    const instances = [TRANSFER_SYNTAX.explicitLittleEndian, TRANSFER_SYNTAX.explicitBigEndian].map(
      (transferSyntaxUid, at) =>
        writeInstance(scratch.path, {
          sopInstanceUid: `2.25.400.1.${at}`,
          studyInstanceUid: '2.25.400',
          transferSyntaxUid,
        }),
    )
    const outcomes: string[] = []
    for await (const { outcome } of sendInstances(caller(), instances)) outcomes.push(outcome)
    expect(outcomes).toEqual(['sent', 'sent'])
  })

  it('finds a study by a name with an accent, and gives it back as it is', async (context) => {
    needs(context, 'orthanc', 'dcmtk')
    const expected = {
      studyInstanceUid: '2.25.400',
      patientName: 'Müller^Jörg',
      studyDescription: 'CT Schädel',
      modalities: ['CT'],
      instances: 2,
    }
    expect(await findStudies(caller(), KEYS)).toEqual([expect.objectContaining(expected)])
  })

  it('answers C-ECHO', async (context) => {
    needs(context, 'orthanc', 'dcmtk')
    expect(await testConnection(caller())).toMatchObject({ success: true })
  })

  it('sends a study back', async (context) => {
    needs(context, 'orthanc', 'dcmtk')
    const moving = moveStudy(caller(), '2.25.400')
    let step = await moving.next()
    while (!step.done) step = await moving.next()
    expect(step.value).toMatchObject({ isComplete: true, completed: 2, failed: 0 })
    expect(receiver?.files()).toHaveLength(2)
  })
})
