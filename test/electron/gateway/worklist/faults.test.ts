import { expect, it } from 'vitest'
import { becauseOf, FAULTS, faultResult } from '#gateway/worklist/faults.ts'
import { PARTNER_FAULTS } from '#shared/contract/worklist.ts'

it('has a failure status and a comment fit for LO for every fault of the partner', () => {
  for (const fault of PARTNER_FAULTS) {
    const { status, errorComment } = faultResult(fault, 'A'.repeat(16), 'Ä'.repeat(200))
    expect([0xa700, 0xc001, 0xc002]).toContain(status)
    expect(errorComment).toMatch(/^[\x20-\x5b\x5d-\x7e]{10,64}$/)
  }
  expect(Object.entries(FAULTS).flatMap(([fault, { status }]) => (status === 0xa700 ? [] : [fault]))).toEqual(['invalid', 'refused'])
})

it('gives the beginning of the partner’s words with a refusal, in ASCII', () => {
  expect(faultResult('refused', 'CT1', 'kein Zugriff für dieses Gerät, bitte anrufen').errorComment).toBe(
    'Worklist not authorised for AE CT1: kein Zugriff fur dieses Gera',
  )
  expect(faultResult('refused', 'CT1', '').errorComment).toBe('Worklist not authorised for AE CT1')
})

it('says why in words, with a detail of ours and never with the partner’s', () => {
  expect(becauseOf('unreachable', 'connection refused')).toBe('the partner could not be reached (connection refused)')
  expect(becauseOf('refused', 'Jane Doe has no order')).toBe('the partner refused')
})
