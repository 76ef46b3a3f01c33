import { expect, it } from 'vitest'
import { rowsAmongImages, rowsBesideWorklist } from '../../../renderer/src/images/mismatch-rows.ts'

it('puts each field once, with everything that other images say of it', () => {
  const rows = rowsAmongImages({
    amongImages: [
      { field: 'patientName', first: 'MEIER^ANNA', other: 'NOVAK^JAN' },
      { field: 'patientId', first: 'P-1', other: 'P-2' },
      { field: 'patientName', first: 'MEIER^ANNA', other: '' },
      { field: 'patientId', first: 'P-1', other: 'P-3' },
    ],
  })
  expect(rows).toEqual([
    { field: 'patientName', one: 'MEIER^ANNA', others: ['NOVAK^JAN', ''] },
    { field: 'patientId', one: 'P-1', others: ['P-2', 'P-3'] },
  ])
})

it('puts what the images say beside what the worklist said', () => {
  expect(rowsBesideWorklist({ fields: [{ field: 'patientId', handedOut: 'P-1', received: 'P-9' }] })).toEqual([
    { field: 'patientId', one: 'P-1', others: ['P-9'] },
  ])
})
