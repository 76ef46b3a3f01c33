import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { Duplex } from 'node:stream'
import {
  type ConnectionOptions,
  connect,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { TlsPeer } from '#server/dicom/dimse/service.ts'
import { TlsListener } from '#server/dicom/upper-layer/tls-listener.ts'
import { selfSignedCertificate } from '#server/http/certificate.ts'
import { serve } from '../../../../support/dimse-server.ts'
import { associated, Requestor } from '../../../../support/requestor.ts'

const certificate = () =>
  selfSignedCertificate(['127.0.0.1'], { nowMs: Date.now(), use: 'dicom-tls' })

async function overTls(port: number, options: ConnectionOptions): Promise<Requestor> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return new Requestor(socket)
}

async function listening(ca?: string) {
  const peers: (TlsPeer | undefined)[] = []
  const watched = await serve({
    policy: {
      decide: ({ tls }) => {
        peers.push(tls)
        return { accept: true }
      },
    },
    limits: { artimSeconds: 0.3 },
  })
  const own = certificate()
  const tls = await watched.server.listenByTls('127.0.0.1', 0, { ...own, ca })
  return { ...watched, peers, tls, own }
}

describe('DICOM by TLS', () => {
  it('stands beside the plain listener, and counts with it', async () => {
    const { server, port, tls, peers } = await listening()
    await using _server = server
    await using plain = await associated(port)
    await using secure = await overTls(tls.port, {})
    await secure.associate()
    expect([await plain.echo(), await secure.echo()]).toEqual([0, 0])
    expect(server.openAssociations).toBe(2)
    expect(peers).toEqual([
      undefined,
      expect.objectContaining({ protocol: 'TLSv1.3', fingerprint256: undefined, isTrusted: false }),
    ])
  })

  it('says which certificate a peer showed, and whether an authority of ours issued it', async () => {
    const [known, stranger] = [certificate(), certificate()]
    const { server, tls, peers } = await listening(known.cert)
    await using _server = server
    for (const shown of [known, stranger]) {
      await using secure = await overTls(tls.port, { ...shown, maxVersion: 'TLSv1.2' })
      await secure.associate()
      expect(peers.at(-1)).toMatchObject({
        protocol: 'TLSv1.2',
        cipher: expect.stringMatching(/^TLS_ECDHE_.*GCM/),
        fingerprint256: new X509Certificate(shown.cert).fingerprint256,
        isTrusted: shown === known,
      })
    }
  })

  it('trusts nobody without authorities of ours, whoever else is trusted on this computer', async () => {
    const known = certificate()
    const usual = getCACertificates('default')
    setDefaultCACertificates([known.cert])
    try {
      const { server, tls, peers } = await listening()
      await using _server = server
      await using secure = await overTls(tls.port, known)
      await secure.associate()
      expect(peers).toEqual([
        expect.objectContaining({
          fingerprint256: new X509Certificate(known.cert).fingerprint256,
          isTrusted: false,
        }),
      ])
    } finally {
      setDefaultCACertificates(usual)
    }
  })

  it('refuses TLS 1.1 and suites without forward secrecy or AEAD, after another certificate too', async () => {
    const { server, tls } = await listening()
    await using _server = server
    for (const renew of [() => {}, () => tls.setCertificate(certificate())]) {
      renew()
      for (const old of [
        { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' },
        { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' },
        { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA256' },
      ] as const) {
        const socket = connect({
          port: tls.port,
          host: '127.0.0.1',
          rejectUnauthorized: false,
          ...old,
        })
        const [error] = (await once(socket, 'error')) as [Error]
        expect(error.message).toMatch(/alert|version|handshake|protocol|no ciphers/i)
      }
    }
  })

  it('knows its authorities after another certificate', async () => {
    const known = certificate()
    const { server, tls, peers } = await listening(known.cert)
    await using _server = server
    tls.setCertificate(certificate())
    await using secure = await overTls(tls.port, known)
    await secure.associate()
    expect(peers).toEqual([expect.objectContaining({ isTrusted: true })])
  })

  it('lets go of a connection that never shakes hands, and stays there for others', async () => {
    const { server, tls } = await listening()
    await using _server = server
    const silent = connectPlain(tls.port, '127.0.0.1')
    silent.on('error', () => {})
    silent.resume()
    await once(silent, 'close')
    const garbage = connectPlain(tls.port, '127.0.0.1', () =>
      garbage.write('GET / HTTP/1.1\r\n\r\n'),
    )
    garbage.on('error', () => {})
    garbage.resume()
    await once(garbage, 'close')
    await using secure = await overTls(tls.port, {})
    await secure.associate()
    expect(await secure.echo()).toBe(0)
  })

  it('keeps handshakes apart of one peer and port, at several of our addresses or one after another', async () => {
    const handshakes = { max: 8, isExpected: () => true }
    const listener = new TlsListener(certificate(), 30, handshakes, undefined, () => {})
    const accept = (localAddress: string) => {
      const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
      const peer = { remoteAddress: '10.0.3.7', remotePort: 49_152 }
      Object.assign(socket, { ...peer, localAddress, localPort: 2762 }).on('error', () => {})
      listener.server.emit('connection', socket)
      return socket
    }
    const sockets = ['10.0.0.1', '10.0.0.2', '10.0.0.2'].map(accept)
    sockets[1]?.emit('close')
    listener.destroyHandshakes()
    expect([sockets[0]?.destroyed, sockets[2]?.destroyed]).toEqual([true, true])
  })

  it('takes a new certificate for connections to come', async () => {
    const { server, tls } = await listening()
    await using _server = server
    await using before = await overTls(tls.port, {})
    await before.associate()
    const next = certificate()
    tls.setCertificate(next)
    const socket = connect({ port: tls.port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    expect(socket.getPeerCertificate().fingerprint256).toBe(
      new X509Certificate(next.cert).fingerprint256,
    )
    socket.destroy()
    expect(await before.echo()).toBe(0)
  })
})
