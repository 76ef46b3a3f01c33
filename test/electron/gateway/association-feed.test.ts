import { expect, it, vi } from 'vitest'
import { observeAssociations } from '#gateway/association-feed.ts'
import { createFeed } from '#gateway/dashboard/feed.ts'
import type { AssociationInfo } from '#gateway/dimse/service.ts'
import { openLog } from '#gateway/log.ts'
import { openParts } from '#gateway/parts.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { tempFolder } from '../../support/temp-store.ts'

const REJECTED = { result: 1, source: 1, reason: 3, why: 'it is not in the device list' } as const
const info = (callingAeTitle: string, more: Partial<AssociationInfo> = {}): AssociationInfo => ({
  associationId: `of ${callingAeTitle}`,
  callingAeTitle,
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '10.0.3.7',
  ...more,
})

function openClinic() {
  const temp = tempFolder()
  const parts = openParts(temp.folder)
  parts.devices.add(NewDevice.parse({ aeTitle: 'CT1', name: 'CT room 1' }), 'command-line')
  parts.devices.add(NewDevice.parse({ aeTitle: 'OFF', isEnabled: false }), 'command-line')
  const feed = createFeed({ clock: Date.now })
  const log: string[] = []
  const observer = observeAssociations({
    ...parts,
    feed,
    isFetchedFrom: (aeTitle, address) => aeTitle === 'PACS' && address === '10.0.9.9',
    log: openLog('trace', { write: (line) => void log.push(line) }),
  })
  return {
    observer,
    log,
    ...parts,
    /** Oldest first: kind, tone, text. */
    lines: () => feed.after(0).map(({ kind, tone, text }) => [kind, tone, text]),
    [Symbol.dispose]() {
      parts[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

it('tells the life of an association in plain words, by the name of its device', () => {
  using clinic = openClinic()
  const { observer } = clinic
  observer.opened(info('CT1'), ['Verification', 'Modality Worklist'])
  observer.answered(info('CT1'), { service: 'Verification', status: 0x0000, responses: 0, ms: 1 })
  observer.answered(info('CT1'), { service: 'Modality Worklist', status: 0x0000, responses: 3, ms: 1 })
  observer.closed(info('CT1'), { kind: 'released', detail: 'released by the peer', remoteAddress: '10.0.3.7' })
  expect(clinic.lines()).toEqual([
    ['opened', 'plain', 'CT room 1 (CT1) connected for Verification, Modality Worklist.'],
    ['echo', 'good', 'CT room 1 (CT1) tested the connection (C-ECHO): it works.'],
    ['closed', 'plain', 'CT room 1 (CT1) closed the connection.'],
  ])
})

it('says what went wrong, and with whom', () => {
  using clinic = openClinic()
  const { observer } = clinic
  observer.opened(info('CT1', { calledAeTitle: 'OLD_RIS' }), [])
  observer.closed(info('CT1'), { kind: 'aborted', detail: 'silent for 120 s', remoteAddress: '10.0.3.7' })
  observer.rejected(info('US1'), REJECTED, ['Modality Worklist'])
  observer.rejected(info(''), REJECTED, ['Modality Worklist'])
  observer.closed(undefined, { kind: 'aborted', detail: 'asked for nothing for 30 s', remoteAddress: '10.0.3.8' })
  expect(clinic.lines()).toEqual([
    ['opened', 'warning', 'CT room 1 (CT1) connected for nothing we offer, calling us OLD_RIS instead of ISTHMUS.'],
    ['aborted', 'warning', 'The connection of CT room 1 (CT1) broke off: silent for 120 s.'],
    ['rejected', 'danger', 'US1 was refused: it is not in the device list.'],
    ['rejected', 'danger', 'A caller without a name was refused: it is not in the device list.'],
    ['aborted', 'warning', 'A connection from 10.0.3.8 ended before it asked for anything: asked for nothing for 30 s.'],
  ])
})

it('puts into the inbox who is neither known nor switched off, with what it wanted', async () => {
  using clinic = openClinic()
  const { observer, devices } = clinic
  observer.rejected(info('US1'), REJECTED, ['Modality Worklist'])
  observer.opened(info('XA1'), ['Verification'])
  observer.opened(info('CT1'), ['Verification'])
  observer.opened(info('OFF'), ['Verification'])
  observer.rejected(info('OFF'), REJECTED, ['Modality Worklist'])
  observer.rejected(info('BUSY'), { result: 2, source: 3, reason: 2, why: '100 associations are open, the limit' }, ['Verification'])
  observer.rejected(info(''), REJECTED, ['Modality Worklist'])
  await vi.waitFor(() => expect(devices.list().find(({ aeTitle }) => aeTitle === 'CT1')?.lastAddress).toBe('10.0.3.7'))
  const callers = devices.callers().map(({ aeTitle, address, services }) => ({ aeTitle, address, services }))
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
  clinic.settings.change({ 'dimse.allowUnknownDevices': true }, 'command-line')
  clinic.observer.opened(info('US1'), ['Modality Worklist'])
  clinic.observer.opened(info('CT1'), ['Modality Worklist'])
  await vi.waitFor(() => expect(clinic.devices.list().find(({ aeTitle }) => aeTitle === 'CT1')?.lastAddress).toBe('10.0.3.7'))
  expect(clinic.devices.callers()).toEqual([])
})

it('logs rejections and answers that are no success, by numbers', () => {
  using clinic = openClinic()
  clinic.observer.rejected(info('US1'), REJECTED, ['Modality Worklist'])
  clinic.observer.answered(info('CT1'), { service: 'Modality Worklist', status: 0xa700, responses: 0, ms: 8000.4 })
  clinic.observer.answered(info('CT1'), { service: 'Verification', status: 0x0122, responses: 0, ms: 1 })
  expect(clinic.log.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', msg: 'association rejected', aeTitle: 'US1', address: '10.0.3.7', result: 1, source: 1, reason: 3 },
    { level: 'info', msg: 'answered', aeTitle: 'CT1', service: 'Modality Worklist', status: 'a700', responses: 0, ms: 8000 },
    { level: 'info', msg: 'answered', status: '0122' },
  ])
  expect(clinic.lines().at(-1)).toEqual(['echo', 'warning', expect.stringContaining('tested the connection (C-ECHO): ')])
})

it('lists no archive among the callers to approve that is let in because a study is fetched from it', async () => {
  using clinic = openClinic()
  const { observer, store } = clinic
  observer.opened(info('PACS', { remoteAddress: '10.0.9.9' }), ['CT Image Storage'])
  observer.opened(info('PACS', { remoteAddress: '10.0.9.8' }), ['Verification'])
  await vi.waitFor(() => expect(store.callers.count()).toBeGreaterThan(0))
  expect(store.callers.list().map(({ address }) => address)).toEqual(['10.0.9.8'])
  expect(clinic.lines()[0]).toEqual(['opened', 'plain', 'PACS connected for CT Image Storage.'])
})
