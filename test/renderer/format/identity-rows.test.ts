import { expect, it } from 'vitest'
import type { IdentityDifference } from '#shared/contract/images.ts'
import { identityRows, identityTables } from '../../../renderer/src/format/identity-rows.ts'

const DIFFERENCES: readonly IdentityDifference[] = [
  { from: 'worklist', field: 'patientId', expected: 'P-0', received: 'P-1' },
  { from: 'images', field: 'patientName', expected: 'MEIER^ANNA', received: 'NOVAK^JAN' },
  { from: 'images', field: 'patientId', expected: 'P-1', received: 'P-2' },
  { from: 'images', field: 'patientName', expected: 'MEIER^ANNA', received: '' },
  { from: 'images', field: 'patientId', expected: 'P-1', received: 'P-3' },
]

it('puts each field once, with everything that other images say of it', () => {
  expect(identityRows(DIFFERENCES, 'images')).toEqual([
    { field: 'patientName', expected: 'MEIER^ANNA', received: ['NOVAK^JAN', ''] },
    { field: 'patientId', expected: 'P-1', received: ['P-2', 'P-3'] },
  ])
})

it('keeps the sources apart', () => {
  expect(identityRows(DIFFERENCES, 'worklist')).toEqual([
    { field: 'patientId', expected: 'P-0', received: ['P-1'] },
  ])
  expect(identityRows(DIFFERENCES, 'study')).toEqual([])
})

it('makes one table of the worklist and the study where both say the same', () => {
  const one = { field: 'patientId', expected: 'P-0', received: 'P-1' } as const
  const both = [
    { from: 'worklist', ...one },
    { from: 'study', ...one },
  ] as const
  expect(identityTables(both)).toEqual([
    {
      from: 'worklist-and-study',
      rows: [{ field: 'patientId', expected: 'P-0', received: ['P-1'] }],
    },
  ])
  expect(
    identityTables([
      ...both,
      { from: 'study', field: 'patientSex', expected: 'M', received: 'F' },
    ]).map(({ from }) => from),
  ).toEqual([...['worklist', 'study']])
  expect(identityTables(DIFFERENCES).map(({ from }) => from)).toEqual(['worklist', 'images'])
  expect(identityTables([])).toEqual([])
})
