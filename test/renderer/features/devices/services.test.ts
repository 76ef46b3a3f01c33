import { expect, it } from 'vitest'
import { servicesText } from '../../../../renderer/src/features/devices/services.ts'

it('names what a caller wanted, and counts the rest', () => {
  expect(servicesText(['Verification', 'Modality Worklist'])).toBe(
    'Verification, Modality Worklist',
  )
  expect(servicesText(['1.2.840.1', 'CT Image Storage', '1.2.840.2'])).toBe(
    'CT Image Storage, and 2 more',
  )
  expect(servicesText(['1.2.1', '1.2.2', '1.2.3', '1.2.4', '1.2.5'])).toBe(
    '1.2.1, 1.2.2, 1.2.3, 1.2.4, and 1 more',
  )
})
