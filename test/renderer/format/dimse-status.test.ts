import { expect, it } from 'vitest'
import { describeStatus } from '../../../renderer/src/format/dimse-status.ts'

it.each([
  ['0000', 'good', 'Success'],
  ['fe00', 'plain', 'Cancelled'],
  ['A700', 'warning', 'Out of resources'],
  ['A7FF', 'warning', 'Out of resources'],
  ['C001', 'danger', 'Refused by the partner'],
  ['C123', 'danger', 'Unable to process'],
  ['B000', 'warning', 'Status B000'],
])('says %s as %s: %s', (status, tone, name) => {
  expect(describeStatus(status)).toMatchObject({ tone, name })
})
