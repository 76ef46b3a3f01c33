import { expect, it } from 'vitest'
import { message } from '#shared/messages/message.ts'
import { ProblemError } from '../../../renderer/src/api/client.ts'
import { errorReference } from '../../../renderer/src/format/error-reference.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const ADDRESS = 'http://gateway.example/#/studies?search=marlowe'
const REQUEST = '0b9f7c52-6b1c-4b7e-9d0e-0f3f5b8f2a11'

it('names the request of the gateway’s log where the gateway answered', () => {
  const explanation = message('http.unexplained', { status: 500 })
  const error = new ProblemError('internal', explanation, { status: 500, requestId: REQUEST })
  const { id, text } = errorReference(error, NOW, ADDRESS)
  expect(id).toBe(REQUEST)
  expect(text.split('\n').slice(1)).toEqual([
    '2026-11-20T12:00:00.000Z',
    '/#/studies',
    'internal 500',
  ])
})

it('has the places of a fault of the program, without its message', () => {
  const { id, text } = errorReference(new TypeError('not JSON: "Marlowe"'), NOW, ADDRESS)
  expect(id).toMatch(/^W-[0-9a-f]{8}$/)
  expect(text).toContain('TypeError\nat ')
  expect(text).toContain('error-reference.test.ts')
  expect(text).not.toMatch(/marlowe/i)
})

it('is another one each time', () => {
  const ids = [1, 2, 3].map(() => errorReference(undefined, NOW, ADDRESS).id)
  expect(new Set(ids).size).toBe(3)
})
