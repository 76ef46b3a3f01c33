import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import type { AssociationInfo, NegotiatedContexts } from '#server/dicom/dimse/service.ts'
import { observeAssociations } from '#server/modules/devices/association-feed.ts'
import { AssociationLog } from '#server/modules/devices/association-log.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import {
  countUnknownCallers,
  listUnknownCallers,
} from '#server/modules/devices/unknown-caller-queries.ts'
import { openLog } from '#server/platform/log.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { verbatim } from '#shared/messages/message.ts'
import { textOf } from '../../../../support/saying.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'

const REJECTED = {
  result: 1,
  source: 1,
  reason: 3,
  why: verbatim('it is not in the device list'),
} as const
const info = (callingAeTitle: string, more: Partial<AssociationInfo> = {}): AssociationInfo => ({
  associationId: `of ${callingAeTitle}`,
  callingAeTitle,
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '10.0.3.7',
  ...more,
})

const NEGOTIATED: NegotiatedContexts = {
  request: {
    ...{
      type: 'A-ASSOCIATE-RQ',
      protocolVersion: 1,
      calledAeTitle: 'ISTHMUS',
      callingAeTitle: 'CT1',
      applicationContext: '',
    },
    presentationContexts: [
      { id: 1, abstractSyntax: '1.2.840.10008.1.1', transferSyntaxes: ['1.2.840.10008.1.2'] },
      {
        id: 3,
        abstractSyntax: '1.2.840.10008.5.1.4.31',
        transferSyntaxes: ['1.2.840.10008.1.2.2'],
      },
    ],
    user: {
      ...{
        maximumLength: 16_384,
        implementationClassUid: '1.2.3',
        implementationVersionName: 'MODALITY_1',
      },
      ...{ asynchronousOperations: undefined, roles: [] },
    },
  },
  results: [
    { id: 1, result: 0, transferSyntax: '1.2.840.10008.1.2' },
    { id: 3, result: 4, transferSyntax: '1.2.840.10008.1.2' },
  ],
}
const ECHO = { service: 'Verification', commandField: 0x30, bytes: 0 }
const FIND = { service: 'Modality Worklist', commandField: 0x20, bytes: 120 }

function openClinic() {
  const temp = tempDataFolder()
  const written: string[] = []
  const log = openLog('trace', { write: (line) => void written.push(line) })
  const context = openContext({ folder: temp.folder, log })
  addDevice(context, NewDevice.parse({ aeTitle: 'CT1', name: 'CT room 1' }), 'command-line')
  addDevice(context, NewDevice.parse({ aeTitle: 'OFF', isEnabled: false }), 'command-line')
  const { feed } = context
  // What is due a second later finds the store closed.
  const associationLog = new AssociationLog(context)
  feed.subscribe((news) => news.kind === 'line' && associationLog.line(news.line))
  const observer = observeAssociations(
    context,
    associationLog,
    (aeTitle, address) => aeTitle === 'PACS' && address === '10.0.9.9',
    () => undefined,
  )
  return {
    observer,
    associationLog,
    log: written,
    store: context,
    /** Oldest first: kind, tone, text. */
    lines: () => feed.after(0).map(({ kind, tone, text }) => [kind, tone, text] as const),
    [Symbol.dispose]() {
      context[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

it('tells the life of an association in plain words, by the name of its device', () => {
  using clinic = openClinic()
  const { observer } = clinic
  observer.opened(info('CT1'), ['Verification', 'Modality Worklist'], NEGOTIATED)
  observer.answered(info('CT1'), { ...ECHO, status: 0x0000, responses: 0, ms: 1 })
  observer.answered(info('CT1'), { ...FIND, status: 0x0000, responses: 3, ms: 1 })
  observer.closed(info('CT1'), {
    kind: 'released',
    detail: verbatim('released by the other side'),
    remoteAddress: '10.0.3.7',
  })
  expect(clinic.lines()).toEqual([
    ['opened', 'plain', 'CT room 1 (CT1) connected for Verification and Modality Worklist.'],
    ['echo', 'good', 'CT room 1 (CT1) tested the connection (C-ECHO): it works.'],
    ['closed', 'plain', 'CT room 1 (CT1) closed the connection.'],
  ])
})

it('says what went wrong, and with whom', () => {
  using clinic = openClinic()
  const { observer } = clinic
  observer.opened(info('CT1', { calledAeTitle: 'OLD_RIS' }), [], NEGOTIATED)
  observer.opened(info('CT1', { calledAeTitle: '' }), ['Verification'], NEGOTIATED)
  observer.closed(info('CT1'), {
    kind: 'aborted',
    detail: verbatim('no data for 120 s'),
    remoteAddress: '10.0.3.7',
  })
  observer.rejected(info('US1'), REJECTED, ['Modality Worklist'])
  observer.rejected(info(''), REJECTED, ['Modality Worklist'])
  observer.closed(undefined, {
    kind: 'aborted',
    detail: verbatim('no association was requested within 30 s'),
    remoteAddress: '10.0.3.8',
  })
  expect(clinic.lines()).toEqual([
    [
      'opened',
      'warning',
      'CT room 1 (CT1) connected for services that this gateway does not offer and called OLD_RIS instead of ISTHMUS.',
    ],
    [
      'opened',
      'warning',
      'CT room 1 (CT1) connected for Verification and called an empty AE title instead of ISTHMUS.',
    ],
    ['aborted', 'warning', 'CT room 1 (CT1) was disconnected: no data for 120 s.'],
    ['rejected', 'danger', 'US1 tried to connect and was rejected: it is not in the device list.'],
    [
      'rejected',
      'danger',
      'A device without an AE title tried to connect and was rejected: it is not in the device list.',
    ],
    [
      'aborted',
      'warning',
      'A connection from 10.0.3.8 ended before it requested an association: no association was requested within 30 s.',
    ],
  ])
})

it('puts into the inbox who is neither known nor switched off, with what it wanted', async () => {
  using clinic = openClinic()
  const { observer, store } = clinic
  observer.rejected(info('US1'), REJECTED, ['Modality Worklist'])
  observer.opened(info('XA1'), ['Verification'], NEGOTIATED)
  observer.opened(info('CT1'), ['Verification'], NEGOTIATED)
  observer.opened(info('OFF'), ['Verification'], NEGOTIATED)
  observer.rejected(info('OFF'), REJECTED, ['Modality Worklist'])
  observer.rejected(
    info('BUSY'),
    {
      result: 2,
      source: 3,
      reason: 2,
      why: verbatim('100 associations are open, which is the limit'),
    },
    ['Verification'],
  )
  observer.rejected(info(''), REJECTED, ['Modality Worklist'])
  await vi.waitFor(() =>
    expect(listDevices(store.database).find(({ aeTitle }) => aeTitle === 'CT1')?.lastAddress).toBe(
      '10.0.3.7',
    ),
  )
  const callers = listUnknownCallers(store.database).map(({ aeTitle, address, services }) => ({
    aeTitle,
    address,
    services,
  }))
  expect(callers).toHaveLength(2)
  expect(callers).toEqual(
    expect.arrayContaining([
      { aeTitle: 'US1', address: '10.0.3.7', services: ['Modality Worklist'] },
      { aeTitle: 'XA1', address: '10.0.3.7', services: ['Verification'] },
    ]),
  )
})

it('notes nobody where everyone is served', async () => {
  using clinic = openClinic()
  clinic.store.settings.change({ 'dimse.allowUnknownDevices': true }, 'command-line')
  clinic.observer.opened(info('US1'), ['Modality Worklist'], NEGOTIATED)
  clinic.observer.opened(info('CT1'), ['Modality Worklist'], NEGOTIATED)
  await vi.waitFor(() =>
    expect(
      listDevices(clinic.store.database).find(({ aeTitle }) => aeTitle === 'CT1')?.lastAddress,
    ).toBe('10.0.3.7'),
  )
  expect(listUnknownCallers(clinic.store.database)).toEqual([])
})

it('logs rejections and answers that are no success, by numbers', () => {
  using clinic = openClinic()
  clinic.observer.rejected(info('US1'), REJECTED, ['Modality Worklist'])
  clinic.observer.answered(info('CT1'), { ...FIND, status: 0xa700, responses: 0, ms: 8000.4 })
  clinic.observer.answered(info('CT1'), { ...ECHO, status: 0x0122, responses: 0, ms: 1 })
  expect(clinic.log.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      level: 'warn',
      msg: 'association rejected',
      aeTitle: 'US1',
      address: '10.0.3.7',
      result: 1,
      source: 1,
      reason: 3,
      code: REJECTED.why.code,
    },
    {
      level: 'info',
      msg: 'answered',
      aeTitle: 'CT1',
      service: 'Modality Worklist',
      status: 'a700',
      responses: 0,
      ms: 8000,
    },
    { level: 'info', msg: 'answered', status: '0122' },
  ])
  const [kind, tone, text] = clinic.lines().at(-1) ?? []
  expect([kind, tone]).toEqual(['echo', 'warning'])
  expect(textOf(text)).toContain('tested the connection (C-ECHO): ')
})

it('lists no archive among the callers to approve that is let in because a study is fetched from it', async () => {
  using clinic = openClinic()
  const { observer, store } = clinic
  observer.opened(info('PACS', { remoteAddress: '10.0.9.9' }), ['CT Image Storage'], NEGOTIATED)
  observer.opened(info('PACS', { remoteAddress: '10.0.9.8' }), ['Verification'], NEGOTIATED)
  await vi.waitFor(() => expect(countUnknownCallers(store.database)).toBeGreaterThan(0))
  expect(listUnknownCallers(store.database).map(({ address }) => address)).toEqual(['10.0.9.8'])
  expect(clinic.lines()[0]).toEqual(['opened', 'plain', 'PACS connected for CT Image Storage.'])
})

it('keeps a connection with its lines, what was asked on it, and what was agreed', async () => {
  using clinic = openClinic()
  const { observer, associationLog } = clinic
  const ct = info('CT1', {
    tls: { protocol: 'TLSv1.3', cipher: '', fingerprint256: undefined, isTrusted: false },
  })
  observer.opened(ct, ['Verification'], NEGOTIATED)
  observer.answered(ct, { ...ECHO, status: 0, responses: 0, ms: 1 })
  observer.answered(ct, { ...FIND, status: 0, responses: 6, ms: 1 })
  observer.answered(ct, { ...FIND, status: 0xfe00, responses: 2, ms: 1 })
  observer.answered(ct, {
    service: 'CT Image Storage',
    commandField: 0x01,
    bytes: 524_288,
    status: 0xb007,
    responses: 0,
    ms: 1,
  })
  observer.answered(ct, {
    service: 'CT Image Storage',
    commandField: 0x01,
    bytes: 10,
    status: 0xa700,
    responses: 0,
    ms: 1,
  })
  observer.answered(ct, {
    service: 'Modality Performed Procedure Step',
    commandField: 0x140,
    bytes: 10,
    status: 0,
    responses: 0,
    ms: 1,
  })
  observer.answered(ct, {
    service: 'Storage Commitment',
    commandField: 0x130,
    bytes: 10,
    status: 0,
    responses: 0,
    ms: 1,
  })
  observer.closed(ct, {
    kind: 'released',
    detail: verbatim('released by the other side'),
    remoteAddress: '10.0.3.7',
  })
  observer.rejected(info('US1'), REJECTED, [])
  expect(await associationLog.read('of CT1')).toMatchObject({
    association: {
      ...{
        deviceName: 'CT room 1',
        aeTitle: 'CT1',
        address: '10.0.3.7',
        tls: 'TLSv1.3',
        how: 'released',
        times: 1,
        tone: 'good',
      },
      counts: {
        echoes: 1,
        queries: 2,
        exams: 8,
        instances: 2,
        bytes: 524_298,
        steps: 1,
        commitments: 1,
        failures: 1,
      },
    },
    lines: [{ kind: 'opened' }, { kind: 'echo' }, { kind: 'closed' }],
    terms: {
      implementationVersionName: 'MODALITY_1',
      contexts: [
        { name: 'Verification', result: 0, transferSyntax: '1.2.840.10008.1.2' },
        { name: 'Modality Worklist', result: 4, transferSyntax: '' },
      ],
    },
  })
  expect(await associationLog.read('of US1')).toMatchObject({
    association: {
      deviceId: null,
      how: 'rejected',
      detail: verbatim('it is not in the device list'),
      tone: 'danger',
    },
    lines: [{ kind: 'rejected' }],
    terms: null,
  })
})
