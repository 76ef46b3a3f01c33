import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import { englishText } from '#shared/messages/english.ts'
import { startStorescp } from '../support/archive.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'
import { textOf } from '../support/saying.ts'
import { outcomeOf, say, sendAsItIs, storedIn } from './storage-fixture.ts'

const scratch = scratchFolder()
afterAll(() => scratch[Symbol.dispose]())

/** Files of a certificate and its key, for DCMTK. */
interface Identity {
  readonly cert: string
  readonly certFile: string
  readonly keyFile: string
}

function identity(name: string): Identity {
  const { key, cert } = selfSignedCertificate([name])
  const [certFile, keyFile] = [
    join(scratch.path, `${name}.pem`),
    join(scratch.path, `${name}-key.pem`),
  ]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  return { cert, certFile, keyFile }
}

const console1 = identity('console')
const authority = identity('authority')
const stranger = identity('stranger')

/** Devices, each with another rule for TLS. */
const DEVICES = [
  { aeTitle: 'OPTIONAL' },
  { aeTitle: 'REQUIRED', tls: 'required' },
  { aeTitle: 'PINNED', tls: 'mutual', certificate: console1.cert },
  { aeTitle: 'ISSUED', tls: 'mutual' },
] as const

let started: StartedGateway
/** Of the listener by TLS. */
let tlsPort: string
let ownCertFile: string

beforeAll(async () => {
  started = await startGateway({
    overrides: { 'dimse.tlsPort': 0, 'dimse.tlsAuthorities': authority.cert },
    devices: DEVICES,
  })
  tlsPort = String(started.gateway.dimseTls?.split(':').at(-1))
  ownCertFile = join(started.folder, 'tls', 'dicom-cert.pem')
})
afterAll(() => started[Symbol.asyncDispose]())

/**
 * How a DCMTK tool connects: with this certificate, or with none; it trusts the gateway's own
 * certificate and no other.
 */
const by = (shown?: Identity): string[] => [
  ...(shown ? ['+tls', shown.keyFile, shown.certFile] : ['+tla']),
  ...['+cf', ownCertFile],
]

/** What echoscu came to: `Success`, or why not. */
async function echo(calling: string, port: string, how: readonly string[]): Promise<string> {
  const { output } = await say('echoscu', [
    '-v',
    '-aet',
    calling,
    '-aec',
    'ISTHMUS',
    ...how,
    '127.0.0.1',
    port,
  ])
  const [, answer] = /Received Echo Response \((.+)\)/.exec(output) ?? []
  return answer ?? /Result: (.+), Source/.exec(output)?.[1] ?? output
}

describe('DCMTK over TLS', () => {
  it('trusts the certificate that the gateway made, and sends, asks and tests by it', async (context) => {
    needs(context, 'dcmtk')
    expect(await echo('OPTIONAL', tlsPort, by(console1))).toBe('Success')
    const key = ['-k', 'PatientName', '-k', '(0040,0100)[0].Modality']
    const found = await say('findscu', [
      '-v',
      '-W',
      '-aet',
      'OPTIONAL',
      ...by(console1),
      ...key,
      '127.0.0.1',
      tlsPort,
    ])
    expect(found.output.match(/Find Response: \d+ \(Pending/g)?.length).toBeGreaterThan(10)
    const instance = writeInstance(scratch.path, { sopInstanceUid: '2.25.400.1', size: 600 })
    const sent = await say('storescu', [
      '-v',
      '-aet',
      'OPTIONAL',
      ...by(console1),
      '127.0.0.1',
      tlsPort,
      instance.path,
    ])
    expect(sent.output).toContain('Received Store Response (Success)')
    expect(
      storedIn(join(started.folder, 'images')).some(({ dataSet }) =>
        dataSet.equals(instance.dataSet),
      ),
    ).toBe(true)
    const { lines } = await started.call(dashboard.feed, { query: { limit: 100 } })
    expect(lines.filter(({ tone }) => tone === 'danger')).toEqual([])
  })

  it('does not take another certificate for the gateway', async (context) => {
    needs(context, 'dcmtk')
    expect(await echo('OPTIONAL', tlsPort, ['+tla', '+cf', stranger.certFile])).toMatch(
      /certificate verify failed|self.signed/i,
    )
  })

  it.for(['+py', '+px', '+pz'])(
    'agrees on a suite with each profile of BCP 195 (%s)',
    async (profile, context) => {
      needs(context, 'dcmtk')
      expect(await echo('OPTIONAL', tlsPort, [...by(console1), profile])).toBe('Success')
    },
  )

  it('cannot go below BCP 195: without encryption there is no association', async (context) => {
    needs(context, 'dcmtk')
    expect(await echo('OPTIONAL', tlsPort, [...by(console1), '+pn'])).toMatch(
      /handshake|alert|TLS|SSL/i,
    )
  })

  it.for([
    ['OPTIONAL', 'plain', 'Success'],
    ['OPTIONAL', 'no certificate', 'Success'],
    ['REQUIRED', 'plain', 'Rejected Permanent'],
    ['REQUIRED', 'no certificate', 'Success'],
    ['PINNED', 'plain', 'Rejected Permanent'],
    ['PINNED', 'no certificate', 'Rejected Permanent'],
    ['PINNED', 'stranger', 'Rejected Permanent'],
    ['PINNED', 'authority', 'Rejected Permanent'],
    ['PINNED', 'console', 'Success'],
    ['ISSUED', 'no certificate', 'Rejected Permanent'],
    ['ISSUED', 'console', 'Rejected Permanent'],
    ['ISSUED', 'authority', 'Success'],
  ] as const)('as %s, by %s: %s', async ([calling, how, expected], context) => {
    needs(context, 'dcmtk')
    const shown = {
      console: console1,
      authority,
      stranger,
      'no certificate': undefined,
      plain: undefined,
    }[how]
    const answer =
      how === 'plain'
        ? echo(calling, String(started.dimsePort), [])
        : echo(calling, tlsPort, by(shown))
    expect(await answer).toBe(expected)
  })

  it('is told in the feed why it is rejected', async (context) => {
    needs(context, 'dcmtk')
    await echo('PINNED', tlsPort, by())
    const { lines } = await started.call(dashboard.feed, { query: { limit: 100 } })
    expect(
      lines
        .map(({ text }) => englishText(text))
        .filter((text) => text.includes('it must present a certificate and presented none')),
    ).not.toEqual([])
  })
})

describe('a destination by TLS', () => {
  const instance = () =>
    writeInstance(scratch.path, { sopInstanceUid: '2.25.401.1', studyInstanceUid: '2.25.401' })

  /**
   * Sends to storescp, which shows the stranger's certificate, and wants to see the gateway's where
   * it is given that; what it has then, and what the queue says.
   */
  async function forwarded(
    certificate: string | null,
    known?: Identity,
  ): Promise<{ files: Buffer[]; lastError: string }> {
    await using gateway = await startGateway({ partner: null, overrides: { 'dimse.tlsPort': 0 } })
    const trusted = known?.certFile ?? join(gateway.folder, 'tls', 'dicom-cert.pem')
    await using archive = await startStorescp([
      '+B',
      '+tls',
      stranger.keyFile,
      stranger.certFile,
      '+cf',
      trusted,
    ])
    const body = {
      name: 'PACS',
      aeTitle: 'STORESCP',
      host: '127.0.0.1',
      port: archive.port,
      isTls: true,
      certificate,
      isAutomatic: true,
    }
    await gateway.call(dashboardDestinations.add, { body: NewDestination.parse(body) })
    expect((await sendAsItIs(gateway.dimsePort, [instance()])).map(outcomeOf)).toEqual([
      'sent 0000',
    ])
    for (;;) {
      const { destinations } = await gateway.call(dashboardDestinations.list, {})
      const [destination] = destinations
      if (destination && (destination.queue.waiting === 0 || destination.lastError !== null))
        return {
          files: storedIn(archive.folder).map(({ dataSet }) => dataSet),
          lastError: destination.lastError ? englishText(destination.lastError) : '',
        }
      await sleep(25)
    }
  }

  it.for([
    ['whose certificate was entered', stranger.cert],
    ['whose certificate is not checked', null],
  ] as const)(
    '%s sees who the gateway is, and gets the image',
    async ([, certificate], context) => {
      needs(context, 'dcmtk')
      const { files, lastError } = await forwarded(certificate)
      expect(lastError).toBe('')
      expect(files.map((bytes) => bytes.equals(instance().dataSet))).toEqual([true])
    },
  )

  it('that shows another certificate gets nothing, and the screen says so', async (context) => {
    needs(context, 'dcmtk')
    const { files, lastError } = await forwarded(console1.cert)
    expect(files).toEqual([])
    expect(lastError).toMatch(/certificate/)
  })

  it('that does not know the certificate of the gateway gets nothing, and the screen says so', async (context) => {
    needs(context, 'dcmtk')
    const { files, lastError } = await forwarded(stranger.cert, console1)
    expect(files).toEqual([])
    expect(lastError).not.toBe('')
  })
})

describe('a device that listens by TLS', () => {
  it('is tested by TLS', async (context) => {
    needs(context, 'dcmtk')
    await using archive = await startStorescp(
      ['+tls', stranger.keyFile, stranger.certFile, '+cf', ownCertFile],
      'LISTENS',
    )
    const listens = {
      aeTitle: 'LISTENS',
      address: '127.0.0.1',
      port: archive.port,
      tls: 'required',
    }
    const echoed = async (certificate: string) => {
      const { deviceId } = await started.call(dashboard.addDevice, {
        body: NewDevice.parse({ ...listens, certificate }),
      })
      const result = await started.call(dashboard.echoDevice, { params: { deviceId } })
      await started.call(dashboard.removeDevice, { params: { deviceId } })
      return result
    }
    expect(await echoed(stranger.cert)).toMatchObject({ success: true })
    const other = await echoed(console1.cert)
    expect(other.success).toBe(false)
    expect(textOf(other.message)).toMatch(/certificate/)
  })
})
