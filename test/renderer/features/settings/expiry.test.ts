import { expect, it } from 'vitest'
import { expiryTone } from '../../../../renderer/src/features/settings/expiry.ts'

it('warns of a certificate’s end a month before, and cries when it has come', () => {
  expect([820, 30, 29, 0, -1].map(expiryTone)).toEqual([
    'plain',
    'plain',
    'warning',
    'warning',
    'danger',
  ])
})
