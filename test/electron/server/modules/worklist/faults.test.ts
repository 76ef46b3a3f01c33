import { expect, it } from 'vitest'
import {
  FAULTS,
  faultExplanation,
  faultResult,
  fullComment,
  redactedComment,
} from '#server/modules/worklist/faults.ts'
import { PARTNER_FAULTS } from '#shared/contract/worklist.ts'
import { verbatim } from '#shared/messages/message.ts'

it('has a failure status and a comment fit for LO for every fault of the partner', () => {
  for (const fault of PARTNER_FAULTS) {
    const { status, errorComment } = faultResult(fault, 'A'.repeat(16), verbatim('Ä'.repeat(200)))
    expect([0xa700, 0xc001, 0xc002]).toContain(status)
    expect(errorComment).toMatch(/^[\x20-\x5b\x5d-\x7e]{10,64}$/)
  }
  expect(
    Object.entries(FAULTS).flatMap(([fault, { status }]) => (status === 0xa700 ? [] : [fault])),
  ).toEqual(['invalid', 'refused'])
})

it('gives the beginning of the partner’s words with a refusal, in ASCII', () => {
  expect(
    faultResult('refused', 'CT1', verbatim('kein Zugriff für dieses Gerät, bitte anrufen'))
      .errorComment,
  ).toBe('Worklist not authorised for AE CT1: kein Zugriff fur dieses Gera')
  expect(faultResult('refused', 'CT1', null).errorComment).toBe(
    'Worklist not authorised for AE CT1',
  )
})

it('keeps the words of a refusal out of what is recorded in the clear, and gives them back with what was sealed', () => {
  const sent = faultResult('refused', 'CT1', verbatim('Jane Doe has no order'))
  expect(sent.errorComment).toContain('Jane Doe')
  const errorComment = redactedComment(sent, 'CT1')
  expect(errorComment).toBe('Worklist not authorised for AE CT1')
  const record = { status: 'C001', callingAeTitle: 'CT1', errorComment }
  expect(fullComment(record, verbatim('Jane Doe has no order'))).toBe(sent.errorComment)
  // What is ours is recorded as it was sent, and a success says nothing.
  expect(
    redactedComment({ status: 0xa700, errorComment: 'List cut at 2, narrow the query' }, 'CT1'),
  ).toBe('List cut at 2, narrow the query')
  expect(
    fullComment({ ...record, status: 'A700', errorComment: 'List cut' }, verbatim('Jane Doe')),
  ).toBe('List cut')
  expect(redactedComment({ status: 0 }, 'CT1')).toBe('')
})

it('says why in words, with a detail of ours and never with the partner’s', () => {
  expect(faultExplanation('unreachable', verbatim('connection refused'))).toEqual(
    'the partner could not be reached (connection refused)',
  )
  expect(faultExplanation('refused', verbatim('Jane Doe has no order'))).toEqual(
    'the partner refused the query',
  )
})
