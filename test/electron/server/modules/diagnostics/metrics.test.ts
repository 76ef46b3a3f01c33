import { describe, expect, it } from 'vitest'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type {
  AssociationInfo,
  AssociationObserver,
  NegotiatedContexts,
} from '#server/dicom/dimse/service.ts'
import { addOutboxJob } from '#server/jobs/outbox-queries.ts'
import { Metrics } from '#server/modules/diagnostics/metrics.ts'
import type { People } from '#server/modules/users/people.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const CALLER: AssociationInfo = {
  associationId: 'a',
  callingAeTitle: 'EVIL"} 1',
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '10.0.0.9',
}

function counting() {
  const temp = tempStore()
  const { store, clock } = temp
  const metrics = new Metrics(
    store,
    '1.2.3',
    () => 3,
    () => ({ state: 'low', freeBytes: 5e9, totalBytes: 9e9, detail: null }),
    () => ({ waiting: 4, failed: 1 }),
    () => Promise.resolve(instantOf(clock() - 90_000)),
  )
  const heard: string[] = []
  const observer: AssociationObserver = {
    opened: () => void heard.push('opened'),
    rejected: () => void heard.push('rejected'),
    answered: () => void heard.push('answered'),
    closed: () => void heard.push('closed'),
  }
  const series = async () =>
    Object.fromEntries(
      (await metrics.text()).text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [
          line.slice(0, line.lastIndexOf(' ')),
          Number(line.slice(line.lastIndexOf(' ') + 1)),
        ]),
    )
  return {
    ...temp,
    metrics,
    heard,
    observer: metrics.observing(observer),
    series,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const answered = (commandField: number, status: number, bytes = 0) => ({
  service: '',
  commandField,
  status,
  responses: 0,
  ms: 12,
  bytes,
})

describe('what the gateway counts of its work', () => {
  it('counts associations and why they were rejected, and passes everything on', async () => {
    using gateway = counting()
    const { observer } = gateway
    observer.opened(CALLER, [], {} as NegotiatedContexts)
    observer.rejected(
      CALLER,
      { result: 1, source: 1, reason: 3, why: verbatim('it is not in the device list') },
      [],
    )
    observer.rejected(CALLER, { result: 1, source: 3, reason: 9, why: verbatim('unheard of') }, [])
    observer.closed(CALLER, {
      kind: 'aborted',
      detail: verbatim('lost'),
      remoteAddress: '10.0.0.9',
    })
    expect(gateway.heard).toEqual(['opened', 'rejected', 'rejected', 'closed'])
    expect(await gateway.series()).toMatchObject({
      isthmus_associations_open: 3,
      'isthmus_associations_total{outcome="accepted"}': 1,
      'isthmus_associations_total{outcome="rejected"}': 2,
      'isthmus_associations_rejected_total{reason="calling-ae-title"}': 1,
      'isthmus_associations_rejected_total{reason="other"}': 1,
      'isthmus_associations_rejected_total{reason="limit"}': 0,
      'isthmus_associations_ended_total{how="aborted"}': 1,
    })
  })

  it('counts worklists and images by what they were answered, with their time and bytes', async () => {
    using gateway = counting()
    const { observer } = gateway
    for (const status of [0x0000, 0xfe00, 0xa700, 0xc001, 0xc100, 0x0122])
      observer.answered(CALLER, answered(COMMAND_FIELD['C-FIND-RQ'], status))
    observer.answered(CALLER, answered(COMMAND_FIELD['C-STORE-RQ'], 0x0000, 500))
    observer.answered(CALLER, answered(COMMAND_FIELD['C-STORE-RQ'], 0xa900, 70))
    observer.answered(CALLER, answered(COMMAND_FIELD['C-ECHO-RQ'], 0x0000))
    expect(await gateway.series()).toMatchObject({
      'isthmus_c_find_total{outcome="success"}': 1,
      'isthmus_c_find_total{outcome="cancelled"}': 1,
      'isthmus_c_find_total{outcome="out-of-resources"}': 1,
      'isthmus_c_find_total{outcome="not-authorized"}': 1,
      'isthmus_c_find_total{outcome="cannot-process"}': 1,
      'isthmus_c_find_total{outcome="other"}': 1,
      isthmus_c_find_seconds_count: 6,
      'isthmus_c_find_seconds_bucket{le="0.01"}': 0,
      'isthmus_c_find_seconds_bucket{le="0.025"}': 6,
      'isthmus_c_store_instances_total{outcome="success"}': 1,
      'isthmus_c_store_bytes_total{outcome="success"}': 500,
      'isthmus_c_store_bytes_total{outcome="does-not-match"}': 70,
    })
  })

  it('counts the calls of partners by event and outcome; what was not called has no time', async () => {
    using gateway = counting()
    gateway.metrics.noteCall({ type: 'report.delivered', fault: null, tookMs: 40 })
    gateway.metrics.noteCall({ type: 'report.delivered', fault: 'timeout', tookMs: 9000 })
    gateway.metrics.noteCall({ type: 'report.delivered', fault: 'circuit-open', tookMs: 0 })
    expect(await gateway.series()).toMatchObject({
      'isthmus_webhook_calls_total{event="report.delivered",outcome="accepted"}': 1,
      'isthmus_webhook_calls_total{event="report.delivered",outcome="timeout"}': 1,
      'isthmus_webhook_calls_total{event="report.delivered",outcome="circuit-open"}': 1,
      'isthmus_webhook_calls_total{event="modality_worklist.requested",outcome="accepted"}': 0,
      'isthmus_webhook_seconds_count{event="report.delivered"}': 2,
    })
  })

  it('tells what waits, how much is kept, and how old the newest backup is', async () => {
    using gateway = counting()
    const { store, clock } = gateway
    addOutboxJob(store.database, {
      kind: 'report.delivered',
      subject: 'rep_1',
      payload: {},
      at: instantOf(clock() - 5000),
    })
    seedImages(store, { uid: '1.2.3', instances: 4 })
    expect(await gateway.series()).toMatchObject({
      'isthmus_outbox_waiting{kind="report.delivered"}': 1,
      'isthmus_outbox_oldest_seconds{kind="report.delivered"}': 5,
      'isthmus_outbox_waiting{kind="invitation.mail"}': 0,
      isthmus_forwards_waiting: 4,
      isthmus_forwards_failed: 1,
      isthmus_images: 4,
      isthmus_scribe_studies: 0,
      isthmus_reports: 0,
      isthmus_disk_free_bytes: 5e9,
      isthmus_disk_takes_images: 1,
      isthmus_backup_age_seconds: 90,
      isthmus_safe_mode: 0,
    })
  })

  it('counts sign-ins that failed, but not those that were asked for the code of the second factor', async () => {
    using gateway = counting()
    const wanted = new ApiError('not-signed-in', verbatim('The code is missing.'), {
      errors: [{ path: 'body.code', message: verbatim('is missing') }],
    })
    let thrown = wanted
    const people = gateway.metrics.watching({
      signIn: () => Promise.reject(thrown),
    } as unknown as People)
    await expect(people.signIn('a@clinic.example', 'x')).rejects.toBe(wanted)
    expect((await gateway.series()).isthmus_sign_ins_failed_total).toBe(0)
    await expect(people.signIn('a@clinic.example', 'x', { code: '123456' })).rejects.toBe(wanted)
    thrown = new ApiError('not-signed-in', verbatim('E-mail or password is wrong.'))
    await expect(people.signIn('a@clinic.example', 'x')).rejects.toBe(thrown)
    expect((await gateway.series()).isthmus_sign_ins_failed_total).toBe(2)
  })

  it('says what runs, has the figures of the process, and makes no label of what a caller says', async () => {
    using gateway = counting()
    gateway.observer.opened(CALLER, [], {} as NegotiatedContexts)
    const { contentType, text } = await gateway.metrics.text()
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toMatch(/^isthmus_build_info\{version="1\.2\.3",node="v[\d.]+",schema="\d+"\} 1$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m)
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^# TYPE nodejs_gc_duration_seconds histogram$/m)
    expect(text).not.toMatch(/EVIL|10\.0\.0\.9/)
    const names = text.split('\n').flatMap((line) => /^# HELP (\S+)/.exec(line)?.[1] ?? [])
    expect(new Set(names).size).toBe(names.length)
  })
})
