import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, createServer } from 'node:tls'
import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  certificateFacts,
  fingerprintOf,
  loadOrCreateCertificate,
  renewCertificate,
  selfSignedCertificate,
} from '#server/http/certificate.ts'
import { serve } from '#server/http/operations.ts'
import { operation } from '#shared/operation.ts'
import { tempFolder } from '../../../support/temp-store.ts'
import { openTestServer } from './http-fixture.ts'

const NOW = Date.parse('2026-11-20T08:00:00.000Z')
const DAY = 24 * 60 * 60_000

it('makes a certificate for names and addresses that is its own authority', () => {
  const { key, cert } = selfSignedCertificate(
    ['gateway.clinic.example', '192.0.2.7', '2001:db8::7', '::1', '::ffff:192.0.2.9'],
    {
      nowMs: NOW,
    },
  )
  const made = new X509Certificate(cert)
  expect(made.verify(made.publicKey)).toBe(true)
  expect(made.checkIssued(made)).toBe(true)
  expect(made.checkHost('gateway.clinic.example')).toBe('gateway.clinic.example')
  expect(made.checkHost('other.example')).toBeUndefined()
  expect(
    ['192.0.2.7', '2001:db8::7', '::1', '::ffff:192.0.2.9', '192.0.2.8'].map((address) =>
      made.checkIP(address),
    ),
  ).toEqual(['192.0.2.7', '2001:db8::7', '::1', '::ffff:192.0.2.9', undefined])
  expect([made.validFrom, made.validTo].map((text) => Date.parse(text))).toEqual([
    NOW - DAY,
    NOW + 730 * DAY,
  ])
  expect(made.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  expect(key).toContain('BEGIN PRIVATE KEY')
})

it('keeps one in the data folder for its owner only, and the same one again', () => {
  using temp = tempFolder()
  const first = loadOrCreateCertificate({ folder: temp.folder, names: ['localhost'], nowMs: NOW })
  expect(
    loadOrCreateCertificate({ folder: temp.folder, names: ['localhost'], nowMs: NOW + 600 * DAY }),
  ).toEqual(first)
  for (const file of ['key.pem', 'cert.pem'])
    expect(statSync(join(temp.folder, 'tls', file)).mode & 0o077).toBe(0)
  expect(readFileSync(join(temp.folder, 'tls', 'cert.pem'), 'utf8')).toBe(first.cert)
})

it('renews it under the same key when it ends soon, lacks a name or cannot be read', () => {
  using temp = tempFolder()
  const own = (names: string[], nowMs: number) =>
    loadOrCreateCertificate({ folder: temp.folder, names, nowMs })
  const first = own(['localhost'], NOW)
  const later = own(['localhost'], NOW + 701 * DAY)
  expect(later.key).toBe(first.key)
  expect(fingerprintOf(later.cert)).not.toBe(fingerprintOf(first.cert))
  expect(fingerprintOf(first.cert)).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  const moved = own(['localhost', '192.0.2.9'], NOW + 701 * DAY)
  expect(new X509Certificate(moved.cert).checkIP('192.0.2.9')).toBe('192.0.2.9')
  writeFileSync(join(temp.folder, 'tls', 'cert.pem'), 'torn')
  expect(own(['localhost'], NOW).key).toBe(first.key)
})

it('keeps one of its own for devices, under an RSA key that older consoles know, and for calling them too', () => {
  using temp = tempFolder()
  const own = () =>
    loadOrCreateCertificate({
      folder: temp.folder,
      names: ['gw.clinic.example', '192.0.2.7'],
      nowMs: NOW,
      use: 'dicom-tls',
    })
  const first = own()
  const web = loadOrCreateCertificate({ folder: temp.folder, names: ['localhost'], nowMs: NOW })
  expect(own()).toEqual(first)
  const made = new X509Certificate(first.cert)
  expect([
    made.publicKey.asymmetricKeyType,
    made.publicKey.asymmetricKeyDetails?.modulusLength,
  ]).toEqual(['rsa', 2048])
  expect([made.verify(made.publicKey), made.checkPrivateKey(createPrivateKey(first.key))]).toEqual([
    true,
    true,
  ])
  expect(made.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  expect(made.checkIP('192.0.2.7')).toBe('192.0.2.7')
  const read = (file: string) => readFileSync(join(temp.folder, 'tls', file), 'utf8')
  expect([
    read('dicom-key.pem'),
    read('dicom-cert.pem'),
    read('key.pem'),
    read('cert.pem'),
  ]).toEqual([first.key, first.cert, web.key, web.cert])
  for (const file of ['dicom-key.pem', 'dicom-cert.pem'])
    expect(statSync(join(temp.folder, 'tls', file)).mode & 0o077).toBe(0)
})

it('keeps the one that devices trust whatever addresses the PC has, until it has ended', () => {
  using temp = tempFolder()
  const own = (names: string[], days: number) =>
    loadOrCreateCertificate({
      folder: temp.folder,
      names,
      nowMs: NOW + days * DAY,
      use: 'dicom-tls',
    })
  const first = own(['localhost'], 0)
  expect(own(['localhost', '192.0.2.9'], 729)).toEqual(first)
  const next = own(['localhost', '192.0.2.9'], 730)
  expect(next.key).toBe(first.key)
  expect(new X509Certificate(next.cert).checkIP('192.0.2.9')).toBe('192.0.2.9')
})

it('speaks TLS 1.2 with the cipher suite every DICOM node has', async () => {
  const { key, cert } = selfSignedCertificate(['127.0.0.1'], {
    nowMs: Date.now(),
    use: 'dicom-tls',
  })
  await using opened = new AsyncDisposableStack()
  const server = createServer({ key, cert }, (socket) => socket.end())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  opened.defer(() => new Promise<void>((closed) => server.close(() => closed())))
  const socket = connectTls({
    ...{ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca: cert },
    ...{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' },
  })
  opened.defer(() => void socket.destroy())
  await once(socket, 'secureConnect')
  expect([socket.authorized, socket.getCipher().name]).toEqual([
    true,
    'ECDHE-RSA-AES128-GCM-SHA256',
  ])
})

it('makes another one under another key when a person asks', () => {
  using temp = tempFolder()
  const options = {
    folder: temp.folder,
    names: ['localhost'],
    nowMs: NOW,
    use: 'dicom-tls',
  } as const
  const first = loadOrCreateCertificate(options)
  const second = renewCertificate({ ...options, nowMs: NOW + 10 * DAY })
  expect(second.key).not.toBe(first.key)
  expect(loadOrCreateCertificate({ ...options, nowMs: NOW + 20 * DAY })).toEqual(second)
  expect(new X509Certificate(second.cert).checkPrivateKey(createPrivateKey(second.key))).toBe(true)
})

it('recovers where it ended between the new key and the new certificate', () => {
  using temp = tempFolder()
  const options = { folder: temp.folder, names: ['localhost'], nowMs: NOW }
  loadOrCreateCertificate(options)
  const { key } = selfSignedCertificate(['localhost'], { nowMs: NOW })
  writeFileSync(join(temp.folder, 'tls', 'key.pem'), key)
  const after = loadOrCreateCertificate(options)
  expect(after.key).toBe(key)
  expect(new X509Certificate(after.cert).checkPrivateKey(createPrivateKey(key))).toBe(true)
})

it('tells a person what is in it', () => {
  const { cert } = selfSignedCertificate(['localhost'], { nowMs: NOW })
  expect(certificateFacts(cert, NOW + 700 * DAY)).toEqual({
    subject: 'CN=Isthmus',
    issuer: 'CN=Isthmus',
    isSelfMade: true,
    fingerprint256: fingerprintOf(cert),
    notBefore: '2026-11-19T08:00:00.000Z',
    notAfter: '2028-11-19T08:00:00.000Z',
    daysLeft: 30,
    pem: cert,
  })
  expect(certificateFacts(cert, NOW + 731 * DAY).daysLeft).toBe(-1)
})

it('serves over TLS, with Secure cookies and without HSTS, and ends a connection that does not speak it', async () => {
  const { key, cert } = selfSignedCertificate(['localhost'], { nowMs: Date.now() })
  const ping = operation('POST /ping', {
    access: 'public',
    summary: 'Ping',
    reply: z.object({ success: z.boolean() }),
  })
  await using server = await openTestServer({
    tls: { key, cert },
    register: (app) =>
      serve(app, ping, ({ session }) => {
        session.set('token')
        return { success: true }
      }),
  })
  expect(server.url).toBe(`https://127.0.0.1:${server.port}`)
  const answer = await new Promise<{
    status: number | undefined
    headers: NodeJS.Dict<string | string[]>
    text: string
  }>((settle, fail) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: server.port,
        servername: 'localhost',
        ca: cert,
        path: '/ping',
        method: 'POST',
        agent: false,
        headers: { host: 'localhost', 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () =>
          settle({ status: response.statusCode, headers: response.headers, text }),
        )
      },
    )
    asked.on('error', fail)
    asked.end()
  })
  expect([answer.status, answer.text]).toEqual([200, '{"success":true}'])
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-isthmus-session-\d+=token; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    ),
  ])
  expect(answer.headers['strict-transport-security']).toBeUndefined()

  const plain = connect(server.port, '127.0.0.1')
  const closed = new Promise<void>((settle) => plain.on('close', () => settle()))
  plain.on('error', () => {})
  plain.resume()
  plain.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await closed
})
