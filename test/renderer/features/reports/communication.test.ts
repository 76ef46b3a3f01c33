import { describe, expect, it } from 'vitest'
import { verbatim } from '#shared/messages/message.ts'
import { faultsByField, ProblemError } from '../../../../renderer/src/api/client.ts'
import {
  communicationFaults,
  communicationField,
  communicationOf,
  newCommunication,
} from '../../../../renderer/src/features/reports/communication.ts'

const filled = { ...newCommunication(new Date(2026, 10, 20, 9, 5)), communicatedTo: 'Dr. Adeyemi' }

describe('who was told of a critical result', () => {
  it('begins with this minute, by telephone', () => {
    expect(filled).toMatchObject({ at: '2026-11-20T09:05', method: 'phone', isReadBack: false })
  })

  it('is told to the gateway as an instant', () => {
    const { communicatedAt, ...rest } = communicationOf(filled)
    expect(new Date(communicatedAt).getTime()).toBe(new Date(2026, 10, 20, 9, 5).getTime())
    expect(rest).toEqual({
      communicatedTo: 'Dr. Adeyemi',
      method: 'phone',
      isReadBack: false,
      note: '',
    })
    expect(communicationFaults(filled)).toEqual({})
  })

  it('is refused without a name and without a time, each fault at its field', () => {
    expect(Object.keys(communicationFaults({ ...filled, communicatedTo: ' ', at: '' }))).toEqual([
      'communicatedTo',
      'at',
    ])
  })

  it('has the faults of a refusal at its fields, those of the instant at the field for it', () => {
    const errors = ['communicatedTo', 'communicatedAt'].map((field) => ({
      path: `body.communication.${field}`,
      explanation: verbatim('Required'),
    }))
    const refusal = new ProblemError('malformed', verbatim('Some values are wrong.'), { errors })
    expect(Object.keys(faultsByField(refusal, 'body.communication', communicationField))).toEqual([
      'communicatedTo',
      'at',
    ])
  })
})
