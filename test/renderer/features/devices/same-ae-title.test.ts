import { expect, it } from 'vitest'
import type { Device } from '#shared/contract/devices.ts'
import { withSameAeTitle } from '../../../../renderer/src/features/devices/same-ae-title.ts'

const device = (deviceId: string, aeTitle: string, address: string | null) =>
  ({ deviceId, aeTitle, address, name: '' }) as Device

const ROOM = device('a', 'CT1', '10.0.0.5')
const ANY = device('b', 'ct1 ', null)
const OTHER = device('c', 'MR1', null)

it('finds whom a connection is taken for, where one of two devices accepts any address', () => {
  expect(withSameAeTitle({ aeTitle: 'ct1', address: null }, [ROOM, OTHER])).toEqual([
    { other: ROOM, address: '10.0.0.5', isOfOther: true },
  ])
  expect(withSameAeTitle({ aeTitle: 'CT1', address: '10.0.0.6' }, [ROOM, ANY])).toEqual([
    { other: ANY, address: '10.0.0.6', isOfOther: false },
  ])
})

it('finds nothing for a device itself, and where both have an address or neither has', () => {
  expect(withSameAeTitle(ANY, [ANY, OTHER])).toEqual([])
  expect(withSameAeTitle({ aeTitle: 'CT1', address: '10.0.0.6' }, [ROOM])).toEqual([])
  expect(withSameAeTitle({ aeTitle: 'CT1', address: null }, [ANY])).toEqual([])
})
