import { expect, it } from 'vitest'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import {
  hostOf,
  newEndpointOf,
  patchOf,
  valuesOf,
} from '../../../../renderer/src/features/partner/endpoint-values.ts'

const endpoint: Endpoint = {
  endpointId: '0d4b0a6e-5b0e-4c55-8f0e-3f3c1a2b4c5d',
  ...{
    name: 'RIS',
    url: 'https://ris.example/hook',
    events: ['report.delivered'],
    apiKey: null,
    allowsPlaintext: false,
  },
  ...{
    fileHosts: ['files.example'],
    refusedHosts: [],
    budgets: { 'report.delivered': 1500 },
    secrets: [],
    isDefault: true,
  },
  ...{ isEnabled: true, disabledReason: null, waiting: 0, createdAt: '2026-11-20T08:00:00.000Z' },
}

it('gives back what it was given', () => {
  const patch = patchOf(valuesOf(endpoint))
  expect(patch).toEqual({
    ...{
      name: 'RIS',
      url: 'https://ris.example/hook',
      allowPlaintext: false,
      events: ['report.delivered'],
    },
    ...{ fileHosts: ['files.example'], budgets: { 'report.delivered': 1500 } },
  })
  expect(dashboardEvents.changeEndpoint.body.safeParse(patch).error).toBeUndefined()
})

it('makes a new endpoint of all studies or of one key, with a secret only where one was entered', () => {
  const values = {
    ...valuesOf(null),
    url: ' https://ris.example/hook ',
    events: ['report.delivered' as const],
  }
  const made = newEndpointOf(values)
  expect(made).toMatchObject({ url: 'https://ris.example/hook', apiKeyId: null })
  expect(made).not.toHaveProperty('secret')
  expect(dashboardEvents.addEndpoint.body.safeParse(made).error).toBeUndefined()
  expect(
    newEndpointOf({ ...values, apiKeyId: endpoint.endpointId, secret: ' whsec_x ' }),
  ).toMatchObject({
    apiKeyId: endpoint.endpointId,
    secret: 'whsec_x',
  })
})

it('drops the time of an event that is not sent there, and an emptied one', () => {
  const values = valuesOf(endpoint)
  expect(patchOf({ ...values, events: [] }).budgets).toEqual({})
  expect(patchOf({ ...values, budgets: { 'report.delivered': '' } }).budgets).toEqual({})
  expect(patchOf({ ...values, budgets: { 'report.delivered': 2.25 } }).budgets).toEqual({
    'report.delivered': 2250,
  })
})

it('takes the host of a pasted address', () => {
  expect(hostOf('https://Files.Example:8443/a/b?x=1')).toBe('files.example:8443')
  expect(hostOf('https://files.example/a')).toBe('files.example')
  expect(hostOf(' files.example ')).toBe('files.example')
})
