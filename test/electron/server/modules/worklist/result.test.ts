import { describe, expect, it } from 'vitest'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { type AnswerRows, readRows } from '#server/modules/worklist/answer.ts'
import { rowEncoder } from '#server/modules/worklist/character-set-fallback.ts'
import { IdentifierEncoder } from '#server/modules/worklist/identifier-encoder.ts'
import { readQuery } from '#server/modules/worklist/query.ts'
import { identifiersOf, makeResult, type ResultRules } from '#server/modules/worklist/result.ts'
import { findingsOf } from '#server/modules/worklist/verdicts.ts'
import { saying } from '../../../../support/saying.ts'
import { ask, EXPLICIT, identifierOf, item, type Keys, rowsOf, text } from './worklist-fixture.ts'

const DAY = { dateStart: '2026-11-20', dateEnd: '2026-11-20' }

/** What a query gets out of a list. */
function resultOf(
  list: AnswerRows,
  keys: Keys,
  changes: Partial<ResultRules> = {},
  { signal } = new AbortController(),
) {
  const asked = {
    callingAeTitle: 'CT1',
    device: undefined,
    today: '2026-11-20',
    daysBack: 1,
    daysForward: 1,
  }
  const query = readQuery(identifierOf(keys), EXPLICIT, asked)
  const layout = new IdentifierEncoder(query, EXPLICIT, '')
  const policy = { deviceSet: null, always: false, countsBytes: false, declared: [] }
  const textFor = rowEncoder(layout.texts, policy)
  const result = makeResult(list, query, textFor, signal, {
    askedFor: DAY,
    maxRows: 10_000,
    now: { day: '2026-11-20', time: '090000' },
    closedSteps: undefined,
    hideStarted: false,
    ...changes,
  })
  const identifiers = async () =>
    identifiersOf(list, (await result).chosen, layout, textFor, signal)
  return { result, identifiers }
}

const read = (items: readonly unknown[]): Promise<AnswerRows> =>
  readRows(items, { ...DAY, modality: '' })

describe('a result', () => {
  it('names the first key that filtered a row, and counts each verdict', async () => {
    const list = await read([
      item(1),
      item(2, {}, { Modality: 'MR' }),
      item(3, { PatientName: 'OTHER' }),
      item(4, { PatientName: 'OTHER' }, { Modality: 'MR' }),
    ])
    const result = await resultOf(list, ask({ PatientName: 'TESTER' }, { Modality: 'CT' })).result
    expect(
      [...findingsOf(result.verdicts)].map(({ verdict, reason }) => [verdict, reason]),
    ).toEqual([
      ['sent', null],
      ['filtered', 'Modality (0008,0060) “CT”'],
      ['filtered', 'PatientName (0010,0010) “TESTER”'],
      ['filtered', 'PatientName (0010,0010) “TESTER”'],
    ])
    expect(result).toMatchObject({
      sent: 1,
      filtered: 3,
      withheld: 0,
      unfit: 0,
      cut: 0,
      filteredBy: ['PatientName', 'Modality'],
    })
  })

  it('counts an unfit row as withheld only for queries that it might have met', async () => {
    const list = await read([item(1, { PatientID: '' }, { Modality: 'MR' })])
    expect(await resultOf(list, ask({}, { Modality: 'CT' })).result).toMatchObject({
      filtered: 1,
      unfit: 0,
    })
    expect(
      await resultOf(list, ask({ PatientID: 'P001' }, { Modality: 'MR' })).result,
    ).toMatchObject({ filtered: 0, unfit: 1 })
  })

  it('has no row outside the window where the query names neither a date nor an order, whatever the partner sends', async () => {
    const list = await read([item(1), item(2, {}, { ScheduledProcedureStepStartDate: '20261210' })])
    const result = await resultOf(list, ask()).result
    expect(result).toMatchObject({ sent: 1, filtered: 1 })
    expect([...findingsOf(result.verdicts)][1]?.reason).toEqual('outside the days of the query')
  })

  it('remarks on rows outside the days that were asked for, where a date or an order in the query admits them', async () => {
    const list = await read([item(1, {}, { ScheduledProcedureStepStartDate: '20261224' })])
    for (const keys of [
      ask({ AccessionNumber: 'A001' }),
      ask({}, { ScheduledProcedureStepStartDate: '20261201-' }),
    ]) {
      const result = await resultOf(list, keys).result
      expect(result.sent).toBe(1)
      expect([...findingsOf(result.verdicts)][0]?.remarks).toEqual([
        'scheduled outside the days that were requested from the partner',
      ])
    }
  })

  it.each([
    ['AdmissionID', 'V1', 'V1', 'V2'],
    ['OtherPatientIDs', 'X2', 'X1\\X2', 'X3'],
    ['ReferringPhysicianName', 'sample^sue', 'SAMPLE^SUE', 'PROBE^PAULA'],
  ])('is matched by %s where the partner sends it at all', async (keyword, key, given, other) => {
    const list = await read([item(1, { [keyword]: given }), item(2, { [keyword]: other }), item(3)])
    const asked = ask({ [keyword]: key })
    const result = await resultOf(list, asked).result
    expect([[...result.chosen], result.filteredBy, result.remarks]).toEqual([[0], [keyword], []])
    const without = await resultOf(await read([item(1), item(2)]), asked).result
    expect([without.sent, without.remarks]).toEqual([
      2,
      [saying(`the partner’s list does not contain the attribute: ${keyword} `)],
    ])
  })

  it('is matched by the location of the step', async () => {
    const list = await read([
      item(1, {}, { ScheduledProcedureStepLocation: 'ROOM 1' }),
      item(2, {}, { ScheduledProcedureStepLocation: 'ROOM 2' }),
    ])
    expect([
      ...(await resultOf(list, ask({}, { ScheduledProcedureStepLocation: 'ROOM 2' })).result)
        .chosen,
    ]).toEqual([1])
  })

  it('withholds what is closed here or past from a stored list, and calls neither unfit', async () => {
    const list = await read([
      item(1),
      item(2),
      item(3, {}, { ScheduledProcedureStepStartDate: '20261119' }),
    ])
    const { result } = resultOf(list, ask(), {
      closedSteps: new Set(['2.25.10002 S002']),
      askedFor: { dateStart: '2026-11-19', dateEnd: '2026-11-21' },
    })
    expect(await result).toMatchObject({ sent: 1, withheld: 2, unfit: 0 })
  })

  it('grows with long values and keeps rows whole', async () => {
    const list = await read(
      Array.from({ length: 40 }, (_, n) =>
        item(n, {
          StudyDescription: 'ä'.repeat(64),
          RequestedProcedureDescription: '漢'.repeat(64),
        }),
      ),
    )
    const batches: EncodedIdentifiers[] = []
    const identifiers = await resultOf(list, ask({ StudyDescription: '' })).identifiers()
    for await (const batch of identifiers) batches.push(batch)
    const rows = batches.flatMap((batch) => rowsOf(batch))
    expect(rows).toHaveLength(40)
    expect(new Set(rows.map((row) => text(row, 'RequestedProcedureDescription')))).toEqual(
      new Set([Buffer.from('漢'.repeat(64)).toString('latin1')]),
    )
    expect(batches.map(({ ends }) => ends.at(-1))).toEqual(batches.map(({ bytes }) => bytes.length))
  })

  it('is given up in the middle of a long list when the console cancels', async () => {
    const list = await read(Array.from({ length: 2000 }, (_, n) => item(n)))
    const controller = new AbortController()
    const making = resultOf(list, ask(), {}, controller).result
    controller.abort('cancel')
    await expect(making).rejects.toBe('cancel')
  })
})
