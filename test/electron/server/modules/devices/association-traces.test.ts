import { expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type {
  AnsweredRequest,
  AssociationInfo,
  AssociationObserver,
} from '#server/dicom/dimse/service.ts'
import type { AssociateRq } from '#server/dicom/upper-layer/pdu.ts'
import { supportTextOf } from '#server/modules/devices/association-support.ts'
import { AssociationTraces } from '#server/modules/devices/association-traces.ts'
import { tracedMessage } from '#server/modules/devices/traced-messages.ts'
import type { AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import { verbatim } from '#shared/messages/message.ts'

const AT = '2026-11-20T12:00:00Z'
const NOW = Date.parse(AT)
const NOTHING: AssociationObserver = {
  opened: () => undefined,
  rejected: () => undefined,
  answered: () => undefined,
  closed: () => undefined,
}
const info = (associationId: string, callingAeTitle = 'CT1'): AssociationInfo => ({
  ...{ associationId, callingAeTitle, calledAeTitle: 'ISTHMUS', remoteAddress: '10.0.3.7' },
})
const NEGOTIATED = {} as Parameters<AssociationObserver['opened']>[2]
const bytes = (value: string) => Buffer.from(value.length % 2 ? `${value} ` : value)

const QUERY = writeDataSet(
  [
    { tag: 0x00080005, vr: 'CS', value: bytes('ISO_IR 192') },
    { tag: 0x00100010, vr: 'PN', value: bytes('CANARIO^ELVIRA') },
    { tag: 0x00100020, vr: 'LO', value: Buffer.alloc(0) },
    {
      tag: 0x00400100,
      vr: 'SQ',
      value: [
        [
          { tag: 0x00080060, vr: 'CS', value: bytes('CT') },
          { tag: 0x00400006, vr: 'PN', value: bytes('DOCTOR') },
        ],
      ],
    },
  ],
  TRANSFER_SYNTAX.explicitLittleEndian,
)

const answer = (dataSet: Buffer | undefined = QUERY): AnsweredRequest => ({
  ...{ service: 'Modality Worklist', commandField: COMMAND_FIELD['C-FIND-RQ'] },
  ...{ status: 0xa700, responses: 2, ms: 12.34, bytes: dataSet?.length ?? 0 },
  exchange: {
    context: {
      ...{ id: 3, abstractSyntax: '1.2.840.10008.5.1.4.31' },
      transferSyntax: TRANSFER_SYNTAX.explicitLittleEndian,
    },
    request: {
      ...{ commandField: COMMAND_FIELD['C-FIND-RQ'], hasDataSet: true, messageId: 7, priority: 0 },
      ...{ affectedSopClassUid: '1.2.840.10008.5.1.4.31', affectedSopInstanceUid: '1.2.3.4.5' },
    },
    response: { commandField: 0x8020, hasDataSet: false, messageIdBeingRespondedTo: 7 },
    dataSet,
  },
})

it('decodes an exchange by name, without values that may identify a patient', () => {
  const traces = new AssociationTraces(() => NOW)
  const observer = traces.observing(NOTHING)
  observer.opened(info('a'), [], NEGOTIATED)
  observer.answered(info('a'), answer())
  const [exchange] = traces.of('a')?.exchanges ?? []
  if (!exchange) throw new Error('nothing was kept')
  const decoded = tracedMessage(exchange, false)
  expect(decoded).toMatchObject({
    ...{ at: '2026-11-20T12:00:00.000Z', type: 'C-FIND-RQ', service: 'Modality Worklist' },
    ...{ contextId: 3, transferSyntax: 'Explicit VR Little Endian', responses: 2, ms: 12.3 },
    ...{ status: 0xa700, meaning: 'Refused: Out of resources', isFailure: true },
    request: [
      { keyword: 'AffectedSOPClassUID', value: 'Modality Worklist' },
      { keyword: 'MessageID', value: '7' },
      { keyword: 'Priority', value: 'MEDIUM' },
      { keyword: 'AffectedSOPInstanceUID', value: null },
    ],
    response: [{ keyword: 'MessageIDBeingRespondedTo', value: '7' }],
  })
  expect(decoded.dataSet?.map(({ depth, keyword, value }) => [depth, keyword, value])).toEqual([
    [0, 'SpecificCharacterSet', 'ISO_IR 192'],
    [0, 'PatientName', null],
    [0, 'PatientID', ''],
    [0, 'ScheduledProcedureStepSequence', ''],
    [1, 'Modality', 'CT'],
    [1, 'ScheduledPerformingPhysicianName', null],
  ])
  expect(JSON.stringify(decoded)).not.toMatch(/CANARIO|ELVIRA|DOCTOR|1\.2\.3\.4\.5/)
  const shown = JSON.stringify(tracedMessage(exchange, true))
  expect(shown).toContain('CANARIO^ELVIRA')
  expect(shown).toContain('1.2.3.4.5')
})

it('says of a data set that cannot be read, or was not kept, that it is not there', () => {
  const traces = new AssociationTraces(() => NOW)
  const observer = traces.observing(NOTHING)
  observer.opened(info('a'), [], NEGOTIATED)
  for (const dataSet of [Buffer.from('not a data set'), Buffer.alloc(100_000)])
    observer.answered(info('a'), answer(dataSet))
  expect(traces.of('a')?.exchanges.map((one) => tracedMessage(one, false).dataSet)).toEqual([
    null,
    null,
  ])
})

it('keeps the codes of a rejection and what was proposed, unless that is too long', () => {
  const traces = new AssociationTraces(() => NOW)
  const observer = traces.observing(NOTHING)
  const rejection = { result: 1, source: 1, reason: 3, why: verbatim('it is unknown') } as const
  const requestOf = (count: number) =>
    ({
      user: {
        ...{ maximumLength: 16_384, implementationClassUid: '1.2.276.0.1' },
        implementationVersionName: 'MODALITY_1',
      },
      presentationContexts: Array.from({ length: count }, (_, at) => ({
        ...{ id: 2 * at + 1, abstractSyntax: '1.2.840.10008.1.1' },
        transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
      })),
    }) as unknown as AssociateRq
  observer.rejected(info('a'), rejection, [], requestOf(1))
  observer.rejected(info('b'), rejection, [], requestOf(5000))
  const trace = traces.of('a')
  expect(trace?.rejection).toEqual({ result: 1, source: 1, reason: 3 })
  expect(traces.of('b')).toMatchObject({ rejection: { reason: 3 }, proposal: undefined })

  const association = {
    ...{ associationId: 'a', deviceId: null, deviceName: '', aeTitle: 'CT1', tls: '', times: 1 },
    ...{ calledAeTitle: 'ISTHMUS', address: '10.0.3.7', openedAt: AT, endedAt: AT },
    ...{ how: 'rejected', detail: verbatim('it is unknown'), tone: 'danger' },
    counts: {},
  } as unknown as AssociationSummary
  const about = { version: '1.2.3', aeTitle: 'ISTHMUS', now: AT }
  const text = supportTextOf({ association, lines: [], omitted: 0, terms: null }, about, trace)
  expect(text).toContain(
    'rejected-permanent (1), DICOM UL service-user (1), calling-AE-title-not-recognized (3)',
  )
  expect(text).toMatch(/What was proposed\n {2}Implementation 1\.2\.276\.0\.1 MODALITY_1/)
  expect(text).toMatch(/ 1 {2}Verification \(1\.2\.840\.10008\.1\.1\)\n {5}proposed 1\.2\.840/)
})

it('keeps a bounded number of associations of each caller and of messages of each', () => {
  const traces = new AssociationTraces(() => NOW)
  const observer = traces.observing(NOTHING)
  observer.opened(info('quiet', 'MR1'), [], NEGOTIATED)
  for (let at = 0; at < 50; at++) observer.opened(info(`ct-${at}`), [], NEGOTIATED)
  for (let at = 0; at < 130; at++) observer.answered(info('ct-49'), answer())
  expect(traces.of('ct-29')).toBeUndefined()
  expect(traces.of('ct-30')).toBeDefined()
  expect(traces.of('quiet')).toBeDefined()
  expect(traces.of('ct-49')).toMatchObject({ omitted: 30 })
  // Data sets have a limit of their own, for all associations together.
  const long = Buffer.alloc(32_000)
  for (let device = 0; device < 30; device++) {
    const id = info(`d-${device}`, `D${device}`)
    observer.opened(id, [], NEGOTIATED)
    for (let at = 0; at < 20; at++) observer.answered(id, answer(long))
  }
  const kept = Array.from({ length: 30 }, (_, device) => traces.of(`d-${device}`)).filter(Boolean)
  expect(kept.length).toBeGreaterThan(5)
  expect(kept.length).toBeLessThan(15)
})

it('keeps why an association was rejected', () => {
  const traces = new AssociationTraces(() => NOW)
  traces
    .observing(NOTHING)
    .rejected(
      info('x'),
      { result: 1, source: 1, reason: 3, why: { code: 'devices.not-listed' } },
      [],
    )
  expect(traces.of('x')?.rejection).toEqual({ result: 1, source: 1, reason: 3 })
})
