import { randomUUID } from 'node:crypto'
import type { AttemptRecord, NewEvent } from '#server/modules/events/log.ts'
import { idFromUuid } from '#shared/ids.ts'

// Invented events and their attempts, as the requester tells of them.

export const newEvent = (more: Partial<NewEvent> = {}): NewEvent => ({
  eventId: idFromUuid('whe', randomUUID()),
  type: 'study.access_requested',
  endpointId: 'e1',
  subject: 'stu_00000000000040008000000000000001',
  studyInstanceUid: '1.2.3',
  apiKeyId: null,
  ...more,
})

export const attempt = (more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...{
    at: '2026-03-10T09:00:00.000Z',
    outcome: 'accepted',
    httpStatus: 200,
    tookMs: 12.4,
    bytes: 18,
    detail: null,
    notes: [],
  },
  ...{ request: '{"type":"x"}', response: Buffer.from('{"authorized":true}') },
  ...more,
})
