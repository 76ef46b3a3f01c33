import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { certificateFacts, loadOrCreateCertificate } from '#server/http/certificate.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { runCommand } from '#server/modules/control/commands.ts'
import {
  connectionSheet,
  SHEET_TRANSFER_SYNTAXES,
} from '#server/modules/control/connection-sheet.ts'
import { ControlRequest } from '#server/modules/control/control.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { NewDestination } from '#shared/contract/destinations.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { SERVICES } from '../../../../../scripts/docs/services.ts'
import { webhookSecret } from '../../../../support/gateway.ts'
import { tempDataFolder } from '../../../../support/temp-store.ts'

const CLOCK = () => Date.parse('2026-11-20T09:30:00.000Z')
const card = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...{
    address,
    netmask: '255.255.255.0',
    family: 'IPv4',
    mac: '00:00:00:00:00:00',
    internal,
    cidr: null,
  },
})
const CARDS = {
  lo: [card('127.0.0.1', true)],
  docker0: [card('172.17.0.1')],
  eth0: [card('192.168.1.20')],
}

function openFolder() {
  const temp = tempDataFolder()
  const context = openContext({ folder: temp.folder, clock: CLOCK })
  context.settings.change({ 'clinic.timeZone': 'Europe/Berlin' }, 'command-line')
  return {
    context,
    folder: temp.folder,
    [Symbol.dispose]() {
      context[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

const rowOf = (sheet: string, first: string) =>
  sheet.split('\n').find((line) => line.startsWith(`| ${first} |`))

it('says of a new installation what a device is told', () => {
  using opened = openFolder()
  const sheet = connectionSheet(opened.context, undefined, '0.1.0', CARDS)
  expect(sheet).toMatch(
    /^# Connection sheet of ISTHMUS\n\nMade on 2026-11-20 at 10:30 by Isthmus 0\.1\.0, while the gateway was not running\./,
  )
  expect(rowOf(sheet, 'Address')).toBe(
    '| Address | 192.168.1.20 (eth0); 172.17.0.1 (docker0, virtual network of a program on this PC) |',
  )
  expect(rowOf(sheet, 'Port')).toBe('| Port | 11112 |')
  expect(rowOf(sheet, 'Port for DICOM TLS')).toContain('| 2762 (TLS 1.2 and 1.3')
  expect(rowOf(sheet, 'Certificate of this gateway')).toContain('created at the first start')
  expect(rowOf(sheet, 'Maximum PDU length')).toContain('65536')
  expect(rowOf(sheet, 'Storage commitment')).toBe(
    '| Storage commitment | 1.2.840.10008.1.20.1 | off |',
  )
  expect(rowOf(sheet, 'Worklist (C-FIND)')).toContain('no partner is configured')
  expect(sheet).toContain('None yet.')
  expect(sheet).toContain('No destination is set up.')
  expect(sheet).toContain('echoscu -v -aet DEVICE -aec ISTHMUS 192.168.1.20 11112')
})

it('says of one that runs where it listens, and which certificate it shows', () => {
  using opened = openFolder()
  const { cert } = loadOrCreateCertificate({
    folder: opened.folder,
    names: ['localhost'],
    nowMs: CLOCK(),
    use: 'dicom-tls',
  })
  const listening = { dimse: '0.0.0.0:104', dimseTls: '[::]:3000', http: 'http://127.0.0.1:8042' }
  const sheet = connectionSheet(opened.context, listening, undefined, CARDS)
  expect(sheet).toContain('Made on 2026-11-20 at 10:30. It contains no patient data')
  expect(rowOf(sheet, 'Port')).toBe('| Port | 104 |')
  expect(rowOf(sheet, 'Port for DICOM TLS')).toContain('| 3000 ')
  expect(rowOf(sheet, 'Certificate of this gateway')).toContain(
    `SHA-256 ${certificateFacts(cert, CLOCK()).fingerprint256};`,
  )
  // A listener that is down has no port to give out.
  const down = connectionSheet(
    opened.context,
    { ...listening, dimseTls: undefined },
    undefined,
    CARDS,
  )
  expect(rowOf(down, 'Port for DICOM TLS')).toBe('| Port for DICOM TLS | off |')
  expect(rowOf(down, 'Certificate of this gateway')).toBeUndefined()
})

it('lists devices and destinations, whatever people called them', () => {
  using opened = openFolder()
  const context = opened.context
  addDevice(
    context,
    NewDevice.parse({ aeTitle: 'OLD', isEnabled: false, name: 'Cellar' }),
    'command-line',
  )
  addDevice(
    context,
    NewDevice.parse({
      aeTitle: "O'CT 1",
      name: 'CT | <b>room</b>\u0007 1',
      modality: 'CT',
      address: '10.0.3.0/24',
      port: 104,
      tls: 'mutual',
    }),
    'command-line',
  )
  context.settings.change(
    {
      'commitment.isOn': true,
      'dimse.calledAePolicy': 'strict',
      'dimse.allowUnknownDevices': true,
      'clinic.name': 'Clinic *West*',
    },
    'command-line',
  )
  const now = '2026-11-20T09:30:00.000Z'
  insertDestination(context.database, {
    ...NewDestination.parse({ name: 'Archive', aeTitle: 'PACS', host: '10.0.0.9', port: 11112 }),
    ...{
      destinationId: context.uuid(),
      createdAt: now,
      updatedAt: now,
      lastSentAt: null,
      lastError: '',
    },
  } as never)
  const sheet = connectionSheet(opened.context, undefined, '0.1.0', CARDS)
  expect(rowOf(sheet, "O'CT 1")).toBe(
    "| O'CT 1 | CT \\| \\<b>room\\</b>  1 | 10.0.3.0/24 | CT | 104 | required, with client certificate | enabled | never |",
  )
  expect(rowOf(sheet, 'OLD')).toContain('| disabled | never |')
  expect(rowOf(sheet, 'Archive')).toBe('| Archive | PACS | 10.0.0.9 | 11112 | no | enabled |')
  expect(rowOf(sheet, 'Storage commitment')).toContain('results are sent to the listening port')
  expect(rowOf(sheet, 'Clinic')).toBe('| Clinic | Clinic \\*West\\* |')
  expect(sheet).toContain('(associations with another called AE title are rejected)')
  expect(sheet).toContain('Devices that are not in the list are also served')
  expect(sheet).toContain("echoscu -v -aet 'O'\\''CT 1' -aec ISTHMUS")
})

it('says of a listener that only this PC reaches that it does', () => {
  using opened = openFolder()
  opened.context.settings.change(
    { 'dimse.host': '127.0.0.1', 'dimse.tlsPort': null },
    'command-line',
  )
  const sheet = connectionSheet(opened.context, undefined, '0.1.0', CARDS)
  expect(rowOf(sheet, 'Address')).toBe('| Address | 127.0.0.1: reachable from this PC only |')
  expect(rowOf(sheet, 'Port for DICOM TLS')).toBe('| Port for DICOM TLS | off |')
  expect(rowOf(connectionSheet(opened.context, undefined, '0.1.0', {}), 'Address')).toContain(
    'reachable from this PC only',
  )
  opened.context.settings.change({ 'dimse.host': '0.0.0.0' }, 'command-line')
  expect(rowOf(connectionSheet(opened.context, undefined, '0.1.0', {}), 'Address')).toBe(
    '| Address | this PC has no network address |',
  )
})

it('is printed by a command, changes nothing, and holds no secret', async () => {
  using opened = openFolder()
  const { context } = opened
  const secret = webhookSecret()
  setPartner(
    context,
    { url: 'https://partner.example/webhooks', secret, allowPlaintext: false },
    'command-line',
  )
  const { key } = createApiKey(
    context,
    { description: 'RIS', isViewerEnabled: false, scope: 'all' },
    'command-line',
  )
  const before = context.audit.list({ limit: 100 }).items.length
  const { ok, output } = await runCommand(
    context,
    ControlRequest.parse({ command: 'connection-sheet' }),
    undefined,
    '0.1.0',
  )
  expect([ok, output]).toEqual([true, expect.stringContaining('# Connection sheet of ISTHMUS')])
  for (const hidden of [
    secret,
    secret.slice(6),
    key,
    'partner.example',
    'PRIVATE KEY',
    opened.folder,
  ])
    expect(output).not.toContain(hidden)
  expect(context.audit.list({ limit: 100 }).items).toHaveLength(before)
})

it('names the transfer syntaxes that the services have', () => {
  for (const service of ['verification', 'steps', 'commitment'] as const)
    expect(SERVICES[service].transferSyntaxes).toEqual(SHEET_TRANSFER_SYNTAXES)
  expect(SERVICES.worklist.transferSyntaxes.slice(0, 3)).toEqual(SHEET_TRANSFER_SYNTAXES)
  using opened = openFolder()
  expect(connectionSheet(opened.context, undefined, '0.1.0', CARDS)).toContain(
    'Explicit VR Little Endian, Implicit VR Little Endian, Explicit VR Big Endian; for images, also Deflated',
  )
})
