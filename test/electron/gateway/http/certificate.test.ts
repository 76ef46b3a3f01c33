import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { fingerprintOf, ownCertificate, selfSignedCertificate } from '#gateway/http/certificate.ts'
import { serve } from '#gateway/http/operations.ts'
import { operation } from '#shared/operation.ts'
import { tempFolder } from '../../../support/temp-store.ts'
import { openTestServer } from './http-fixture.ts'

const NOW = Date.parse('2026-11-20T08:00:00.000Z')
const DAY = 24 * 60 * 60_000

it('makes a certificate for names and addresses that is its own authority', () => {
  const { key, cert } = selfSignedCertificate(['gateway.clinic.example', '192.0.2.7', '2001:db8::7', '::1', '::ffff:192.0.2.9'], {
    nowMs: NOW,
  })
  const made = new X509Certificate(cert)
  expect(made.verify(made.publicKey)).toBe(true)
  expect(made.checkIssued(made)).toBe(true)
  expect(made.checkHost('gateway.clinic.example')).toBe('gateway.clinic.example')
  expect(made.checkHost('other.example')).toBeUndefined()
  expect(['192.0.2.7', '2001:db8::7', '::1', '::ffff:192.0.2.9', '192.0.2.8'].map((address) => made.checkIP(address))).toEqual([
    '192.0.2.7',
    '2001:db8::7',
    '::1',
    '::ffff:192.0.2.9',
    undefined,
  ])
  expect([made.validFrom, made.validTo].map((text) => Date.parse(text))).toEqual([NOW - DAY, NOW + 730 * DAY])
  expect(made.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  expect(key).toContain('BEGIN PRIVATE KEY')
})

it('keeps one in the data folder for its owner only, and the same one again', () => {
  using temp = tempFolder()
  const first = ownCertificate({ folder: temp.folder, names: ['localhost'], nowMs: NOW })
  expect(ownCertificate({ folder: temp.folder, names: ['localhost'], nowMs: NOW + 600 * DAY })).toEqual(first)
  for (const file of ['key.pem', 'cert.pem']) expect(statSync(join(temp.folder, 'tls', file)).mode & 0o077).toBe(0)
  expect(readFileSync(join(temp.folder, 'tls', 'cert.pem'), 'utf8')).toBe(first.cert)
})

it('renews it under the same key when it ends soon, lacks a name or cannot be read', () => {
  using temp = tempFolder()
  const own = (names: string[], nowMs: number) => ownCertificate({ folder: temp.folder, names, nowMs })
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

it('serves over TLS, with Secure cookies and without HSTS, and ends a connection that does not speak it', async () => {
  const { key, cert } = selfSignedCertificate(['localhost'], { nowMs: Date.now() })
  const ping = operation('POST /ping', { summary: 'Ping', reply: z.object({ success: z.boolean() }) })
  await using server = await openTestServer({
    tls: { key, cert },
    register: (app) =>
      serve(app, ping, { access: 'public' }, ({ session }) => {
        session.set('token')
        return { success: true }
      }),
  })
  expect(server.url).toBe(`https://127.0.0.1:${server.port}`)
  const answer = await new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (settle, fail) => {
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
          response.on('end', () => settle({ status: response.statusCode, headers: response.headers, text }))
        },
      )
      asked.on('error', fail)
      asked.end()
    },
  )
  expect([answer.status, answer.text]).toEqual([200, '{"success":true}'])
  expect(answer.headers['set-cookie']).toEqual(['isthmus-session=token; Path=/; HttpOnly; Secure; SameSite=Strict'])
  expect(answer.headers['strict-transport-security']).toBeUndefined()

  const plain = connect(server.port, '127.0.0.1')
  const closed = new Promise<void>((settle) => plain.on('close', () => settle()))
  plain.on('error', () => {})
  plain.resume()
  plain.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await closed
})
