import { expect, it } from 'vitest'
import { checkStepCount, readRows } from '#server/modules/worklist/answer.ts'
import { item } from './worklist-values-fixture.ts'

const context = { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' }
const withheld = async (...items: unknown[]) =>
  (await readRows(items, context)).rows.map((row) => row.withheld)

it('refuses an answer with more steps than any console would be sent', () => {
  expect(() =>
    checkStepCount(
      Array.from({ length: 50_000 }, () => ({ ScheduledProcedureStepSequence: { length: 9 } })),
    ),
  ).not.toThrow()
  expect(() =>
    checkStepCount([{ ScheduledProcedureStepSequence: Array.from({ length: 49_999 }) }, null]),
  ).not.toThrow()
  expect(() =>
    checkStepCount([{ ScheduledProcedureStepSequence: Array.from({ length: 50_000 }) }, 'x']),
  ).toThrow('oversize')
  expect(() => checkStepCount(Array.from({ length: 50_001 }))).toThrow('oversize')
})

it('withholds a step that is in the answer a second time', async () => {
  expect(await withheld(item(1), item(2), item(1))).toEqual([
    null,
    null,
    'the same step is in the response twice',
  ])
})

it('withholds every row of a study that two patients share, because their images would be mixed', async () => {
  const shared = 'its Study Instance UID is used for two patients'
  expect(await withheld(item(1), item(2, { StudyInstanceUID: '2.25.10001' }), item(3))).toEqual([
    shared,
    shared,
    null,
  ])
})

it('remarks on a step id that another study has too', async () => {
  const { rows } = await readRows(
    [item(1), item(2, {}, { ScheduledProcedureStepID: 'S001' })],
    context,
  )
  expect(rows.map(({ remarks, withheld }) => [withheld, remarks])).toEqual([
    [null, []],
    [null, ['its ScheduledProcedureStepID is also used in another study']],
  ])
})

it('keeps the partner’s order and tells that of sending: date, time, name, step', async () => {
  const at = (n: number, date: string, time: string, PatientName: string) =>
    item(
      n,
      { PatientName },
      { ScheduledProcedureStepStartDate: date, ScheduledProcedureStepStartTime: time },
    )
  const { rows, order } = await readRows(
    [
      at(1, '20261121', '0800', 'A'),
      at(2, '20261120', '0900', 'B'),
      at(3, '20261120', '0900', 'A'),
      at(4, '20261120', '0800', 'Z'),
    ],
    context,
  )
  expect(rows.map(({ values }) => values.PatientID)).toEqual(['P001', 'P002', 'P003', 'P004'])
  expect([...order]).toEqual([3, 2, 1, 0])
})

it('lets others have a turn while it reads a long answer', async () => {
  let turns = 0
  const ticking = setInterval(() => turns++, 0)
  setImmediate(function count() {
    turns++
    if (turns < 1000) setImmediate(count)
  })
  await readRows(
    Array.from({ length: 3000 }, (_, n) => item(n)),
    context,
  )
  const seen = turns
  turns = 1000
  clearInterval(ticking)
  expect(seen).toBeGreaterThanOrEqual(5)
})
