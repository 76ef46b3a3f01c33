import { expect, it } from 'vitest'
import { normalQuery } from '#server/http/query.ts'

it('reads name[] as name, and joins both forms', () => {
  expect(normalQuery({ 'status[]': ['sent', 'accepted'], limit: '20' })).toEqual({
    status: ['sent', 'accepted'],
    limit: '20',
  })
  expect(normalQuery({ 'status[]': 'sent' })).toEqual({ status: ['sent'] })
  expect(normalQuery({ status: 'sent,revoked', 'status[]': ['accepted'] })).toEqual({
    status: ['sent,revoked', 'accepted'],
  })
})

it('leaves every other query as it is', () => {
  const query = { a: '1', b: ['2', '3'], 'c[x]': '4' }
  expect(normalQuery(query)).toBe(query)
  expect(normalQuery(undefined)).toBeUndefined()
})
