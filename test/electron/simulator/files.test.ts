import { describe, expect, it, onTestFinished } from 'vitest'
import { openSimulatedFiles, type SimulatedFile } from '#electron/simulator/files.ts'

const body = Buffer.from('0123456789')

async function open(file: Partial<SimulatedFile> = {}) {
  const files = await openSimulatedFiles({ clock: Date.now })
  onTestFinished(() => files[Symbol.asyncDispose]())
  files.put('a', { body, mediaType: 'application/dicom', ...file })
  return files
}

describe('the object store of a simulated partner', () => {
  it('answers 304 to who has the file, and the file again once it was replaced', async () => {
    const files = await open()
    const first = await fetch(files.getUrl('a'))
    const etag = first.headers.get('etag') ?? ''
    await first.arrayBuffer()
    const again = () => fetch(files.getUrl('a'), { headers: { 'if-none-match': etag } })
    expect((await again()).status).toBe(304)
    files.put('a', { body: Buffer.from('new'), mediaType: 'application/dicom' })
    expect(await (await again()).text()).toBe('new')
    expect([files.fetched, files.unchangedNames]).toEqual([['a', 'a'], ['a']])
  })

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
  ])('gives the range %s', async (range, status, text, told) => {
    const files = await open({ body: [body.subarray(0, 3), body.subarray(3)] })
    const answer = await fetch(files.getUrl('a'), { headers: { range } })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      told,
    ])
  })

  it('ends links that were given out, or every link of a file', async () => {
    const files = await open()
    files.put('b', { body, mediaType: 'application/dicom' })
    const [a, b] = [files.getUrl('a'), files.getUrl('b')]
    files.expire('a')
    expect([
      (await fetch(a)).status,
      (await fetch(b)).status,
      (await fetch(files.getUrl('a'))).status,
    ]).toEqual([403, 200, 200])
    files.expire()
    expect([(await fetch(b)).status, (await fetch(files.getUrl('b'))).status]).toEqual([403, 200])
    files.revoke('b')
    expect((await fetch(files.getUrl('b'))).status).toBe(403)
  })

  it.each([
    ['html', 200, '<!doctype'],
    ['truncated', 200, '01234'],
  ] as const)('has the fault %s', async (fault, status, begins) => {
    const files = await open({ fault })
    const answer = await fetch(files.getUrl('a'))
    expect([answer.status, (await answer.text()).startsWith(begins)]).toEqual([status, true])
  })

  it('resets a connection in the middle, or says nothing after the headers', async () => {
    const files = await open({ body: Buffer.alloc(1 << 20), fault: 'reset' })
    await expect(fetch(files.getUrl('a')).then((answer) => answer.arrayBuffer())).rejects.toThrow()
    files.setServingOptions({ fault: 'hang' })
    files.put('a', { body, mediaType: 'application/dicom' })
    const answer = await fetch(files.getUrl('a'), { signal: AbortSignal.timeout(300) })
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow()
  })

  it('serves a file slowly, and whole', async () => {
    const files = await open({
      body: [Buffer.alloc(3000, 1), Buffer.alloc(3000, 2)],
      delayMs: 20,
      bytesPerSecond: 60_000,
    })
    const got = Buffer.from(await (await fetch(files.getUrl('a'))).arrayBuffer())
    expect([got.length, got[2999], got[3000]]).toEqual([6000, 1, 2])
  })

  it('refuses uploads as it is told, then takes them', async () => {
    const files = await open()
    files.setUploadStatuses([503, 403])
    const put = async () => (await fetch(files.putUrl('c'), { method: 'PUT', body: 'new' })).status
    expect([await put(), await put(), await put()]).toEqual([503, 403, 200])
    expect(files.uploads.map(({ name }) => name)).toEqual(['c'])
  })
})
