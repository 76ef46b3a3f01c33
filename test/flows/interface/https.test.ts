import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type SecureVersion } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { type Serving, serving } from '../../support/command-line.ts'
import { OWNER } from '../../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../../support/http-call.ts'
import { tempFolder } from '../../support/temp-store.ts'

// `serve --https`: the listener for the LAN, as partners and browsers find it.

const temp = tempFolder()
const certificate = () => readFileSync(join(temp.folder, 'tls', 'cert.pem'), 'utf8')
let gateway: Serving
let https: string
let authorization: string

// The port of HTTP is left to its own address; a service that took all addresses would show at
// 127.0.0.2.
const start = async () => {
  gateway = await serving(temp.folder, '--http', ':0', '--https', '0.0.0.0:0')
  https = String(gateway.ready.https)
}

beforeAll(async () => {
  using context = openContext({ folder: temp.folder })
  const names = {
    'http.publicUrl': 'https://gateway.clinic.example:8443/',
    'http.allowedHosts': ['imaging', '192.0.2.77', '[fd00::7]', 'a:b'],
  }
  context.settings.change(names, 'command-line')
  authorization = `Bearer ${createApiKey(context, { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' }, 'command-line').key}`
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  await people.createUser(
    { ...OWNER, firstName: 'Olga', lastName: 'Owner', level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
})
beforeAll(start)
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

const signIn = (base: string, ca?: string) =>
  httpCall(`${base}/dashboard/session`, {
    method: 'POST',
    headers: OWN_PAGE,
    json: OWNER,
    ...(ca && { ca }),
  })

it('the ready line names both listeners', () => {
  expect(gateway.ready).toEqual({
    ready: true,
    http: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    https: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    dimse: expect.any(String),
  })
})

it('a partner that trusts the certificate in the data folder, and no other, calls the interface with its key', async () => {
  const ca = certificate()
  const made = await httpCall(`${https}/v1/express`, {
    method: 'POST',
    headers: { authorization },
    json: { expressCustomerName: 'North' },
    ca,
  })
  expect({ status: made.status, json: made.json }).toMatchObject({
    status: 201,
    json: { expressCustomerName: 'North' },
  })
  const listed = await httpCall(`${https}/v1/express`, { headers: { authorization }, ca })
  expect(listed.json).toMatchObject({ expressCustomers: [{ expressCustomerName: 'North' }] })
  expect((await httpCall(`${https}/v1/express`, { ca })).status).toBe(401)
  await expect(httpCall(`${https}/v1/express`, { headers: { authorization } })).rejects.toThrow(
    /self-signed certificate/,
  )
})

it('the certificate has every name that the gateway answers to', () => {
  const made = new X509Certificate(certificate())
  for (const name of ['localhost', 'gateway.clinic.example', 'imaging'])
    expect(made.checkHost(name)).toBe(name)
  for (const address of ['127.0.0.1', '192.0.2.77', 'fd00::7'])
    expect(made.checkIP(address)).toBe(address)
})

it('TLS older than 1.2 is refused', async () => {
  const port = Number(new URL(https).port)
  // Node itself would not offer the old ones at its usual security level.
  const negotiated = (version: SecureVersion) =>
    new Promise<string | null>((settle, fail) => {
      const options = {
        minVersion: version,
        maxVersion: version,
        ciphers: 'DEFAULT@SECLEVEL=0',
        ca: certificate(),
      }
      const socket = connectTls({ host: '127.0.0.1', port, ...options }, () => {
        settle(socket.getProtocol())
        socket.end()
      })
      socket.on('error', fail)
    })
  expect(await negotiated('TLSv1.3')).toBe('TLSv1.3')
  expect(await negotiated('TLSv1.2')).toBe('TLSv1.2')
  // The alert is the server's word.
  for (const old of ['TLSv1.1', 'TLSv1'] as const)
    await expect(negotiated(old)).rejects.toThrow(/alert protocol version/)
})

it('the session’s cookie is Secure there, and is not on loopback, where it would never come back', async () => {
  const secure = await signIn(https, certificate())
  expect(secure.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-isthmus-session-\d+=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    ),
  ])
  expect(secure.headers['strict-transport-security']).toBeUndefined()
  const plain = await signIn(gateway.http)
  expect(plain.headers['set-cookie']).toEqual([
    expect.stringMatching(/^isthmus-session-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/),
  ])
})

it('a name that is not the gateway’s is not answered', async () => {
  const ca = certificate()
  const foreign = await httpCall(`${https}/v1/express`, {
    headers: { authorization, host: 'evil.example' },
    ca,
  })
  expect({ status: foreign.status, json: foreign.json }).toMatchObject({
    status: 421,
    json: { code: 'wrong-host' },
  })
  const own = await httpCall(`${https}/v1/express`, {
    headers: { authorization, host: 'localhost' },
    ca,
  })
  expect(own.status).toBe(200)
})

it('HTTP stays on loopback’s one address beside an HTTPS on all of them', async () => {
  const reached = async (url: string) => {
    const socket = connect({ host: '127.0.0.2', port: Number(new URL(url).port) })
    const outcome = await once(socket, 'connect').then(
      () => 'connected',
      (error: NodeJS.ErrnoException) => error.code,
    )
    socket.destroy()
    return outcome
  }
  expect(await reached(https)).toBe('connected')
  expect(await reached(gateway.http)).toBe('ECONNREFUSED')
})

it('after a restart it is the same certificate, which partners may have pinned', async () => {
  const before = new X509Certificate(certificate())
  expect(await gateway.end('SIGTERM')).toBe(0)
  await start()
  expect(new X509Certificate(certificate()).fingerprint256).toBe(before.fingerprint256)
  const answer = await httpCall(`${https}/v1/express`, {
    headers: { authorization },
    ca: before.toString(),
  })
  expect(answer.status).toBe(200)
})
