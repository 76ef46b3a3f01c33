import { randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { addOutboxJob } from '#server/jobs/outbox-queries.ts'
import {
  addEventAttempt,
  type EventAttemptRow,
  insertEvent,
  type NewEventRow,
} from '#server/modules/events/queries.ts'
import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import { appendForward } from '#server/modules/forwarding/forward-queries.ts'
import { countInstance } from '#server/modules/images/image-study-writing-queries.ts'
import { insertInspection } from '#server/modules/worklist/inspection-queries.ts'
import { idFromUuid } from '#shared/ids.ts'
import { seedImages } from './images.ts'
import { inspectionRecord } from './inspection-record.ts'

// What the charts of the home page are drawn from, at given instants.

/** Bytes of an image of `seedImages`. */
export const IMAGE_BYTES = 526_000

/** A study of so many images, all of which arrived at the instant. */
export const plantImages = (store: Context, at: string, instances: number): void =>
  seedImages(store, {
    uid: `2.25.${BigInt(`0x${randomUUID().replaceAll('-', '')}`)}`,
    at,
    instances,
  })

/** A worklist query, answered live where nothing else is given. */
export const plantQuery = (
  store: Context,
  at: string,
  more: Parameters<typeof inspectionRecord>[1] = {},
): number => insertInspection(store.database, inspectionRecord(at, more))

/** A request to the partner and how it ended, accepted where nothing else is given. */
export function plantRequest(
  store: Context,
  at: string,
  attempt: Partial<Pick<EventAttemptRow, 'outcome' | 'tookMs'>> & { readonly at?: string } = {},
  event: Partial<Pick<NewEventRow, 'type' | 'isTest'>> = {},
): void {
  const eventId = idFromUuid('whe', randomUUID())
  const { outcome = 'accepted' } = attempt
  const state = outcome === 'accepted' ? 'done' : 'failed'
  insertEvent(store.database, {
    ...{ eventId, type: 'modality_worklist.requested', endpointId: null, subject: 'CT1' },
    ...{ studyInstanceUid: null, owner: 'clinic', state, isTest: false, createdAt: at },
    ...event,
  })
  addEventAttempt(
    store.database,
    eventId,
    {
      ...{ at, outcome, httpStatus: 200, tookMs: 100, bytes: 2, detail: null, notes: [] },
      ...{ response: null, isCut: false },
      ...attempt,
    },
    { state, request: null },
  )
}

/** So many images of one study that wait for a destination since the instant. */
export function plantForwards(store: Context, at: string, instances: number): void {
  const destinationId = randomUUID()
  insertDestination(store.database, {
    ...{ destinationId, name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port: 104 },
    ...{ isTls: false, certificate: null, isEnabled: false, isAutomatic: false, modalities: [] },
    ...{
      hasPriors: false,
      confirmsStorage: false,
      createdAt: at,
      updatedAt: at,
      lastSentAt: null,
      lastError: null,
    },
  })
  for (let number = 1; number <= instances; number += 1)
    appendForward(store.database, {
      ...{ destinationId, instanceId: number, studyInstanceUid: '1.2' },
      ...{ sopInstanceUid: `1.2.1.${number}`, at },
    })
}

/** A job of the outbox that waits since the instant. */
export const plantJob = (store: Context, kind: string, at: string): number =>
  addOutboxJob(store.database, { kind, subject: randomUUID(), payload: {}, at })

/** A study of so many bytes, all of which arrived at the instant; without rows of its images. */
export function plantBytes(store: Context, at: string, bytes: number): void {
  const uid = `2.25.${BigInt(`0x${randomUUID().replaceAll('-', '')}`)}`
  seedImages(store, { uid, at, instances: 0 })
  const series = { modality: 'CT', seriesNumber: '2', seriesDescription: '' }
  const seriesInstanceUid = `${uid}.1`
  countInstance(store.database, uid, { ...series, seriesInstanceUid }, bytes, at, 'current')
}
