import { expect, it } from 'vitest'
import {
  findingsOf,
  findingTable,
  readVerdicts,
  runsOf,
  writeVerdicts,
} from '#server/modules/worklist/verdicts.ts'

it('keeps each finding once and gives it back for each row', () => {
  const table = findingTable()
  const places = Uint16Array.from([
    table.place('sent'),
    table.place('sent'),
    table.place('filtered', 'Modality'),
    table.place('sent', '', ['a remark']),
    table.place('sent'),
  ])
  expect(table.findings).toHaveLength(3)
  const runs = runsOf(places)
  expect(runs).toEqual([2, 0, 1, 1, 1, 2, 1, 0])
  const document = {
    findings: table.findings,
    runs,
    keys: [],
    remarks: ['x'],
    context: { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' },
  }
  const again = readVerdicts(writeVerdicts(document))
  expect(again).toEqual(document)
  expect(
    [...findingsOf(again)].map(({ verdict, reason, remarks }) => [verdict, reason, ...remarks]),
  ).toEqual([
    ['sent', ''],
    ['sent', ''],
    ['filtered', 'Modality'],
    ['sent', '', 'a remark'],
    ['sent', ''],
  ])
})

it('takes a few bytes for thousands of rows', () => {
  expect(runsOf(new Uint16Array(50_000))).toEqual([50_000, 0])
  expect(runsOf(new Uint16Array(0))).toEqual([])
})

it('gives nothing for a run without a finding', () => {
  expect([...findingsOf({ findings: [], runs: [3, 9] })]).toEqual([])
})
