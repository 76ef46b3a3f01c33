import { describe, expect, it } from 'vitest'
import { readDataSet, tagOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { NamedReader } from '#server/dicom/data-set/named-reader.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { CFindRequest } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { query, queryOptions } from '#server/dicom/scp/query.ts'
import type { Access } from '#server/modules/audit/access-audit.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { Queries } from '#server/modules/query-retrieve/queries.ts'
import type { NewDevice } from '#shared/contract/devices.ts'
import { DEVICE } from '../../../../support/device.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const EXPLICIT = TRANSFER_SYNTAX.explicitLittleEndian

interface Heard {
  readonly responses: NamedReader[]
  /** Keywords of the last response. */
  readonly tags: readonly number[]
  readonly final: DimseResult
  readonly hasUnsupportedKeys: boolean
  readonly accesses: readonly Access[]
}

/** A gateway with a workstation that may query, and two studies. */
function clinic(device: Partial<NewDevice> = {}) {
  const temp = tempStore()
  const { store } = temp
  addDevice(store, { ...DEVICE, retrieval: 'query', ...device, aeTitle: 'WS1' }, 'gateway')
  seedImages(store, { uid: '1.1', instances: 2, header: { patientName: 'García^LUIS' } })
  seedImages(store, {
    uid: '1.2',
    header: { patientId: 'Q-1', patientName: 'Tanaka^TARO=山田^太郎' },
  })
  const accesses: Access[] = []
  const queries = new Queries(store, {
    note: (access) => accesses.push(access),
    async [Symbol.asyncDispose]() {},
  })
  async function find(
    values: NamedValues | undefined,
    more: Partial<CFindRequest> = {},
  ): Promise<Heard> {
    const transferSyntax = more.transferSyntax ?? EXPLICIT
    const answers = queries.find({
      association: {
        ...{ associationId: 'a1', callingAeTitle: 'WS1', calledAeTitle: 'ISTHMUS' },
        remoteAddress: '127.0.0.1',
      },
      ...{ messageId: 1, sopClassUid: SOP_CLASS.studyRootFind, transferSyntax },
      identifier: values && writeDataSet(namedDataSet(values), transferSyntax),
      signal: new AbortController().signal,
      ...more,
    })
    const responses: NamedReader[] = []
    let tags: number[] = []
    let hasUnsupportedKeys = false
    for (;;) {
      const next = await answers.next()
      if (next.done) return { responses, tags, final: next.value, hasUnsupportedKeys, accesses }
      hasUnsupportedKeys = next.value.hasUnsupportedKeys ?? false
      let start = 0
      for (const end of next.value.ends) {
        const dataSet = readDataSet(next.value.bytes.subarray(start, end), transferSyntax)
        tags = dataSet.map(({ tag }) => tag)
        responses.push(new NamedReader(dataSet))
        start = end
      }
    }
  }
  return { find, store, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

const STUDY = { QueryRetrieveLevel: 'STUDY', StudyInstanceUID: '' }
const RELATIONAL = Buffer.of(1)

describe('a query of a workstation', () => {
  it('is answered with its keys, the level, the unique key and the AE title to retrieve from', async () => {
    using gateway = clinic()
    const heard = await gateway.find({ ...STUDY, PatientID: 'Q-1', Rows: '', StudyDate: '' })
    expect(heard.final).toEqual({ status: 0x0000 })
    expect(heard.tags).toEqual(
      [
        ...['SpecificCharacterSet', 'StudyDate', 'QueryRetrieveLevel', 'RetrieveAETitle'],
        ...['PatientID', 'StudyInstanceUID', 'Rows'],
      ]
        .filter((keyword) => keyword !== 'SpecificCharacterSet')
        .map(tagOf),
    )
    const [response] = heard.responses
    expect(response?.text('StudyInstanceUID')).toBe('1.2')
    expect(response?.text('RetrieveAETitle')).toBe('ISTHMUS')
    expect(response?.text('QueryRetrieveLevel')).toBe('STUDY')
  })

  it.each(Object.values(TRANSFER_SYNTAX).slice(0, 4))(
    'is answered in %s',
    async (transferSyntax) => {
      using gateway = clinic()
      const heard = await gateway.find({ ...STUDY, PatientName: 'garcia*' }, { transferSyntax })
      expect(heard.responses.map((one) => one.text('PatientName'))).toEqual(['García^LUIS'])
    },
  )

  it('is warned of keys that are not supported', async () => {
    using gateway = clinic()
    expect((await gateway.find({ ...STUDY, PatientName: '' })).hasUnsupportedKeys).toBe(false)
    const heard = await gateway.find({ ...STUDY, OperatorsName: '', ProcedureCodeSequence: [] })
    expect(heard.hasUnsupportedKeys).toBe(true)
    expect(heard.responses).toHaveLength(2)
    expect(heard.tags).toContain(tagOf('ProcedureCodeSequence'))
  })

  it.each([
    [{}, ['ISO_IR 192', 'ISO_IR 100']],
    [{ SpecificCharacterSet: 'ISO_IR 192' }, ['ISO_IR 192', 'ISO_IR 192']],
    [{ SpecificCharacterSet: '\\ISO 2022 IR 87' }, ['\\ISO 2022 IR 87', 'ISO_IR 192']],
  ])('is answered without substitute characters where it declares %j', async (declared, sets) => {
    using gateway = clinic()
    const { responses } = await gateway.find({ ...STUDY, ...declared, PatientName: '' })
    expect(responses.map((one) => one.text('PatientName'))).toEqual([
      'Tanaka^TARO=山田^太郎',
      'García^LUIS',
    ])
    expect(responses.map((one) => one.text('SpecificCharacterSet'))).toEqual(sets)
  })

  it('is recorded without the values that it names', async () => {
    using gateway = clinic()
    const { accesses } = await gateway.find({ ...STUDY, PatientID: 'Q-1' })
    expect(accesses).toMatchObject([
      { action: 'read.query', target: 'C-FIND', detail: { level: 'STUDY', keys: 'PatientID' } },
    ])
    expect(accesses[0]?.actor).toMatch(/^device:/)
  })

  it('ends with Cancel', async () => {
    using gateway = clinic()
    const controller = new AbortController()
    controller.abort('cancel')
    expect((await gateway.find(STUDY, { signal: controller.signal })).final.status).toBe(0xfe00)
  })
})

describe('the levels', () => {
  const SERIES = { QueryRetrieveLevel: 'SERIES', SeriesInstanceUID: '' }

  it.each<[string, NamedValues, string, string]>([
    ['no level', { StudyInstanceUID: '' }, 'studyRootFind', 'QueryRetrieveLevel'],
    ['PATIENT', { QueryRetrieveLevel: 'PATIENT' }, 'studyRootFind', 'QueryRetrieveLevel'],
    ['series of no study', SERIES, 'studyRootFind', 'StudyInstanceUID'],
    [
      'series of two studies',
      { ...SERIES, StudyInstanceUID: '1.1\\1.2' },
      'studyRootFind',
      'StudyInstanceUID',
    ],
    ['studies of no patient', STUDY, 'patientRootFind', 'PatientID'],
    ['studies of patients', { ...STUDY, PatientID: 'P*' }, 'patientRootFind', 'PatientID'],
  ])('refuse %s', async (_, keys, root, offending) => {
    using gateway = clinic()
    const sopClassUid = SOP_CLASS[root as 'studyRootFind' | 'patientRootFind']
    await expect(gateway.find(keys, { sopClassUid })).rejects.toMatchObject({
      result: { status: 0xa900, offendingElements: [tagOf(offending)] },
    })
  })

  it('may be queried without the keys above if relational queries were negotiated', async () => {
    using gateway = clinic()
    const heard = await gateway.find(
      { ...SERIES, StudyInstanceUID: '', PatientID: 'Q-1' },
      { options: RELATIONAL },
    )
    expect(heard.responses.map((one) => one.text('SeriesInstanceUID'))).toEqual(['1.2.1'])
    expect(heard.responses.map((one) => one.text('StudyInstanceUID'))).toEqual(['1.2'])
  })

  it('of Patient Root begin with the patient', async () => {
    using gateway = clinic()
    const sopClassUid = SOP_CLASS.patientRootFind
    const patients = await gateway.find(
      { QueryRetrieveLevel: 'PATIENT', PatientName: '', NumberOfPatientRelatedInstances: '' },
      { sopClassUid },
    )
    expect(
      patients.responses.map((one) => [
        one.text('PatientID'),
        one.text('NumberOfPatientRelatedInstances'),
      ]),
    ).toEqual([
      ['Q-1', '1'],
      ['P-4711', '2'],
    ])
    const images = { QueryRetrieveLevel: 'IMAGE', PatientID: 'P-4711', StudyInstanceUID: '1.1' }
    const { responses } = await gateway.find(
      { ...images, SeriesInstanceUID: '1.1.1', InstanceNumber: '2' },
      { sopClassUid },
    )
    expect(responses.map((one) => one.text('SOPInstanceUID'))).toEqual(['1.1.1.2'])
  })
})

describe('a query that is refused', () => {
  it('is one of a device without the right to it', async () => {
    using gateway = clinic({ retrieval: 'none' })
    await expect(gateway.find(STUDY)).rejects.toMatchObject({ result: { status: 0x0124 } })
  })

  it('is one without an identifier', async () => {
    using gateway = clinic()
    await expect(gateway.find(undefined)).rejects.toMatchObject({ result: { status: 0xa900 } })
  })
})

describe('the options of C-FIND', () => {
  const service = query({
    async *find() {
      yield* []
      return { status: 0 }
    },
  })

  it('are answered with those that are supported', () => {
    expect(service.negotiateOptions?.(Buffer.of(1, 1, 1, 1, 1))).toEqual(Buffer.of(1, 1, 0, 0, 0))
    expect(service.negotiateOptions?.(Buffer.of(1))).toEqual(Buffer.of(1))
  })

  it('are none unless they were negotiated', () => {
    expect(queryOptions(undefined)).toEqual({ isRelational: false, combinesDateTime: false })
    expect(queryOptions(Buffer.of(0, 1))).toEqual({ isRelational: false, combinesDateTime: true })
  })
})
