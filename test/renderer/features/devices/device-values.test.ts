import { expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { bodyOf, valuesOf } from '../../../../renderer/src/features/devices/device-values.ts'
import { contractFaults } from '../../../../renderer/src/ui/use-contract-form.ts'

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

it('shows at the field what the gateway would refuse of a device', async () => {
  const faultsOf = (change: object) =>
    contractFaults(dashboard.addDevice, bodyOf({ ...valuesOf(null), ...change }))
  expect(await faultsOf({ aeTitle: 'CT1' })).toEqual({})
  expect(Object.keys(await faultsOf({ aeTitle: '', port: 0 })).sort()).toEqual(['aeTitle', 'port'])
})
