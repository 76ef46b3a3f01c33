import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { type MoveProgress, type MoveResult, moveStudy } from '#server/dicom/scu/move.ts'
import type { PriorKeys } from '#server/dicom/scu/query.ts'
import { echo, findStudies, testConnection } from '#server/dicom/scu/query.ts'
import { sendInstances } from '#server/dicom/scu/store.ts'
import { type Acceptor, startAcceptor } from '../support/acceptor.ts'
import { type Archive, startDcmqrscp, startStorescp } from '../support/archive.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { freePort } from '../support/free-port.ts'
import { writeInstance } from '../support/instance-file.ts'
import { isThere, needs } from '../support/needs.ts'

const NOTHING: PriorKeys = {
  patientId: '',
  patientName: '',
  accessionNumber: '',
  startDate: null,
  endDate: null,
}
const scratch = scratchFolder()
let receiver: Archive
let archive: Archive
let failing: Acceptor

// An archive with two studies of one patient, one of another, and somebody to send them to.
beforeAll(async () => {
  if (!isThere('dcmtk')) return
  receiver = await startStorescp()
  archive = await startDcmqrscp([{ aeTitle: 'ISTHMUS', port: receiver.port }])
  const more = { ReferringPhysicianName: '' }
  const instances = [
    ...[1, 2, 3].map((n) => ({
      sopInstanceUid: `2.25.300.1.${n}`,
      studyInstanceUid: '2.25.300',
      seriesInstanceUid: '2.25.300.1',
      more,
    })),
    {
      sopInstanceUid: '2.25.301.1.1',
      studyInstanceUid: '2.25.301',
      seriesInstanceUid: '2.25.301.1',
      more: { StudyDate: '20200101' },
    },
    {
      sopInstanceUid: '2.25.302.1.1',
      studyInstanceUid: '2.25.302',
      seriesInstanceUid: '2.25.302.1',
      patientName: 'Nobody^Else',
      more: { PatientID: 'P-1' },
    },
  ].map((made) => writeInstance(scratch.path, made))
  for await (const result of sendInstances(callerOf(archive), instances)) {
    if (result.outcome !== 'sent') throw new Error(result.outcome)
  }
  failing = await startAcceptor({ message: (message, peer) => peer.respond(message, 0xc001) })
})
afterAll(async () => {
  for (const server of [archive, receiver, failing]) await server?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const callerOf = ({ port }: { readonly port: number }, aeTitle = 'QRSCP') => ({
  peer: { host: '127.0.0.1', port, aeTitle },
  callingAeTitle: 'ISTHMUS',
})

describe('studies of an archive', () => {
  it('are those of the patient, with accents as they are', async (context) => {
    needs(context, 'dcmtk')
    const studies = await findStudies(callerOf(archive), {
      ...NOTHING,
      patientId: 'P-0815',
    })
    expect(
      studies.toSorted((a, b) => a.studyInstanceUid.localeCompare(b.studyInstanceUid)),
    ).toMatchObject([
      {
        studyInstanceUid: '2.25.300',
        patientName: 'Müller^Jörg',
        patientId: 'P-0815',
        studyDate: '20260310',
        studyTime: '101500',
        studyDescription: 'CT Schädel',
        accessionNumber: 'A-4711',
      },
      { studyInstanceUid: '2.25.301', patientName: 'Müller^Jörg', studyDate: '20200101' },
    ])
  })

  it('are narrowed by day and by the beginning of a name', async (context) => {
    needs(context, 'dcmtk')
    const uids = async (keys: Partial<PriorKeys>) =>
      (await findStudies(callerOf(archive), { ...NOTHING, ...keys }))
        .map(({ studyInstanceUid }) => studyInstanceUid)
        .sort()
    expect(await uids({ patientId: 'P-0815', startDate: '2026-01-01' })).toEqual(['2.25.300'])
    expect(await uids({ patientId: 'P-0815', endDate: '2021-12-31' })).toEqual(['2.25.301'])
    expect(await uids({ patientName: 'Nobody' })).toEqual(['2.25.302'])
    expect(await uids({ patientId: 'P-9' })).toEqual([])
  })

  it('are no empty list where the other side could not answer', async (context) => {
    needs(context, 'dcmtk')
    await expect(findStudies(callerOf(failing), NOTHING)).rejects.toThrow(
      'QRSCP could not respond: status C001',
    )
    expect(failing.messages.at(-1)?.command.affectedSopClassUid).toBe(SOP_CLASS.studyRootFind)
    const port = await freePort()
    await expect(findStudies(callerOf({ port }), NOTHING)).rejects.toThrow(
      `nothing is listening at 127.0.0.1:${port}`,
    )
    await expect(findStudies(callerOf(archive, 'NOBODY'), NOTHING)).rejects.toThrow(
      /does not have the AE title NOBODY/,
    )
  })
})

describe('C-ECHO', () => {
  it('says that the connection works, or what is wrong', async (context) => {
    needs(context, 'dcmtk')
    expect(await testConnection(callerOf(archive))).toEqual({
      success: true,
      message: 'QRSCP responds: the connection works',
      tookMs: expect.any(Number),
    })
    const port = await freePort()
    expect(await testConnection(callerOf({ port }))).toMatchObject({
      success: false,
      message: `nothing is listening at 127.0.0.1:${port} (check that the system is switched on and that the port is correct)`,
    })
    expect(await testConnection(callerOf(archive, 'NOBODY'))).toMatchObject({
      success: false,
      message: expect.stringContaining('does not have the AE title NOBODY'),
    })
  })

  it('is a failure where the other side answers another status than Success', async (context) => {
    needs(context, 'dcmtk')
    await echo(callerOf(archive))
    await expect(echo(callerOf(failing))).rejects.toThrow('status C001')
  })

  it('takes a silent side for what it is', async (context) => {
    needs(context, 'dcmtk')
    await using silent = await startAcceptor({ associate: () => 'silence' })
    const results = await Promise.all([
      testConnection({ ...callerOf(silent), limits: { associateSeconds: 1 } }),
      testConnection(callerOf(archive)),
    ])
    expect(results.map(({ success }) => success)).toEqual([false, true])
  })
})

async function move(
  studyInstanceUid: string,
  destinationAeTitle = 'ISTHMUS',
): Promise<{ progress: MoveProgress[]; result: MoveResult }> {
  const moving = moveStudy(callerOf(archive), studyInstanceUid, destinationAeTitle)
  const progress: MoveProgress[] = []
  for (;;) {
    const { done, value } = await moving.next()
    if (done) return { progress, result: value }
    progress.push(value)
  }
}

describe('a study that is sent here', () => {
  it('comes image by image, with counts', async (context) => {
    needs(context, 'dcmtk')
    const before = receiver.files().length
    const { progress, result } = await move('2.25.300')
    expect(result).toEqual({
      remaining: 0,
      completed: 3,
      failed: 0,
      warning: 0,
      isComplete: true,
      status: 0x0000,
      detail: '3 images were received',
    })
    expect(progress.map(({ completed }) => completed)).toContain(2)
    expect(receiver.files().length - before).toBe(3)
  })

  it('is refused in words where the archive does not know us', async (context) => {
    needs(context, 'dcmtk')
    const { result } = await move('2.25.300', 'STRANGER')
    expect(result).toMatchObject({ isComplete: false, status: 0xa801 })
    expect(result.detail).toEqual(
      'QRSCP does not know STRANGER as a destination: add it there, with the host and port of this gateway',
    )
  })

  it('may be one that the archive does not have', async (context) => {
    needs(context, 'dcmtk')
    expect((await move('2.25.999')).result).toMatchObject({
      completed: 0,
      detail: 'QRSCP has no images for this study',
    })
  })
})
