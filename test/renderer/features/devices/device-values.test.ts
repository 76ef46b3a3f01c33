import { expect, it } from 'vitest'
import {
  bodyOf,
  faultsOf,
  valuesOf,
} from '../../../../renderer/src/features/devices/device-values.ts'

it('sends what is empty in the form of a device as not set', () => {
  expect(
    bodyOf({
      ...valuesOf(null),
      aeTitle: 'CT1',
      address: '  ',
      daysBack: 0,
      maxRows: '',
      port: '104',
    }),
  ).toMatchObject({
    ...{
      aeTitle: 'CT1',
      address: null,
      modality: null,
      daysBack: 0,
      maxRows: null,
      port: 104,
      certificate: null,
    },
  })
})

it('says at the field what the gateway would refuse of a device', () => {
  expect(faultsOf({ ...valuesOf(null), aeTitle: 'CT1' })).toEqual({})
  expect(Object.keys(faultsOf({ ...valuesOf(null), aeTitle: '', port: 0 })).sort()).toEqual([
    'aeTitle',
    'port',
  ])
})
