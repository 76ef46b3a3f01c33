import { describe, expect, it } from 'vitest'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { listInspections } from '#server/modules/worklist/inspection-queries.ts'
import { findInspection } from '#server/modules/worklist/inspections.ts'
import { englishText } from '#shared/messages/english.ts'
import { textOf } from '../../../../support/saying.ts'
import { ask, device, type Heard, identifierOf, item, openBench, text } from './worklist-fixture.ts'

const names = ({ rows }: Heard) => rows.map((row) => text(row, 'PatientName'))
const TODAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })

describe('a worklist query', () => {
  it('asks the partner for the day and the modality and sends each step as one row, in order of start', async () => {
    await using bench = await openBench({
      items: [
        item(2),
        item(1),
        item(3, { PatientName: 'ZEBRA' }, { ScheduledProcedureStepStartTime: '0730' }),
      ],
    })
    const heard = await bench.find(
      ask({}, { Modality: 'CT', ScheduledProcedureStepStartDate: '20261120' }),
    )
    expect(heard.final).toEqual({ status: 0 })
    expect(names(heard)).toEqual(['ZEBRA', 'TESTER^NUMBER001', 'TESTER^NUMBER002'])
    expect(bench.partner.questions).toEqual([
      {
        callingAe: 'CT1',
        clinicId: bench.temp.store.settings.get('clinic.id'),
        dateStart: '2026-11-20',
        dateEnd: '2026-11-20',
        sourceIp: '127.0.0.1',
        modality: 'CT',
      },
    ])
    expect(text(heard.rows[0], 'ScheduledProcedureStepStartTime')).toBe('073000')
    expect(text(heard.rows[0], 'ScheduledStationAETitle')).toBe('CT1')
    expect(text(heard.rows[0], 'ReferringPhysicianName')).toBe('')
  })

  it('answers in the four transfer syntaxes with the same values', async () => {
    await using bench = await openBench({
      items: [item(1, { PatientName: 'Müller^Änne' }), item(2)],
    })
    const texts: unknown[] = []
    for (const transferSyntax of Object.values(TRANSFER_SYNTAX)) {
      const { rows } = await bench.find(TODAY, { transferSyntax })
      texts.push(
        rows.map((row) =>
          [
            'SpecificCharacterSet',
            'PatientName',
            'StudyInstanceUID',
            'Modality',
            'PatientWeight',
          ].map((key) => text(row, key)),
        ),
      )
    }
    expect(texts[0]).toEqual([
      ['ISO_IR 100', 'Müller^Änne', '2.25.10001', 'CT', '70'],
      [undefined, 'TESTER^NUMBER002', '2.25.10002', 'CT', '70'],
    ])
    expect(texts.slice(1)).toEqual([texts[0], texts[0], texts[0]])
  })

  it('gives the very same batch to the same query while the response is the same, also when the partner was asked again', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    const first = await bench.find(TODAY)
    bench.temp.clock.pass(14_999)
    const second = await bench.find(TODAY)
    bench.temp.clock.pass(1)
    const third = await bench.find(TODAY)
    expect(second.batches[0]).toBe(first.batches[0])
    expect(third.batches[0]).toBe(first.batches[0])
    expect(bench.inspected.map(({ source }) => source)).toEqual(['live', 'fresh', 'live'])
    expect(bench.partner.questions).toHaveLength(2)
    bench.partner.now({ items: [item(1)] })
    bench.temp.clock.pass(15_000)
    expect((await bench.find(TODAY)).rows).toHaveLength(1)
  })

  it('asks every time where freshSeconds is 0', async () => {
    await using bench = await openBench({ items: [item(1)] })
    bench.temp.store.settings.set('worklist.freshSeconds', 0)
    await bench.find(TODAY)
    await bench.find(TODAY)
    expect(bench.partner.questions).toHaveLength(2)
  })

  it('answers an empty list with success and no row', async () => {
    await using bench = await openBench({ items: [] })
    expect(await bench.find(TODAY)).toMatchObject({ final: { status: 0 }, rows: [] })
    expect(textOf(bench.inspected[0]?.sentence)).toMatch(
      /^CT room 1 queried today’s worklist; the partner returned no exams in \d+ ms; 0 exams sent\.$/,
    )
  })

  it('answers a refusal with C001, forgets what it kept for the device, and keeps the partner’s words out of the sentence', async () => {
    await using bench = await openBench({ items: [item(1)] })
    await bench.find(TODAY)
    bench.temp.clock.pass(60_000)
    bench.partner.now({
      body: JSON.stringify({
        authorized: false,
        items: [],
        error: 'no worklist for this AE, ask Jane Doe',
      }),
    })
    const heard = await bench.find(TODAY)
    expect(heard).toMatchObject({
      rows: [],
      final: {
        status: 0xc001,
        errorComment: 'Worklist not authorised for AE CT1: no worklist for this AE, ask',
      },
    })
    expect(bench.inspected[1]).toMatchObject({ status: 'C001', fault: 'refused', source: 'none' })
    expect(textOf(bench.inspected[1]?.sentence)).not.toMatch(/Jane/)
    bench.partner.now({ status: 503 })
    expect((await bench.find(TODAY)).final.status).toBe(0xa700)
  })

  it.each([
    ['no JSON', { body: 'sorry' }, 0xc002, 'invalid'],
    ['a list that is no list', { body: '{"authorized":true,"items":{}}' }, 0xc002, 'invalid'],
    ['an error status', { status: 500 }, 0xa700, 'status'],
  ] as const)(
    'answers %s with its failure, never with an empty list',
    async (_, reaction, status, fault) => {
      await using bench = await openBench(reaction)
      const heard = await bench.find(TODAY)
      expect(heard.rows).toEqual([])
      expect(heard.final.status).toBe(status)
      expect(bench.inspected[0]).toMatchObject({ fault, sent: 0, source: 'none' })
    },
  )

  it('refuses a query it cannot understand with A900 and the offending element, and records it', async () => {
    await using bench = await openBench()
    const heard = await bench.find(
      ask({ PatientID: 'P1' }, { ScheduledProcedureStepStartDate: 'notadate' }),
    )
    expect(heard.final).toEqual({
      status: 0xa900,
      errorComment: 'ScheduledProcedureStepStartDate: not a date',
      offendingElements: [0x00400002],
    })
    expect(bench.partner.questions).toEqual([])
    const inspection = await findInspection(bench.store, bench.inspected[0]?.inspectionId ?? 0)
    expect(inspection).toMatchObject({ status: 'A900', question: null, rows: [] })
    expect(inspection?.keys.find(({ keyword }) => keyword === 'PatientID')?.value).toBe('P1')
  })

  it('fails where everything that matched is withheld, so that the list does not look empty', async () => {
    await using bench = await openBench({
      items: [
        item(1, { AccessionNumber: 'A-LONGER-THAN-SIXTEEN' }),
        item(2, {}, { Modality: 'MR' }),
      ],
    })
    expect((await bench.find(ask({}, { Modality: 'CT' }))).final.status).toBe(0xc002)
    const rest = await bench.find(ask({}, { Modality: 'MR' }))
    expect([rest.final.status, rest.rows.length]).toEqual([0, 1])
    expect(bench.inspected.map(({ fault, withheld }) => [fault, withheld])).toEqual([
      ['invalid', 1],
      [null, 0],
    ])
  })

  it('sends the rows nearest to now where there are too many, then says that it cut', async () => {
    await using bench = await openBench({
      items: [6, 7, 8, 9, 10, 11].map((hour) =>
        item(hour, {}, { ScheduledProcedureStepStartTime: `${String(hour).padStart(2, '0')}30` }),
      ),
    })
    bench.setDevices([device({ maxRows: 2 })])
    const heard = await bench.find(TODAY)
    expect(names(heard)).toEqual(['TESTER^NUMBER008', 'TESTER^NUMBER009'])
    expect(heard.final).toEqual({ status: 0xa700, errorComment: 'List cut at 2, narrow the query' })
    const inspection = await findInspection(bench.store, bench.inspected[0]?.inspectionId ?? 0)
    expect(inspection?.rows.map(({ verdict }) => verdict)).toEqual([
      'sent',
      'sent',
      'cut',
      'cut',
      'cut',
      'cut',
    ])
  })

  it('gives an internal error a reference and tells nobody else what it was', async () => {
    await using bench = await openBench({ items: [item(1)] })
    bench.temp.store.settings.set('clinic.id', null)
    const { final } = await bench.find(TODAY)
    expect(final.status).toBe(0xc003)
    expect(final.errorComment).toMatch(/^Gateway internal error [0-9a-f]{8}$/)
    expect(bench.errors).toHaveLength(1)
    expect(textOf(bench.inspected[0]?.sentence)).toContain(final.errorComment?.slice(-8))
  })
})

describe('a cancelled query', () => {
  it('takes back the call to the partner, answers FE00 and is recorded', async () => {
    await using bench = await openBench({ hang: true })
    const controller = new AbortController()
    const finding = bench.find(TODAY, { signal: controller.signal })
    await expect.poll(() => bench.partner.questions.length).toBe(1)
    controller.abort('cancel')
    expect(await finding).toMatchObject({ final: { status: 0xfe00 }, rows: [] })
    await expect.poll(() => bench.partner.hungUp()).toBe(1)
    expect(bench.inspected).toMatchObject([
      {
        status: 'FE00',
        sentence: 'CT room 1 queried today’s worklist and cancelled before there was a response.',
      },
    ])
  })

  it('is recorded when the device goes while rows are sent', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const generator = bench.worklist.find({
      association: {
        associationId: 'a1',
        callingAeTitle: 'CT1',
        calledAeTitle: 'ISTHMUS',
        remoteAddress: '127.0.0.1',
      },
      messageId: 1,
      sopClassUid: SOP_CLASS.modalityWorklistFind,
      transferSyntax: TRANSFER_SYNTAX.explicitLittleEndian,
      identifier: identifierOf(TODAY),
      signal: new AbortController().signal,
    })
    expect((await generator.next()).done).toBe(false)
    await generator.return({ status: 0xfe00 })
    expect(bench.inspected).toMatchObject([{ status: 'FE00', sent: 1 }])
    expect(textOf(bench.inspected[0]?.sentence)).toMatch(
      /cancelled the query while exams were being sent\.$/,
    )
  })
})

describe('the record of a query', () => {
  it('is committed before the final response', async () => {
    await using bench = await openBench({ items: [item(1)] })
    let committed = 0
    const heard = bench.find(TODAY).then(() => {
      committed = listInspections(bench.temp.store.database, {
        cursor: undefined,
        limit: 10,
        outcome: 'all',
      }).items.length
    })
    await heard
    expect(committed).toBe(1)
  })

  it('shows keys, question, partner and a verdict in words for each row', async () => {
    await using bench = await openBench({
      items: [
        item(1),
        item(2, { PatientName: 'OTHER^ONE' }),
        item(3, { StudyInstanceUID: '1.02.3' }),
        item(4, { PatientSex: 'unknown' }),
      ],
    })
    await bench.find(
      ask({ PatientName: 'tester*' }, { ScheduledProcedureStepStartDate: '20261120-20261121' }),
    )
    const [summary] = bench.inspected
    expect(summary).toMatchObject({
      sent: 2,
      filtered: 1,
      withheld: 1,
      status: '0000',
      source: 'live',
      deviceName: 'CT room 1',
      origin: 'device',
    })
    expect(textOf(summary?.sentence)).toMatch(
      /^CT room 1 queried the worklist for 2026-11-20 to 2026-11-21; the partner returned 4 exams in \d+ ms; 2 exams sent, 1 did not match \(PatientName\), 1 withheld\.$/,
    )
    const inspection = await findInspection(bench.store, summary?.inspectionId ?? 0)
    expect(
      inspection?.rows.map(({ patientName, verdict, reason }) => [patientName, verdict, reason]),
    ).toEqual([
      ['TESTER^NUMBER001', 'sent', null],
      ['TESTER^NUMBER004', 'sent', null],
      ['TESTER^NUMBER003', 'withheld', 'its Study Instance UID is not a valid UID'],
      ['OTHER^ONE', 'filtered', 'PatientName (0010,0010) “tester*”'],
    ])
    expect(inspection?.rows[1]?.remarks).toEqual(['PatientSex is not M, F or O; it is sent empty'])
    expect(inspection?.keys.find(({ keyword }) => keyword === 'PatientName')).toEqual({
      tag: '(0010,0010)',
      keyword: 'PatientName',
      vr: 'PN',
      value: 'tester*',
      matching: 'wildCard',
    })
    expect(inspection?.question).toEqual(bench.partner.questions[0])
    expect(inspection?.partner).toMatchObject({ httpStatus: 200, detail: null })
    expect(
      (await findInspection(bench.store, summary?.inspectionId ?? 0, 'withheld'))?.rowsTotal,
    ).toBe(1)
  })
})

describe('asking as a device from the window', () => {
  it('runs the same path without the network and is recorded with the user', async () => {
    await using bench = await openBench({ items: [item(1), item(2, { PatientName: 'Ödman^Åke' })] })
    const inspection = await bench.worklist.ask(
      {
        deviceId: device().deviceId,
        patientName: 'ödman',
        patientId: '',
        accessionNumber: '',
        modality: 'CT',
        stationAeTitle: '',
        startDate: '2026-11-20',
        endDate: '2026-11-20',
      },
      device({ lastAddress: '10.0.0.7' }),
      { userId: 'usr_1', firstName: 'Anna', lastName: 'Berg' },
    )
    expect(inspection).toMatchObject({
      origin: 'window',
      sent: 1,
      filtered: 1,
      callingAeTitle: 'CT1',
      remoteAddress: '10.0.0.7',
    })
    expect(englishText(inspection.sentence)).toMatch(
      /^CT room 1 \(test query by Anna Berg\) queried today’s CT worklist; /,
    )
    expect(inspection.rows.map(({ patientName, verdict }) => [patientName, verdict])).toEqual([
      ['Ödman^Åke', 'sent'],
      ['TESTER^NUMBER001', 'filtered'],
    ])
    expect(bench.partner.questions[0]).toMatchObject({
      callingAe: 'CT1',
      sourceIp: '10.0.0.7',
      modality: 'CT',
    })
  })
})
