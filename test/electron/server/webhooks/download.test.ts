import { createServer as createTlsServer } from 'node:https'
import type { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ownListeners } from '#server/webhooks/address.ts'
import { selfSignedCertificate } from '../../../support/certificate.ts'
import { freePort } from '../../../support/free-port.ts'
import { type Network, openPartner, openTcpServer, openTestDownloads } from './request-fixture.ts'

const MIB = 1024 * 1024
const HOST = 'files.clinic.example'
const here = async () => [{ address: '127.0.0.1', family: 4 }]

/** Files behind a real server, and downloads that may reach it. */
async function openFiles(answer: Parameters<typeof openPartner>[0], more: Network = {}) {
  const server = await openPartner(answer)
  const hosts = [`127.0.0.1:${server.port}`]
  const downloads = openTestDownloads({ plaintextHosts: () => hosts, ...more })
  return {
    ...server,
    downloads,
    hosts,
    file: `http://127.0.0.1:${server.port}/a/b.pdf?X-Signature=s%2Fx`,
  }
}
async function bodyOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe('a download', () => {
  it('is the file as it was sent, asked for without cookies or keys', async () => {
    const files = await openFiles((response) =>
      response
        .writeHead(200, { 'content-type': 'Application/PDF; charset=x', 'set-cookie': 'a=b' })
        .end('%PDF'),
    )
    for (const _ of [1, 2]) {
      const { body, mediaType } = await files.downloads.get(files.file, {
        hosts: files.hosts,
        maxBytes: MIB,
      })
      expect([body.toString(), mediaType]).toEqual(['%PDF', 'application/pdf'])
    }
    expect(files.received.map(({ method, path }) => [method, path])).toEqual(
      Array(2).fill(['GET', '/a/b.pdf?X-Signature=s%2Fx']),
    )
    expect(Object.keys(files.received[1]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  it('comes by https from a listed host at a private address, and by no certificate of another name', async () => {
    const certificate = selfSignedCertificate([HOST])
    const server = await openPartner((response) => response.end('dicom'), ((listener: () => void) =>
      createTlsServer(certificate, listener)) as never)
    const downloads = openTestDownloads({
      resolve: here,
      authorities: [certificate.cert],
    })
    const get = (host: string, hosts: readonly string[]) =>
      downloads.get(`https://${host}:${server.port}/x`, { hosts, maxBytes: MIB })
    expect((await get(HOST, [`${HOST}:${server.port}`])).mediaType).toBe('application/octet-stream')
    await expect(get(HOST, [HOST])).rejects.toMatchObject({ fault: 'forbidden-address' })
    await expect(get('other.example', [`other.example:${server.port}`])).rejects.toMatchObject({
      detail: 'its certificate is for another host name',
    })
    expect(server.received).toHaveLength(1)
  })

  it.each([
    ['a redirect', 302, 'it responded with 302, a redirect; redirects are not followed'],
    ['a link that is over', 403, 'it responded with 403; the link may have expired'],
    ['a file that is not there', 404, 'it responded with 404: there is no such file'],
    ['an error', 500, 'it responded with 500'],
  ])('ends with %s in words that name no address', async (_what, status, detail) => {
    const files = await openFiles((response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('secret'),
    )
    await expect(
      files.downloads.get(files.file, { hosts: files.hosts, maxBytes: MIB }),
    ).rejects.toMatchObject({
      fault: 'status',
      detail,
      httpStatus: status,
    })
    await expect(
      files.downloads.stream(files.file, { hosts: files.hosts, maxBytes: MIB }),
    ).rejects.toMatchObject({
      fault: 'status',
      detail,
    })
  })

  it('is taken up to its most bytes, also out of a compression', async () => {
    const large = await openFiles((response) => response.end(Buffer.alloc(2 * MIB)))
    const bomb = await openFiles((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20 * MIB))),
    )
    for (const { downloads, file, hosts } of [large, bomb])
      await expect(downloads.get(file, { hosts, maxBytes: MIB })).rejects.toMatchObject({
        fault: 'oversize',
        detail: 'the response is larger than 1 MiB',
      })
    expect(
      (await large.downloads.get(large.file, { hosts: large.hosts, maxBytes: 2 * MIB })).body,
    ).toHaveLength(2 * MIB)
  })

  it('of a kind that was not asked for is not taken', async () => {
    const files = await openFiles((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    const get = (accept: readonly string[]) =>
      files.downloads.get(files.file, { hosts: files.hosts, maxBytes: MIB, accept })
    await expect(get(['image/*', 'application/pdf'])).rejects.toMatchObject({
      fault: 'invalid',
      detail: 'it is of a type that is not accepted',
    })
    expect((await get(['text/*'])).mediaType).toBe('text/html')
  })

  it('that hangs ends with its budget, and an aborted one with its reason', async () => {
    const files = await openFiles((response) =>
      response.writeHead(200, { 'content-length': '10' }).write('a'),
    )
    await expect(
      files.downloads.get(files.file, { hosts: files.hosts, maxBytes: MIB, budgetMs: 200 }),
    ).rejects.toMatchObject({
      fault: 'timeout',
    })
    const reason = new Error('the window was closed')
    const aborting = new AbortController()
    const got = files.downloads.get(files.file, {
      hosts: files.hosts,
      maxBytes: MIB,
      signal: aborting.signal,
    })
    aborting.abort(reason)
    await expect(got).rejects.toBe(reason)
  })

  it('never comes from one of our own listeners, or from a host that leads there', async () => {
    const files = await openFiles((response) => response.end('x'), {
      isOwn: (address, port) => ownListeners(() => [files.port])(address, port),
      resolve: here,
    })
    await expect(
      files.downloads.get(files.file, { hosts: files.hosts, maxBytes: MIB }),
    ).rejects.toMatchObject({
      fault: 'forbidden-address',
    })
    const named = `https://${HOST}:${files.port}/x`
    await expect(
      files.downloads.get(named, { hosts: [`${HOST}:${files.port}`], maxBytes: MIB }),
    ).rejects.toMatchObject({
      fault: 'forbidden-address',
      detail: 'it is a listener of this gateway, which the gateway never calls',
    })
    expect(files.received).toEqual([])
  })

  it('from where nobody listens says so', async () => {
    const port = await freePort()
    const downloads = openTestDownloads({
      plaintextHosts: () => [`127.0.0.1:${port}`],
    })
    const get = downloads.get(`http://127.0.0.1:${port}/`, {
      hosts: [`127.0.0.1:${port}`],
      maxBytes: MIB,
    })
    await expect(get).rejects.toMatchObject({
      fault: 'unreachable',
      detail: 'the connection was refused',
    })
  })
})

describe('a stream', () => {
  it('passes the file on, with its length, its kind and the range that was asked for', async () => {
    const files = await openFiles((response, _number, { headers }) =>
      response
        .writeHead(headers.range ? 206 : 200, {
          'content-type': 'application/dicom',
          'content-length': '5',
        })
        .end('dicom'),
    )
    const { body, ...facts } = await files.downloads.stream(files.file, {
      hosts: files.hosts,
      maxBytes: MIB,
      headers: { range: 'bytes=0-4' },
    })
    expect(facts).toEqual({ mediaType: 'application/dicom', length: 5, httpStatus: 206 })
    expect((await bodyOf(body)).toString()).toBe('dicom')
    expect(files.received[0]?.headers['accept-encoding']).toBe('identity')
  })

  it('says what the file is known by, and that it is still the same to whoever asks so', async () => {
    const files = await openFiles((response, _number, { headers }) =>
      headers['if-none-match'] === '"1"'
        ? response.writeHead(304, { etag: '"1"' }).end()
        : response
            .writeHead(200, { etag: '"1"', 'last-modified': 'Tue, 10 Mar 2026 09:00:00 GMT' })
            .end('dicom'),
    )
    const stream = (headers: Readonly<Record<string, string>>) =>
      files.downloads.stream(files.file, { hosts: files.hosts, maxBytes: MIB, headers })
    const whole = await stream({})
    expect(whole).toMatchObject({
      httpStatus: 200,
      etag: '"1"',
      lastModified: 'Tue, 10 Mar 2026 09:00:00 GMT',
    })
    await bodyOf(whole.body)
    const same = await stream({ 'if-none-match': '"1"' })
    expect(same.httpStatus).toBe(304)
    expect(await bodyOf(same.body)).toHaveLength(0)
  })

  it('takes a 304 that nobody asked for as no file', async () => {
    const files = await openFiles((response) => response.writeHead(304).end())
    await expect(
      files.downloads.stream(files.file, { hosts: files.hosts, maxBytes: MIB }),
    ).rejects.toMatchObject({
      fault: 'status',
      httpStatus: 304,
    })
  })

  it('breaks where it grows too large, whatever was said of its length', async () => {
    const told = await openFiles((response) => response.end(Buffer.alloc(2 * MIB)))
    await expect(
      told.downloads.stream(told.file, { hosts: told.hosts, maxBytes: MIB }),
    ).rejects.toMatchObject({ fault: 'oversize' })
    const untold = await openFiles((response) => {
      response.write(Buffer.alloc(MIB))
      response.end(Buffer.alloc(MIB))
    })
    const { body } = await untold.downloads.stream(untold.file, {
      hosts: untold.hosts,
      maxBytes: MIB,
    })
    await expect(bodyOf(body)).rejects.toMatchObject({ fault: 'oversize' })
  })

  it('breaks in words where the sender breaks it off, and with its reason where it is aborted', async () => {
    const cut = await openTcpServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ndicom'))
    })
    const downloads = openTestDownloads({
      plaintextHosts: () => [`127.0.0.1:${cut.port}`],
    })
    const { body } = await downloads.stream(cut.url, {
      hosts: [`127.0.0.1:${cut.port}`],
      maxBytes: MIB,
    })
    await expect(bodyOf(body)).rejects.toMatchObject({
      detail: 'the connection was closed before the response was complete',
    })

    const files = await openFiles((response) => response.writeHead(200).write('a'))
    const aborting = new AbortController()
    const reason = new Error('closed')
    const stream = await files.downloads.stream(files.file, {
      hosts: files.hosts,
      maxBytes: MIB,
      signal: aborting.signal,
    })
    const read = bodyOf(stream.body)
    aborting.abort(reason)
    await expect(read).rejects.toBe(reason)
  })
})

describe('a stream that nobody reads', () => {
  it('gives its connection back when it is given up', async () => {
    const hungUp = Promise.withResolvers<void>()
    const files = await openFiles((response) => {
      response.once('close', () => hungUp.resolve())
      response.writeHead(200, { 'content-length': MIB }).write('a')
    })
    const { body } = await files.downloads.stream(files.file, { hosts: files.hosts, maxBytes: MIB })
    body.destroy()
    await hungUp.promise
  })
})

describe('an upload', () => {
  it('puts the bytes where the partner wants them', async () => {
    const files = await openFiles((response) => response.writeHead(201).end('ignored'))
    const put = files.downloads.put(files.file, Buffer.from('DICM'), {
      hosts: files.hosts,
      mediaType: 'application/dicom',
      headers: { 'x-amz-acl': 'private' },
    })
    expect(await put).toEqual({ httpStatus: 201 })
    expect(files.received[0]).toMatchObject({
      method: 'PUT',
      body: Buffer.from('DICM'),
      headers: { 'content-type': 'application/dicom', 'x-amz-acl': 'private' },
    })
  })

  it('goes nowhere that is not listed, and fails with a status in words', async () => {
    const files = await openFiles((response) => response.writeHead(403).end())
    const put = (hosts: readonly string[]) =>
      files.downloads.put(files.file, Buffer.from('DICM'), {
        hosts,
        mediaType: 'application/dicom',
      })
    await expect(put([])).rejects.toMatchObject({ fault: 'forbidden-address' })
    await expect(put(files.hosts)).rejects.toMatchObject({
      detail: 'it responded with 403; the link may have expired',
    })
    expect(files.received).toHaveLength(1)
  })
})
