import { expect, it, onTestFinished } from 'vitest'
import { createFeed } from '#server/live-events/feed.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { openPartnerState } from '#server/modules/partners/state.ts'
import { putAnswer, storeDocument } from '#server/modules/worklist/queries.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const URL = 'https://partner.example/hook'
const at = (time: string) => Date.parse(`2026-11-20T${time}.000Z`)
const outcome = (fault: PartnerOutcome['fault'], time: string, detail = ''): PartnerOutcome => ({
  type: 'modality_worklist.requested',
  endpointId: 'default',
  fault,
  detail: verbatim(detail),
  at: at(time),
  httpStatus: null,
  tookMs: 1,
  bytes: 0,
  webhookId: 'whe_1',
  apiKeyId: null,
  about: { subject: 'CT1', studyInstanceUid: null },
  request: null,
  response: null,
  notes: [],
})

function openState(url: string | null = URL) {
  const feed = createFeed({ clock: () => at('12:00:00') })
  const temp = tempStore()
  onTestFinished(() => temp[Symbol.dispose]())
  if (url !== null) setPartner(temp.store, { url, allowPlaintext: false }, 'command-line')
  putAnswer(temp.store.database, {
    ...{ callingAe: 'CT1', dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: null },
    ...{ documentHash: storeDocument(temp.store, Buffer.from('[]')), items: 0 },
    receivedAt: '2026-11-20T09:00:00.000Z',
  })
  const state = openPartnerState(temp.store, feed)
  return { ...state, lines: () => feed.after(0).map(({ kind, tone, text }) => [kind, tone, text]) }
}

it('knows nothing before the first call, and that there is no partner where none is set', () => {
  expect(openState().status()).toMatchObject({
    url: URL,
    state: 'unknown',
    downSince: null,
    lastOkAt: '2026-11-20T09:00:00.000Z',
  })
  const unset = openState(null)
  unset.note(outcome('unreachable', '09:01:00'))
  expect(unset.status()).toMatchObject({ url: null, state: 'unset', fault: null })
})

it('is down since the first failure of several, and up at the first answer', () => {
  const partner = openState()
  partner.note(outcome(null, '09:00:00'))
  expect(partner.status()).toMatchObject({ state: 'up', downSince: null })
  partner.note(outcome('unreachable', '09:01:00', 'connection refused'))
  partner.note(outcome('timeout', '09:02:00', 'no answer within 8 s'))
  expect(partner.status()).toMatchObject({
    state: 'down',
    fault: 'timeout',
    detail: 'no answer within 8 s',
    downSince: '2026-11-20T09:01:00.000Z',
  })
  partner.note(outcome(null, '09:03:00'))
  expect(partner.status()).toMatchObject({
    state: 'up',
    fault: null,
    detail: null,
    downSince: null,
  })
  expect(partner.lines()).toEqual([
    ['partner', 'danger', 'The partner cannot be queried: connection refused.'],
    ['partner', 'good', 'The partner responds again.'],
  ])
})

it('tells a refusal from a failure, and keeps the partner’s own words, which may name a patient, to itself', () => {
  const partner = openState()
  partner.note(outcome('refused', '09:01:00', 'Doe^Jane is not yours'))
  expect(partner.status()).toMatchObject({
    state: 'refusing',
    fault: 'refused',
    detail: null,
    downSince: '2026-11-20T09:01:00.000Z',
  })
  partner.note(outcome('status', '09:02:00', 'HTTP 500'))
  expect(partner.status()).toMatchObject({
    state: 'down',
    fault: 'status',
    downSince: '2026-11-20T09:02:00.000Z',
  })
  expect(partner.lines()).toEqual([
    ['partner', 'danger', 'The partner refuses the request.'],
    ['partner', 'danger', 'The partner cannot be queried: HTTP 500.'],
  ])
})

it('is told by worklists alone, but for a first sign of life', () => {
  const partner = openState()
  const report = (fault: PartnerOutcome['fault'], time: string) => ({
    ...outcome(fault, time),
    type: 'report.delivered' as const,
  })
  partner.note(report('status', '09:00:00'))
  expect(partner.status()).toMatchObject({ state: 'unknown' })
  partner.note(report(null, '09:00:01'))
  expect(partner.status()).toMatchObject({ state: 'up' })
  partner.note(outcome('timeout', '09:01:00', 'no answer within 8 s'))
  partner.note(report(null, '09:02:00'))
  expect(partner.status()).toMatchObject({ state: 'down', fault: 'timeout' })
  partner.note({
    ...outcome(null, '09:03:00'),
    about: { subject: 'test', studyInstanceUid: null, isTest: true },
  })
  expect(partner.status()).toMatchObject({ state: 'down' })
})

it('learns nothing from a call that was not made', () => {
  const partner = openState()
  partner.note(outcome('unreachable', '09:01:00', 'connection refused'))
  partner.note(outcome('circuit-open', '09:02:00', 'not asked'))
  partner.note(outcome('no-endpoint', '09:03:00'))
  expect(partner.status()).toMatchObject({
    state: 'down',
    fault: 'unreachable',
    detail: 'connection refused',
  })
  expect(partner.lines()).toHaveLength(1)
})
