import { afterEach, describe, expect, it, vi } from 'vitest'
import { listSentAnswers } from '#server/modules/worklist/inspection-queries.ts'
import { readDocument } from '#server/modules/worklist/queries.ts'
import {
  type CorrelationQuery,
  findSentRow,
  stepsLastSent,
} from '#server/modules/worklist/worklist-correlation.ts'
import { ask, type Bench, device, item, type Keys, openBench } from './worklist-fixture.ts'

const TODAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })
const NOTHING: CorrelationQuery = {
  callingAeTitle: 'CT1',
  studyInstanceUid: '',
  scheduledProcedureStepId: '',
  requestedProcedureId: '',
  accessionNumber: '',
  patientId: '',
}
const sentRow = (bench: Bench, query: Partial<CorrelationQuery>) =>
  findSentRow(bench.store, { ...NOTHING, ...query })
const patientOf = async (bench: Bench, query: Partial<CorrelationQuery>) =>
  (await sentRow(bench, query))?.patientId

vi.mock('#server/modules/worklist/inspection-queries.ts', { spy: true })
vi.mock('#server/modules/worklist/queries.ts', { spy: true })

const realDocuments = () =>
  vi.importActual<typeof import('#server/modules/worklist/queries.ts')>(
    '#server/modules/worklist/queries.ts',
  )
afterEach(() => vi.mocked(listSentAnswers).mockReset())

describe('the row that images belong to', () => {
  it('is found with all it said and when it was sent', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    await bench.find(TODAY)
    expect(
      await sentRow(bench, { studyInstanceUid: '2.25.10002', scheduledProcedureStepId: 'S002' }),
    ).toEqual({
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
    [
      'its UID, whatever the console made of the step',
      { studyInstanceUid: '2.25.10001', scheduledProcedureStepId: 'MADE' },
    ],
    [
      'step and requested procedure',
      { studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S001', requestedProcedureId: 'A001' },
    ],
    ['the step alone', { studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S001' }],
    [
      'the requested procedure',
      { studyInstanceUid: '1.2.3', scheduledProcedureStepId: '1', requestedProcedureId: 'A001' },
    ],
    [
      'order and patient',
      { studyInstanceUid: '1.2.3', accessionNumber: 'A001', patientId: 'P001' },
    ],
    [
      'the UID, with another patient: that is for the mismatch to say',
      { studyInstanceUid: '2.25.10001', patientId: 'P999' },
    ],
    [
      'the UID, with another order and patient',
      { studyInstanceUid: '2.25.10001', accessionNumber: 'A999', patientId: 'P999' },
    ],
    [
      'the step, where the order is another alone',
      { scheduledProcedureStepId: 'S001', accessionNumber: 'A999', patientId: 'P001' },
    ],
    [
      'the step, where the patient is another alone',
      { scheduledProcedureStepId: 'S001', accessionNumber: 'A001', patientId: 'P999' },
    ],
    [
      'the step, where the order is not known',
      { scheduledProcedureStepId: 'S001', patientId: 'P999' },
    ],
    [
      'values with padding',
      { studyInstanceUid: '1.2.3', accessionNumber: 'A001 ', patientId: ' P001' },
    ],
  ])('is found by %s', async (_, query) => {
    await using bench = await openBench({ items: [item(2), item(1)] })
    await bench.find(TODAY)
    expect(await patientOf(bench, query)).toBe('P001')
  })

  it.each([
    ['nothing is known', {}],
    ['the order is another patient’s', { accessionNumber: 'A001', patientId: 'P002' }],
    ['the patient is all that is known', { patientId: 'P001' }],
    [
      'the step is of another requested procedure',
      { scheduledProcedureStepId: 'S001', requestedProcedureId: 'A999' },
    ],
    [
      'order and patient are others',
      { scheduledProcedureStepId: 'S001', accessionNumber: 'A999', patientId: 'P999' },
    ],
    [
      'step and requested procedure recur with another order and patient',
      {
        scheduledProcedureStepId: 'S001',
        requestedProcedureId: 'A001',
        accessionNumber: 'A999',
        patientId: 'P999',
      },
    ],
    ['another device asked', { callingAeTitle: 'MR1', studyInstanceUid: '2.25.10001' }],
  ])('is not found where %s', async (_, query) => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    await bench.find(TODAY)
    expect(await sentRow(bench, query)).toBeUndefined()
  })

  it.each([
    ['that JSON writes in several ways', 'A"1/2', 'A"1/2'],
    ['of letters that are composed otherwise', '\u00c4001', 'A\u0308001'],
  ])('is found by an id %s', async (_, written, requestedProcedureId) => {
    await using bench = await openBench({ items: [item(2), item(1, { AccessionNumber: written })] })
    await bench.find(TODAY)
    expect(await patientOf(bench, { requestedProcedureId })).toBe('P001')
  })

  it('was sent: rows that were filtered, withheld, or shown in the window only do not count', async () => {
    await using bench = await openBench({ items: [item(1), item(2, { PatientName: '' }), item(3)] })
    const patient = {
      deviceId: device().deviceId,
      patientName: '',
      accessionNumber: '',
      modality: '',
      stationAeTitle: '',
    }
    await bench.worklist.ask(
      { ...patient, patientId: '', startDate: null, endDate: null },
      device(),
      { userId: 'u', firstName: 'Anna', lastName: 'Berg' },
    )
    await bench.find(ask({ PatientID: 'P003' }))
    expect(await sentRow(bench, { studyInstanceUid: '2.25.10001' })).toBeUndefined()
    expect(await sentRow(bench, { studyInstanceUid: '2.25.10002' })).toBeUndefined()
    expect(await patientOf(bench, { studyInstanceUid: '2.25.10003' })).toBe('P003')
  })

  it('is one of a study: an id that two studies share is no proof', async () => {
    const step = { ScheduledProcedureStepID: '1' }
    await using bench = await openBench({ items: [item(1, {}, step), item(2, {}, step)] })
    await bench.find(TODAY)
    expect(await sentRow(bench, { scheduledProcedureStepId: '1' })).toBeUndefined()
    expect(
      await patientOf(bench, { scheduledProcedureStepId: '1', requestedProcedureId: 'A002' }),
    ).toBe('P002')
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
    const row = await sentRow(bench, {
      studyInstanceUid: '2.25.10001',
      scheduledProcedureStepId: 'S001',
    })
    expect(row).toMatchObject({ patientName: 'NEW', at: '2026-11-20T09:01:00.000Z' })
  })

  it('is the closest join before the newest', async () => {
    await using bench = await openBench({ items: [item(1)] })
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.partner.now({ items: [item(2, {}, { ScheduledProcedureStepID: 'S001' })] })
    await bench.find(TODAY)
    expect(
      await patientOf(bench, { studyInstanceUid: '2.25.10001', scheduledProcedureStepId: 'S001' }),
    ).toBe('P001')
    expect(await patientOf(bench, { scheduledProcedureStepId: 'S001' })).toBe('P002')
  })

  it('is the closest join of an answer, wherever in it, and of several steps of a study the first', async () => {
    const [step] = item(1).ScheduledProcedureStepSequence as object[]
    const steps = [step, { ...step, ScheduledProcedureStepID: 'S999' }]
    const sameStep = item(2, {}, { ScheduledProcedureStepID: 'S001' })
    await using bench = await openBench({
      items: [sameStep, item(1, { ScheduledProcedureStepSequence: steps })],
    })
    await bench.find(TODAY)
    expect(
      await patientOf(bench, { studyInstanceUid: '2.25.10001', scheduledProcedureStepId: 'S001' }),
    ).toBe('P001')
    const row = await sentRow(bench, {
      studyInstanceUid: '2.25.10001',
      scheduledProcedureStepId: 'MADE',
    })
    expect(row).toMatchObject({ patientId: 'P001', scheduledProcedureStepId: 'S001' })
  })

  it('is the newest of the same join, also where a closer one might be further back', async () => {
    await using bench = await openBench({ items: [item(1, { PatientName: 'OLD' })] })
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.partner.now({ items: [item(1, { PatientName: 'NEW' })] })
    await bench.find(TODAY)
    const row = await sentRow(bench, {
      studyInstanceUid: '2.25.10001',
      scheduledProcedureStepId: 'MADE',
    })
    expect(row?.patientName).toBe('NEW')
  })

  it('has the step and the requested procedure that were made up for it', async () => {
    await using bench = await openBench({
      items: [item(1, { AccessionNumber: '' }, { ScheduledProcedureStepID: '' })],
    })
    await bench.find(TODAY)
    const row = await sentRow(bench, { studyInstanceUid: '2.25.10001' })
    const { scheduledProcedureStepId = '', requestedProcedureId = '' } = row ?? {}
    expect(scheduledProcedureStepId).toMatch(/^S[A-Z2-7]{15}$/)
    expect(await sentRow(bench, { scheduledProcedureStepId, requestedProcedureId })).toEqual(row)
  })

  it('has the name as the device was sent it', async () => {
    await using bench = await openBench({ items: [item(1, { PatientName: 'Łukasz^Żak' })] })
    bench.setDevices([device({ characterSet: 'ISO_IR 100' })])
    await bench.find(TODAY)
    expect((await sentRow(bench, { studyInstanceUid: '2.25.10001' }))?.patientName).toBe(
      'Lukasz^Zak',
    )
    bench.setDevices([
      device({ characterSet: 'ISO_IR 101', updatedAt: '2026-11-20T09:00:01.000Z' }),
    ])
    await bench.find(TODAY)
    expect((await sentRow(bench, { studyInstanceUid: '2.25.10001' }))?.patientName).toBe(
      'Łukasz^Żak',
    )
  })

  it('has the name as it was sent then, though the device has another character set by now', async () => {
    await using bench = await openBench({ items: [item(1, { PatientName: 'Łukasz^Żak' })] })
    bench.setDevices([device({ characterSet: 'ISO_IR 101' })])
    await bench.find(TODAY)
    bench.setDevices([
      device({ characterSet: 'ISO_IR 100', updatedAt: '2026-11-20T09:00:01.000Z' }),
    ])
    expect((await sentRow(bench, { studyInstanceUid: '2.25.10001' }))?.patientName).toBe(
      'Łukasz^Żak',
    )
  })

  it('has texts that the device did not ask for as the partner wrote them', async () => {
    await using bench = await openBench({
      items: [
        item(1, { PatientName: 'Łukasz^Żak' }, { ScheduledProcedureStepDescription: 'Łokieć' }),
      ],
    })
    bench.setDevices([device({ characterSet: 'ISO_IR 100' })])
    const { ScheduledProcedureStepDescription: _, ...step } =
      TODAY.ScheduledProcedureStepSequence as Keys
    await bench.find({ ...TODAY, ScheduledProcedureStepSequence: step })
    expect(await sentRow(bench, { studyInstanceUid: '2.25.10001' })).toMatchObject({
      patientName: 'Lukasz^Zak',
      description: 'Łokieć',
    })
  })

  it('has a description as it was cut for the device, in the character set that its query declared', async () => {
    await using bench = await openBench({
      items: [item(1, {}, { ScheduledProcedureStepDescription: '胸'.repeat(60) })],
    })
    bench.setDevices([device({ countsBytes: true })])
    const cutTo = async (SpecificCharacterSet: string) => {
      await bench.find({ ...TODAY, SpecificCharacterSet })
      return (await sentRow(bench, { studyInstanceUid: '2.25.10001' }))?.description
    }
    // 64 bytes have room for 21 characters of three bytes, or 32 of two.
    expect(await cutTo('')).toBe('胸'.repeat(21))
    bench.temp.clock.pass(60_000)
    expect(await cutTo('GB18030 ')).toBe('胸'.repeat(32))
    bench.temp.clock.pass(60_000)
    // The escape sequence takes four of them.
    expect(await cutTo('ISO 2022 IR 6 \\ISO 2022 IR 58 ')).toBe('胸'.repeat(30))
  })
})

describe('the steps that a device was last sent', () => {
  const stepsOf = async (bench: Bench, callingAeTitle = 'CT1') => {
    return [...(await stepsLastSent(bench.store, callingAeTitle))].map(([study, steps]) => [
      study,
      ...steps,
    ])
  }

  it('are those of its newest result, by study, without rows that were not sent', async () => {
    const [step] = item(1).ScheduledProcedureStepSequence as object[]
    const two = item(1, {
      ScheduledProcedureStepSequence: [step, { ...step, ScheduledProcedureStepID: 'S999' }],
    })
    await using bench = await openBench({ items: [item(5)] })
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.partner.now({ items: [two, item(2), item(3, { PatientName: '' })] })
    await bench.find(TODAY)
    expect(await stepsOf(bench)).toEqual([
      ['2.25.10001', 'S001', 'S999'],
      ['2.25.10002', 'S002'],
    ])
    expect(await stepsOf(bench, 'MR1')).toEqual([])
  })

  it.each(['verdictHash', 'answerHash'] as const)(
    'are none where what its %s names is not kept any more',
    async (gone) => {
      await using bench = await openBench({ items: [item(1)] })
      await bench.find(TODAY)
      const { database } = bench.temp.store
      vi.mocked(listSentAnswers).mockReset()
      const [sent] = listSentAnswers(database, 'CT1', 1)
      const real = await realDocuments()
      vi.mocked(readDocument).mockImplementation((context, hash) =>
        hash === sent?.[gone] ? undefined : real.readDocument(context, hash),
      )
      expect([...(await stepsLastSent(bench.store, 'CT1'))]).toEqual([])
      vi.mocked(readDocument).mockReset()
    },
  )

  it('are none before it asked', async () => {
    await using bench = await openBench({ items: [item(1)] })
    expect(await stepsOf(bench)).toEqual([])
  })
})

describe('the search through what was sent', () => {
  const MEBIBYTE = 1 << 20

  /**
   * A search through results of these answers, newest first, each as one query recorded it; and
   * which answers it read.
   */
  async function searchThrough(
    bench: Bench,
    answers: readonly {
      readonly hash: string
      readonly body?: Buffer
      readonly verdictHash?: string
    }[],
  ) {
    await bench.find(TODAY)
    const { database } = bench.temp.store
    vi.mocked(listSentAnswers).mockReset()
    const [sent] = listSentAnswers(database, 'CT1', 1)
    if (!sent) throw new Error('nothing was recorded')
    vi.mocked(readDocument).mockReset()
    const bodies = new Map(
      answers.map(({ hash, body }) => [
        hash,
        body ?? readDocument(bench.temp.store, sent.answerHash),
      ]),
    )
    const read: string[] = []
    const limits: number[] = []
    vi.mocked(listSentAnswers).mockImplementation((_database, _aeTitle, limit) => {
      limits.push(limit)
      return answers.map(({ hash, verdictHash = sent.verdictHash }) => ({
        ...sent,
        answerHash: hash,
        verdictHash,
      }))
    })
    const real = await realDocuments()
    vi.mocked(readDocument).mockImplementation((context, hash) => {
      if (hash === sent.verdictHash) return real.readDocument(context, hash)
      read.push(hash)
      return bodies.get(hash)
    })
    return {
      search: (query: Partial<CorrelationQuery>) =>
        findSentRow(bench.store, { ...NOTHING, ...query }),
      read,
      limits,
    }
  }
  const many = (count: number, body?: Buffer) =>
    Array.from({ length: count }, (_, n) => ({ hash: `h${n}`, ...(body && { body }) }))
  /** Its id is in the answer, and no join is met. */
  const CLOSE = { accessionNumber: 'A001', patientId: 'P999' }
  const FOUND = { studyInstanceUid: '2.25.10001' }

  it('asks for no result where nothing is known of the row', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const { search, read, limits } = await searchThrough(bench, many(1))
    expect(await search({ patientId: 'P001' })).toBeUndefined()
    expect([read, limits]).toEqual([[], []])
  })

  it('reads an answer once, however often it was sent, and ends with the first row of the closest join', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const same = await searchThrough(bench, Array(30).fill({ hash: 'h' }))
    expect(await same.search(CLOSE)).toBeUndefined()
    expect([same.read, same.limits]).toEqual([['h'], [500]])
    const found = await searchThrough(bench, many(3))
    expect((await found.search(FOUND))?.patientId).toBe('P001')
    expect(found.read).toEqual(['h0'])
    // A row of a join that is not the closest leaves room for a closer one.
    const open = await searchThrough(bench, many(3))
    expect((await open.search({ ...FOUND, scheduledProcedureStepId: 'MADE' }))?.patientId).toBe(
      'P001',
    )
    expect(open.read).toEqual(['h0', 'h1', 'h2'])
  })

  it('passes over answers that are gone, or have none of the ids', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const { search, read } = await searchThrough(bench, [
      { hash: 'other', body: Buffer.from('{"authorized":true,"items":[]}') },
      { hash: 'damaged', body: Buffer.from('no answer at all') },
      { hash: 'other', body: Buffer.from('{"authorized":true,"items":[]}') },
      { hash: 'own' },
    ])
    expect((await search(FOUND))?.patientId).toBe('P001')
    expect(read).toEqual(['other', 'damaged', 'own'])
  })

  it('passes over results of which it is not kept any more which rows were sent', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const { search } = await searchThrough(bench, [
      { hash: 'h0', verdictHash: 'gone' },
      { hash: 'h1' },
    ])
    expect((await search(FOUND))?.patientId).toBe('P001')
  })

  it('opens 200 answers at most, of which it reads the rows of 20', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const closed = await searchThrough(bench, many(250, Buffer.from('{}')))
    expect(await closed.search(CLOSE)).toBeUndefined()
    expect(closed.read).toHaveLength(200)
    const read = await searchThrough(bench, many(30))
    expect(await read.search(CLOSE)).toBeUndefined()
    expect(read.read).toHaveLength(20)
  })

  it('reads 96 MiB of answers at most', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const { search, read } = await searchThrough(bench, many(10, Buffer.alloc(48 * MEBIBYTE)))
    expect(await search(CLOSE)).toBeUndefined()
    expect(read).toHaveLength(2)
  })
})
