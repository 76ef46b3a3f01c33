import { describe, expect, it } from 'vitest'
import {
  addOutboxJob,
  listDueOutboxJobs,
  listWaitingOutboxJobs,
  postponeOutboxJob,
  settleOutboxJob,
} from '#server/jobs/outbox-queries.ts'
import { EventLog } from '#server/modules/events/log.ts'
import { EventReplay, type ReplaySelection } from '#server/modules/events/replay.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { attempt, newEvent } from '../../../../support/events.ts'
import { seedImages } from '../../../../support/images.ts'
import { completedReport, draftReport } from '../../../../support/reports.ts'
import { reportedErrors, tempStore } from '../../../../support/temp-store.ts'

const ACTOR = 'user:usr_1'
const KIND = 'report.delivered'

function openReplay() {
  const temp = tempStore()
  const { store, clock } = temp
  const asked: string[] = []
  const errors = reportedErrors(store)
  let wakes = 0
  const replay = new EventReplay(store, () => void wakes++, {
    async 'patient_study.enrichment_requested'(uid) {
      asked.push(uid)
      if (uid === '1.9') throw new ApiError('refused', verbatim('There is nothing to ask for.'))
      if (uid === '1.8') throw new Error('the disk is full')
    },
    'clinical_context.enrichment_requested': async (studyId) => void asked.push(studyId),
  })
  const log = new EventLog(temp.store)
  const key = newKey(store)
  const studies = bound(studyService, temp.store)
  let uids = 0

  function study() {
    uids++
    return studies.createStudy(key, 'scribe', {
      ...{
        studyInstanceUid: `1.2.${uids}`,
        studyDescription: 'CT chest',
        severity: 'normal',
        reportMetadata: {},
      },
    }).record.studyId
  }
  const user = newUser(store)

  /** A signed report on its way, its event as it stands. */
  function delivered(
    state: 'waiting' | 'done' | 'failed' | 'dropped',
    more: { endpointId?: string; studyId?: string } = {},
  ) {
    const studyId = more.studyId ?? study()
    const reportId = completedReport(store, { studyId, userId: user.userId })
    const event = newEvent({
      type: KIND,
      subject: reportId,
      endpointId: more.endpointId ?? 'e1',
      studyInstanceUid: null,
    })
    store.database.transaction(() => {
      log.begin(event)
      const payload = { eventId: event.eventId, reportId }
      const outboxId = addOutboxJob(store.database, {
        kind: KIND,
        subject: reportId,
        lane: studyId,
        payload,
        at: instantOf(clock()),
      })
      const outcome = state === 'done' ? 'accepted' : 'unreachable'
      log.attempted(event.eventId, attempt({ at: instantOf(clock()), outcome }), state)
      if (state === 'waiting')
        postponeOutboxJob(store.database, outboxId, {
          notBefore: instantOf(clock() + 3_600_000),
          lastError: verbatim('x'),
          at: instantOf(clock()),
        })
      else
        settleOutboxJob(
          store.database,
          outboxId,
          state === 'done' ? 'sent' : state,
          instantOf(clock()),
        )
    })
    return { eventId: event.eventId as WebhookEventId, reportId, studyId }
  }
  async function noted(
    more: Parameters<typeof newEvent>[0],
    outcome: 'accepted' | 'timeout' = 'timeout',
  ) {
    const event = newEvent(more)
    log.record(event, attempt({ at: instantOf(clock()), outcome }))
    await log.flush()
    return event.eventId as WebhookEventId
  }
  const run = (which: ReplaySelection) => replay.replay(which, ACTOR)
  const these = (...eventIds: WebhookEventId[]) => run({ which: 'these', eventIds })
  const audited = () =>
    store.audit
      .list({ limit: 10 })
      .items.flatMap(({ action, detail }) =>
        action.startsWith('event.') ? { action, detail } : [],
      )
  return {
    ...temp,
    ...{ replay, log, asked, errors, study, user, delivered, noted, run, these, audited },
    wakes: () => wakes,
    due: () => listDueOutboxJobs(store.database, KIND, instantOf(clock()), 100),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('a report', () => {
  it('that was delivered goes out again under the id of its event, in the lane of its study', () => {
    using opened = openReplay()
    const { eventId, reportId, studyId } = opened.delivered('done')
    expect(opened.these(eventId)).toEqual({ queued: 1, skipped: [] })
    const [row] = opened.due()
    expect(row).toMatchObject({
      kind: KIND,
      subject: reportId,
      lane: studyId,
      state: 'waiting',
      attempts: 0,
    })
    expect(row?.payload).toEqual({ eventId, reportId })
    expect(opened.log.read(eventId)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      nextAt: instantOf(opened.clock()),
    })
    expect(opened.wakes()).toBe(1)
    expect(opened.audited()).toEqual([
      { action: 'event.replay', detail: { queued: 1, eventIds: [eventId] } },
    ])
  })

  it('that waits goes out now, and not twice', () => {
    using opened = openReplay()
    const { eventId } = opened.delivered('waiting')
    expect(opened.due()).toEqual([])
    opened.these(eventId, eventId)
    opened.these(eventId)
    expect(opened.due()).toHaveLength(1)
    expect(listWaitingOutboxJobs(opened.store.database, KIND)).toHaveLength(1)
  })

  it('goes out after the one of its study that was made before it', () => {
    using opened = openReplay()
    const first = opened.delivered('dropped')
    const second = opened.delivered('failed', { studyId: first.studyId })
    opened.these(second.eventId, first.eventId)
    expect(
      listWaitingOutboxJobs(opened.store.database, KIND).map(({ subject }) => subject),
    ).toEqual([first.reportId, second.reportId])
    expect(opened.due().map(({ subject }) => subject)).toEqual([first.reportId])
  })

  it('that is not signed never goes out', async () => {
    using opened = openReplay()
    const reportId = draftReport(opened.store, {
      studyId: opened.study(),
      userId: opened.user.userId,
    })
    const eventId = await opened.noted({ type: KIND, subject: reportId })
    expect(opened.these(eventId)).toEqual({
      queued: 0,
      skipped: [{ eventId, why: expect.stringContaining('no longer here') }],
    })
    expect(listWaitingOutboxJobs(opened.store.database, KIND)).toEqual([])
  })

  it('is only counted where it is a trial', () => {
    using opened = openReplay()
    const { eventId } = opened.delivered('failed')
    expect(opened.run({ which: 'these', eventIds: [eventId], isTrial: true })).toEqual({
      queued: 1,
      skipped: [],
    })
    expect([
      listWaitingOutboxJobs(opened.store.database, KIND),
      opened.wakes(),
      opened.audited(),
    ]).toEqual([[], 0, []])
  })
})

describe('other events', () => {
  it('that were synchronous or tests are left out, and why is said', async () => {
    using opened = openReplay()
    const synchronous = await opened.noted({})
    const test = await opened.noted({ type: KIND, isTest: true })
    const gone = newEvent().eventId as WebhookEventId
    const { queued, skipped } = opened.these(synchronous, test, gone)
    expect(queued).toBe(0)
    expect(new Map(skipped.map(({ eventId, why }) => [eventId, why]))).toEqual(
      new Map([
        [synchronous, expect.stringContaining('has continued without it')],
        [test, expect.stringContaining('test')],
        [gone, 'It is no longer kept.'],
      ]),
    )
    expect(opened.audited()).toEqual([])
  })

  it('that are soft are asked for again, once for each study, whatever becomes of one', async () => {
    using opened = openReplay()
    for (const uid of ['1.9', '1.8', '1.7']) seedImages(opened.store, { uid })
    const studyId = opened.study()
    const enrichment = (uid: string) =>
      opened.noted({ type: 'patient_study.enrichment_requested', subject: uid })
    const eventIds = [
      await enrichment('1.9'),
      await enrichment('1.8'),
      await enrichment('1.7'),
      await enrichment('1.7'),
      await enrichment('1.6'),
    ]
    const context = await opened.noted({
      type: 'clinical_context.enrichment_requested',
      subject: studyId,
    })
    expect(opened.these(...eventIds, context)).toEqual({
      queued: 4,
      skipped: [{ eventId: eventIds[4], why: 'The study of this event is no longer here.' }],
    })
    await opened.replay.settled()
    expect(opened.asked).toEqual(['1.9', '1.8', '1.7', studyId])
    expect(opened.errors).toEqual([expect.objectContaining({ message: 'the disk is full' })])
    expect(opened.wakes()).toBe(0)
  })
})

describe('a span', () => {
  it('is of what failed or waits in it, both ends included, or of everything', () => {
    using opened = openReplay()
    const { clock } = opened
    const at = () => instantOf(clock())
    opened.delivered('failed')
    clock.pass(1000)
    const from = at()
    const failed = opened.delivered('failed')
    const done = opened.delivered('done')
    clock.pass(1000)
    const to = at()
    const waiting = opened.delivered('waiting')
    clock.pass(1)
    opened.delivered('failed')
    const span = { which: 'span', from, to, isTrial: true } as const
    expect(opened.run({ ...span, only: 'failed' }).queued).toBe(2)
    expect(opened.run({ ...span, only: 'all' }).queued).toBe(3)
    expect(
      opened.run({ ...span, only: 'all', type: 'clinical_context.enrichment_requested' }).queued,
    ).toBe(0)
    opened.run({ which: 'span', from, to, only: 'all' })
    expect(
      opened
        .due()
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual([failed, done, waiting].map(({ reportId }) => reportId).toSorted())
  })

  it('is refused for events that nobody waits for any more', () => {
    using opened = openReplay()
    const span = {
      which: 'span',
      from: instantOf(0),
      to: instantOf(opened.clock()),
      only: 'all',
    } as const
    expect(() => opened.run({ ...span, type: 'modality_worklist.requested' })).toThrow(
      expect.objectContaining({ code: 'refused' }),
    )
  })

  it('is refused where it holds more than a thousand', () => {
    using opened = openReplay()
    opened.store.database.transaction(() => {
      for (let number = 0; number < 1001; number++) opened.log.begin(newEvent({ type: KIND }))
    })
    const span = {
      which: 'span',
      from: instantOf(0),
      to: instantOf(opened.clock()),
      only: 'all',
    } as const
    expect(() => opened.run(span)).toThrow(expect.objectContaining({ code: 'refused' }))
  })
})

describe('all since the outage', () => {
  it('is what waits, and what failed since the endpoint last accepted before it failed', async () => {
    using opened = openReplay()
    const { clock } = opened
    const old = opened.delivered('failed')
    clock.pass(1000)
    await opened.noted({ endpointId: 'e1' }, 'accepted')
    clock.pass(1000)
    const failed = opened.delivered('failed')
    const waiting = opened.delivered('waiting')
    const elsewhere = opened.delivered('failed', { endpointId: 'e2' })
    opened.delivered('done')
    opened.delivered('dropped')
    clock.pass(1000)
    await opened.noted({ endpointId: 'e1' }, 'accepted')
    expect(opened.run({ which: 'since-outage' })).toEqual({ queued: 3, skipped: [] })
    const due = opened.due().map(({ subject }) => subject)
    expect(due.toSorted()).toEqual(
      [failed, waiting, elsewhere].map(({ reportId }) => reportId).toSorted(),
    )
    expect(due).not.toContain(old.reportId)
  })

  it('is nothing where everything was delivered', () => {
    using opened = openReplay()
    opened.delivered('done')
    expect(opened.run({ which: 'since-outage' })).toEqual({ queued: 0, skipped: [] })
    expect(opened.wakes()).toBe(0)
  })
})

describe('giving an event up', () => {
  it('takes it out of the outbox for good, lets the next of its study go, and keeps who did it and why', () => {
    using opened = openReplay()
    const first = opened.delivered('waiting')
    const second = opened.delivered('failed', { studyId: first.studyId })
    opened.these(second.eventId)
    expect(opened.due()).toEqual([])
    expect(opened.replay.drop(first.eventId, 'The partner has it on paper.', ACTOR)).toEqual({
      success: true,
    })
    expect(opened.log.read(first.eventId)).toMatchObject({
      state: 'dropped',
      nextAt: null,
      mayReplay: true,
    })
    expect(opened.due().map(({ subject }) => subject)).toEqual([second.reportId])
    expect(opened.audited()[0]).toEqual({
      action: 'event.drop',
      detail: { type: KIND, subject: first.reportId, reason: 'The partner has it on paper.' },
    })
  })

  it('is only of what waits', () => {
    using opened = openReplay()
    const { eventId } = opened.delivered('done')
    expect(opened.replay.drop(eventId, 'No longer wanted.', ACTOR)).toMatchObject({
      success: false,
      message: expect.stringContaining('it was delivered'),
    })
    expect(() => opened.replay.drop(newEvent().eventId, 'No longer wanted.', ACTOR)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    expect(opened.audited()).toEqual([])
  })
})
