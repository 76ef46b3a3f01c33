import { expect, it } from 'vitest'
import type { IdentityDifference } from '#shared/contract/images.ts'
import { identityRows } from '../../../renderer/src/display/identity-rows.ts'

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
  expect(identityRows(DIFFERENCES, 'worklist')).toEqual([{ field: 'patientId', expected: 'P-0', received: ['P-1'] }])
  expect(identityRows(DIFFERENCES, 'study')).toEqual([])
})
