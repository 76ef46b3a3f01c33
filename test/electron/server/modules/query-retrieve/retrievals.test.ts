import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta, readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type {
  FileToSend,
  RetrievalRequest,
  SendOnAssociation,
  SubOperationResult,
} from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { TranscodingError } from '#server/dicom/transcoding/native-process.ts'
import { TranscodedCopies } from '#server/dicom/transcoding/transcoded-copies.ts'
import type { Access } from '#server/modules/audit/access-audit.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import {
  findInstance,
  listStudyInstances,
  setInstanceState,
} from '#server/modules/images/instance-queries.ts'
import { removeLocalFiles } from '#server/modules/images/local-files.ts'
import { Retrievals } from '#server/modules/query-retrieve/retrievals.ts'
import type { NewDevice } from '#shared/contract/devices.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { DEVICE } from '../../../../support/device.ts'
import { freePort } from '../../../../support/free-port.ts'
import { returnFiles } from '../../../../support/returned-files.ts'
import { forwardingStage, openArchive, STUDY } from '../forwarding/forwarding-fixture.ts'

const { explicitLittleEndian: ELE, implicitLittleEndian: ILE } = TRANSFER_SYNTAX
const OTHER_STUDY = '2.25.200'
/** PS3.8 Table 9-21. */
const TOO_MANY_ASSOCIATIONS = { result: 2, source: 3, reason: 2, why: verbatim('busy') } as const

/** A stage with three instances of a study, one of another of the same patient, and a device. */
async function openStage(
  device: Partial<NewDevice> = {},
  transcode: (from: string, to: string, syntax: string) => Promise<void> = () =>
    Promise.reject(new TranscodingError(verbatim('not possible'))),
) {
  const stage = forwardingStage()
  const { store } = stage
  const accesses: Access[] = []
  const { deviceId } = addDevice(
    store,
    { ...DEVICE, aeTitle: 'WS1', retrieval: 'retrieve', ...device },
    'command-line',
  )
  for (const number of [1, 2, 3])
    await stage.keep(`2.25.${number}`, { seriesInstanceUid: `${STUDY}.${number === 3 ? 2 : 1}` })
  await stage.keep('2.25.4', { studyInstanceUid: OTHER_STUDY })
  const folder = join(store.folder, 'spool', 'retrieval')
  const outbound = new OutboundRequests(
    () => 'ISTHMUS',
    () => ({ key: '', cert: '' }),
  )
  const retrievals = new Retrievals(
    store,
    outbound,
    new TranscodedCopies(folder, transcode, store.uuid),
    { note: (access) => accesses.push(access), [Symbol.asyncDispose]: async () => {} },
  )
  return {
    ...{ stage, store, accesses, deviceId, folder, retrievals },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}
type Stage = Awaited<ReturnType<typeof openStage>>

const text = (tag: number, vr: string, value: string) => ({ tag, vr, value: Buffer.from(value) })
const LEVEL = 0x00080052
const SOP_INSTANCE_UID = 0x00080018
const PATIENT_ID = 0x00100020
const STUDY_UID = 0x0020000d
const SERIES_UID = 0x0020000e

const identifierOf = (
  level: string,
  ...keys: readonly (readonly [tag: number, value: string])[]
): DataSet =>
  [[LEVEL, level] as const, ...keys]
    .toSorted(([a], [b]) => a - b)
    .map(([tag, value]) =>
      text(tag, tag === LEVEL ? 'CS' : tag === PATIENT_ID ? 'LO' : 'UI', value),
    )
const OF_STUDY = identifierOf('STUDY', [STUDY_UID, STUDY])

const requestOf = (
  dataSet: DataSet,
  to: RetrievalRequest['to'],
  more: Partial<RetrievalRequest> = {},
): RetrievalRequest => ({
  association: {
    ...{ associationId: 'a1', callingAeTitle: 'WS1', calledAeTitle: 'ISTHMUS' },
    remoteAddress: '127.0.0.1',
  },
  messageId: 7,
  sopClassUid: SOP_CLASS.studyRootGet,
  transferSyntax: ELE,
  identifier: writeDataSet(dataSet, ELE),
  to,
  signal: new AbortController().signal,
  ...more,
})

/** A requestor of C-GET that accepts these transfer syntaxes, and what it received. */
function receiver(accepts: readonly string[] = [ELE, ILE]) {
  const received: FileToSend[] = []
  const send: SendOnAssociation = async function* (instances) {
    for (const instance of instances) {
      const { transferSyntaxUid: sentAs } = instance
      if (!accepts.includes(sentAs))
        yield { instance, outcome: 'needs-transcoding', acceptedSyntaxes: accepts }
      else {
        received.push(instance)
        yield { instance, outcome: 'sent', status: 0x0000, sentAs }
      }
    }
  }
  return { send, received, uids: () => received.map(({ sopInstanceUid }) => sopInstanceUid) }
}

async function resultsOf({ retrievals }: Stage, request: RetrievalRequest): Promise<string[]> {
  const retrieval = await retrievals.retrieve(request)
  const results: SubOperationResult[] = []
  for await (const result of retrieval.perform()) results.push(result)
  expect(results.length).toBeLessThanOrEqual(retrieval.instances)
  return results.map(({ sopInstanceUid, outcome, reason }) =>
    [sopInstanceUid, outcome, reason && englishText(reason)].filter(Boolean).join(' '),
  )
}

const refusalOf = (stage: Stage, request: RetrievalRequest) =>
  stage.retrievals.retrieve(request).then(
    () => 'accepted',
    (error: unknown) => (error instanceof DimseError ? error.result : error),
  )

/**
 * Adds images to the study until it has 60, and removes the files of the last `count`, which are
 * returned when they are asked for. One of another series is sent last and stays on this PC.
 */
async function keepRemovedImages({ stage, store }: Stage, count = 30) {
  for (let number = 5; number < 62; number++) await stage.keep(`2.25.${number}`)
  const stored = listStudyInstances(store.database, STUDY)
  const returned = returnFiles(store, stored)
  await removeLocalFiles(store, stored.slice(stored.length - count), (all) => all)
  return {
    uids: stored.map(({ sopInstanceUid }) => sopInstanceUid),
    fetched: () => returned.length,
  }
}

describe('the instances of a retrieval', () => {
  it('stay on this PC until all of a batch were sent', async () => {
    await using stage = await openStage()
    const { inUse } = stage.store.imageFiles
    const sizes: number[] = []
    const { send } = receiver()
    const watched: SendOnAssociation = async function* (instances) {
      for await (const result of send(instances)) {
        sizes.push(inUse.size)
        yield result
      }
    }
    await resultsOf(stage, requestOf(OF_STUDY, { send: watched }))
    expect([sizes, inUse.size]).toEqual([[3, 3, 3], 0])
  })

  it('are sent in small batches where they have to be fetched', async () => {
    await using stage = await openStage()
    const study = await keepRemovedImages(stage)
    const batches: string[] = []
    const { send, uids } = receiver()
    const watched: SendOnAssociation = async function* (instances) {
      batches.push(`${instances.length} with ${study.fetched()} fetched`)
      yield* send(instances)
    }
    const results = await resultsOf(stage, requestOf(OF_STUDY, { send: watched }))
    expect(batches).toEqual(['29 with 8 fetched', '25 with 30 fetched', '6 with 30 fetched'])
    expect(results.every((result) => result.endsWith(' completed'))).toBe(true)
    expect(new Set(uids())).toEqual(new Set(study.uids))
  })

  it('are fetched in small batches also where they were removed after the selection', async () => {
    await using stage = await openStage()
    const lengths: number[] = []
    const { send, uids } = receiver()
    const watched: SendOnAssociation = async function* (instances) {
      lengths.push(instances.length)
      yield* send(instances)
    }
    const { store } = stage
    const study = await keepRemovedImages(stage, 0)
    const retrieval = await stage.retrievals.retrieve(requestOf(OF_STUDY, { send: watched }))
    await removeLocalFiles(store, listStudyInstances(store.database, STUDY), (all) => all)
    for await (const { outcome } of retrieval.perform()) expect(outcome).toBe('completed')
    expect(lengths).toEqual([25, 25, 10])
    expect(new Set(uids())).toEqual(new Set(study.uids))
  })

  it.each([
    ['study', OF_STUDY, ['1', '2', '3']],
    ['studies', identifierOf('STUDY', [STUDY_UID, `${STUDY}\\${OTHER_STUDY}`]), '1234'.split('')],
    ['series', identifierOf('SERIES', [STUDY_UID, STUDY], [SERIES_UID, `${STUDY}.2`]), ['3']],
    ['images', identifierOf('IMAGE', [SOP_INSTANCE_UID, '2.25.4\\2.25.1']), ['1', '4']],
    [
      'images of a series',
      identifierOf(
        'IMAGE',
        ...([
          [STUDY_UID, STUDY],
          [SERIES_UID, `${STUDY}.1`],
          [SOP_INSTANCE_UID, '2.25.1\\2.25.3'],
        ] as const),
      ),
      ['1'],
    ],
    ['unknown study', identifierOf('STUDY', [STUDY_UID, '2.25.999']), []],
  ])('are selected by the UIDs: %s', async (_, identifier, expected) => {
    await using stage = await openStage()
    const { send, uids } = receiver()
    await resultsOf(stage, requestOf(identifier, { send }))
    expect(uids()).toEqual(expected.map((number) => `2.25.${number}`))
  })

  it('are those of a patient in the Patient Root model', async () => {
    await using stage = await openStage()
    const { send, uids } = receiver()
    const patientRoot = { sopClassUid: SOP_CLASS.patientRootGet }
    const ofPatient = identifierOf('PATIENT', [PATIENT_ID, 'P1'])
    await resultsOf(stage, requestOf(ofPatient, { send }, patientRoot))
    expect(uids()).toEqual(['2.25.1', '2.25.2', '2.25.3', '2.25.4'])
    const ofOther = identifierOf('STUDY', [PATIENT_ID, 'P2'], [STUDY_UID, STUDY])
    expect(await resultsOf(stage, requestOf(ofOther, { send }, patientRoot))).toEqual([])
  })

  it.each([
    ['no identifier', undefined, 'Identifier missing', undefined],
    [
      'the level PATIENT in the Study Root model',
      identifierOf('PATIENT', [PATIENT_ID, 'P1']),
      'Query/Retrieve Level missing or not of this model',
      [LEVEL],
    ],
    ['no unique key', identifierOf('STUDY'), 'Unique key of the level missing', [STUDY_UID]],
    [
      'a series without its study',
      identifierOf('SERIES', [SERIES_UID, `${STUDY}.1`]),
      'Unique key of the level missing',
      [STUDY_UID],
    ],
  ])('are not selected by %s', async (_, identifier, errorComment, offendingElements) => {
    await using stage = await openStage()
    const request = requestOf(identifier ?? [], { send: receiver().send })
    const result = await refusalOf(
      stage,
      identifier ? request : { ...request, identifier: undefined },
    )
    expect(result).toEqual({
      ...{ status: 0xa900, errorComment },
      ...(offendingElements && { offendingElements }),
    })
  })

  it.each(['*', 'P?', 'P1\\P2'])('are never those of several patients: %s', async (patientId) => {
    await using stage = await openStage()
    const identifier = identifierOf('PATIENT', [PATIENT_ID, patientId])
    const request = requestOf(identifier, { send: receiver().send })
    const result = await refusalOf(stage, { ...request, sopClassUid: SOP_CLASS.patientRootGet })
    expect(result).toMatchObject({ status: 0xa900, offendingElements: [PATIENT_ID] })
  })

  it('are neither quarantined nor replaced, also if that happens meanwhile', async () => {
    await using stage = await openStage()
    const { database } = stage.store
    setInstanceState(database, 1, 'quarantined', 'wrong-step')
    expect(findInstance(database, 1)?.sopInstanceUid).toBe('2.25.1')
    const { send, uids } = receiver()
    const retrieval = await stage.retrievals.retrieve(requestOf(OF_STUDY, { send }))
    expect(retrieval.instances).toBe(2)
    setInstanceState(database, 2, 'superseded')
    const outcomes: string[] = []
    for await (const { outcome } of retrieval.perform()) outcomes.push(outcome)
    expect(outcomes).toEqual(['failed', 'completed'])
    expect(uids()).toEqual(['2.25.3'])
  })
})

describe('a retrieval', () => {
  it.each([{ retrieval: 'query' }, { retrieval: 'none' }, { isEnabled: false }] as const)(
    'is refused to a device with %j',
    async (device) => {
      await using stage = await openStage(device)
      const result = await refusalOf(stage, requestOf(OF_STUDY, { send: receiver().send }))
      expect(result).toMatchObject({ status: 0x0124 })
      expect(stage.accesses).toEqual([])
    },
  )

  it('is audited once for each study, with the destination', async () => {
    await using stage = await openStage()
    await using archive = await openArchive()
    stage.stage.add(archive.port)
    const images = identifierOf('IMAGE', [SOP_INSTANCE_UID, '2.25.1\\2.25.2\\2.25.4'])
    await stage.retrievals.retrieve(requestOf(images, { send: receiver().send }))
    await stage.retrievals.retrieve(requestOf(OF_STUDY, { moveDestination: 'PACS' }))
    const read = { actor: `device:${stage.deviceId}`, action: 'read.images' }
    expect(stage.accesses).toEqual([
      { ...read, target: STUDY, detail: { service: 'C-GET' } },
      { ...read, target: OTHER_STUDY, detail: { service: 'C-GET' } },
      { ...read, target: STUDY, detail: { service: 'C-MOVE', destination: 'PACS' } },
    ])
  })

  it('transcodes what the requestor does not accept as it is, and deletes the copies', async () => {
    await using stage = await openStage({}, async (from, to, transferSyntaxUid) => {
      const meta = fileMeta({ ...(await readFileMeta(from)), transferSyntaxUid })
      writeFileSync(to, Buffer.concat([meta, Buffer.from('transcoded')]))
    })
    const { send, received } = receiver([ILE])
    const seen: string[] = []
    const reading: SendOnAssociation = async function* (instances) {
      for await (const result of send(instances)) {
        const { path, dataSetOffset, bytes } = result.instance
        if (result.outcome === 'sent')
          seen.push(readFileSync(path).subarray(dataSetOffset, bytes).toString())
        yield result
      }
    }
    expect(await resultsOf(stage, requestOf(OF_STUDY, { send: reading }))).toEqual(
      [1, 2, 3].map((number) => `2.25.${number} completed`),
    )
    expect(received.map(({ transferSyntaxUid }) => transferSyntaxUid)).toEqual([ILE, ILE, ILE])
    expect(seen).toEqual(['transcoded', 'transcoded', 'transcoded'])
    expect(readdirSync(stage.folder)).toEqual([])
  })

  it('goes on after an instance that cannot be transcoded', async () => {
    await using stage = await openStage()
    const { send } = receiver([ILE])
    expect(await resultsOf(stage, requestOf(OF_STUDY, { send }))).toEqual(
      [1, 2, 3].map((number) => `2.25.${number} failed not possible`),
    )
  })
})

describe('C-MOVE', () => {
  it('sends to the destination of that name, on behalf of the caller', async () => {
    await using stage = await openStage()
    await using archive = await openArchive()
    stage.stage.add(archive.port)
    const results = await resultsOf(stage, requestOf(OF_STUDY, { moveDestination: 'pacs' }))
    expect(results).toEqual([1, 2, 3].map((number) => `2.25.${number} completed`))
    expect(archive.received).toEqual(['2.25.1', '2.25.2', '2.25.3'])
    expect(archive.requests[0]).toMatchObject({ moveOriginatorAeTitle: 'WS1' })
    expect(archive.associations).toBe(1)
  })

  it('sends to a device that has a port, the caller first', async () => {
    await using archive = await openArchive()
    await using stage = await openStage({ port: archive.port, address: '127.0.0.1' })
    stage.stage.add(await freePort(), { aeTitle: 'WS1' })
    const results = await resultsOf(stage, requestOf(OF_STUDY, { moveDestination: 'WS1' }))
    expect(results).toHaveLength(3)
    expect(archive.received).toHaveLength(3)
  })

  it('refuses an unknown or disabled destination', async () => {
    await using stage = await openStage()
    stage.stage.add(await freePort(), { isEnabled: false })
    for (const moveDestination of ['PACS', 'NOBODY', 'WS1', ''])
      expect(await refusalOf(stage, requestOf(OF_STUDY, { moveDestination }))).toMatchObject({
        status: 0xa801,
      })
  })

  it('reports what the destination refuses, and that it cannot be reached', async () => {
    await using stage = await openStage()
    await using archive = await openArchive({
      answer: ({ sopInstanceUid }) => ({ status: sopInstanceUid === '2.25.2' ? 0xa700 : 0xb000 }),
    })
    stage.stage.add(archive.port)
    stage.stage.add(await freePort(), { aeTitle: 'GONE', name: 'GONE' })
    expect(await resultsOf(stage, requestOf(OF_STUDY, { moveDestination: 'PACS' }))).toEqual([
      '2.25.1 warning',
      '2.25.2 failed The receiver refused an image',
      '2.25.3 warning',
    ])
    const [result] = await resultsOf(stage, requestOf(OF_STUDY, { moveDestination: 'GONE' }))
    expect(result).toMatch(/^2\.25\.1 failed .*127\.0\.0\.1/)
  })

  it('reports every image once where the destination is gone, and fetches only the next ones', async () => {
    await using stage = await openStage()
    const study = await keepRemovedImages(stage)
    stage.stage.add(await freePort())
    const results = await resultsOf(stage, requestOf(OF_STUDY, { moveDestination: 'PACS' }))
    expect(results.every((result) => result.includes(' failed '))).toBe(true)
    expect(new Set(results.map((result) => result.split(' ')[0]))).toEqual(new Set(study.uids))
    expect([results.length, study.fetched()]).toEqual([60, 8])
  })

  it('tries again where the destination refuses a later association', async () => {
    await using stage = await openStage()
    const study = await keepRemovedImages(stage)
    let calls = 0
    await using archive = await openArchive({
      policy: {
        decide: () => (++calls === 2 ? { reject: TOO_MANY_ASSOCIATIONS } : { accept: true }),
      },
    })
    stage.stage.add(archive.port)
    const results = await resultsOf(stage, requestOf(OF_STUDY, { moveDestination: 'PACS' }))
    expect(results.every((result) => result.endsWith(' completed'))).toBe(true)
    expect(new Set(archive.received)).toEqual(new Set(study.uids))
    expect([results.length, calls]).toEqual([60, 4])
  })

  it('ends the association with the destination when that of the caller ends', async () => {
    await using stage = await openStage()
    const started = Promise.withResolvers<void>()
    await using archive = await openArchive({
      answer: () => {
        started.resolve()
        return new Promise(() => {})
      },
    })
    stage.stage.add(archive.port)
    const caller = new AbortController()
    const request = requestOf(OF_STUDY, { moveDestination: 'PACS' }, { signal: caller.signal })
    const results = resultsOf(stage, request)
    await started.promise
    caller.abort('association')
    expect((await results)[0]).toMatch(/^2\.25\.1 failed/)
  })
})
