import { describe, expect, it } from 'vitest'
import { Destination } from '#shared/contract/destinations.ts'
import { verbatim } from '#shared/messages/message.ts'
import { forwardingText, stateOf } from '../../../../renderer/src/features/destinations/state.ts'

const SENT = '2026-11-20T08:45:00.000Z'
const destination = (more: object = {}): Destination =>
  Destination.parse({
    ...{
      destinationId: '0d3f7a52-6a4e-4a43-9f4e-2f6a7c1d9b10',
      name: 'PACS',
      aeTitle: 'PACS',
      host: 'pacs.example',
      port: 104,
      isTls: false,
    },
    ...{
      certificate: null,
      isEnabled: true,
      isAutomatic: true,
      modalities: [],
      hasPriors: false,
      confirmsStorage: false,
      createdAt: SENT,
      updatedAt: SENT,
    },
    ...{
      queue: { waiting: 0, sent: 0, failed: 0 },
      lastError: null,
      lastSentAt: SENT,
      nextAttemptAt: null,
    },
    ...more,
  })

describe('how a destination stands', () => {
  it('begins with what asks for a person', () => {
    const failed = { waiting: 3, sent: 9, failed: 1 }
    const waiting = { waiting: 3, sent: 9, failed: 0 }
    expect(stateOf(destination({ queue: failed, isEnabled: false }))).toBe('failed')
    expect(stateOf(destination({ queue: waiting, isEnabled: false }))).toBe('off')
    expect(
      stateOf(destination({ queue: waiting, lastError: verbatim('The device does not answer.') })),
    ).toBe('retrying')
    expect(stateOf(destination({ queue: waiting }))).toBe('sending')
    expect(stateOf(destination())).toBe('idle')
    expect(stateOf(destination({ lastSentAt: null }))).toBe('unused')
  })

  it('says what goes there by itself', () => {
    expect(forwardingText({ isAutomatic: true, modalities: [] })).toBe('all images, automatically')
    expect(forwardingText({ isAutomatic: true, modalities: ['CT', 'MR'] })).toBe(
      'CT, MR, automatically',
    )
    expect(forwardingText({ isAutomatic: false, modalities: ['CT'] })).toBe(
      'only studies sent manually',
    )
  })
})
