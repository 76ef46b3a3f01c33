import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import S3rver from 's3rver'
import type { NewTier, S3Settings } from '#shared/contract/tiers.ts'
import { tempFolder } from './temp-store.ts'

export const BUCKET = 'images'
const CREDENTIAL = 'S3RVER'

/** What happens to a request before it reaches the store. */
export interface Intervention {
  /** Code of the error that the store answers instead, such as `SignatureDoesNotMatch`. */
  readonly refuse?: string
  /** Called for every request, with its path and query; the store answers when it resolves. */
  readonly before?: (method: string, path: string, query: string) => Promise<void> | void
  /** Called for each part of the body of a request; what it returns is sent in its place. */
  readonly uploading?: (method: string, path: string, part: Buffer) => Buffer
  /** Called when the store has answered; its answer is sent when it resolves. */
  readonly after?: (method: string, path: string, query: string) => Promise<void> | void
  /** Called when the answer was sent. */
  readonly sent?: (method: string, path: string) => void
  /**
   * Sends this many bytes of the body of an object, and the rest when the promise resolves.
   */
  readonly hold?: (
    path: string,
  ) => { readonly bytes: number; readonly until: Promise<void> } | undefined
}

export interface TestStore extends AsyncDisposable {
  readonly url: string
  /** Requests as `GET /images/…`, in the order in which they came. */
  readonly requests: readonly string[]
  intervene(how: Intervention): void
  keys(): string[]
  contentOf(key: string): Buffer
  deleteObject(key: string): void
  changeObject(key: string, content?: Buffer): void
  tier(more?: Partial<NewTier>, settings?: Partial<S3Settings>): NewTier
}

/** The store itself, without the proxy before it. */
interface BareStore {
  readonly port: number
  close(): Promise<void>
}

export const newS3rver = (directory: string) =>
  new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: [{ name: BUCKET }],
  })

/** A tier whose images are in the store. */
export const tierAt = (
  url: string,
  more: Partial<NewTier> = {},
  settings: Partial<S3Settings> = {},
): NewTier => ({
  ...{ name: 'Archive store', isEnabled: true, isAutomatic: false, secret: CREDENTIAL },
  ...more,
  settings: {
    ...{ kind: 's3', endpoint: url, region: 'us-east-1', bucket: BUCKET, prefix: '' },
    ...{ accessKeyId: CREDENTIAL, isPathStyle: true, encryption: 'none', certificate: null },
    ...settings,
  },
})

/** In this process. */
export async function openBareStore(directory: string): Promise<BareStore> {
  const store = newS3rver(directory)
  const { port } = await store.run()
  return { port, close: () => store.close() }
}

/** In a process of its own, so that it works beside a test that keeps this one busy. */
async function spawnBareStore(directory: string): Promise<BareStore> {
  const program = join(import.meta.dirname, 'object-store-process.ts')
  const child = spawn(process.execPath, [program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return {
    port: Number(port),
    async close() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** An object store on a free port of 127.0.0.1, behind a proxy that can hold requests up. */
export async function startObjectStore({ isOwnProcess = false } = {}): Promise<TestStore> {
  const temporary = tempFolder()
  const open = isOwnProcess ? spawnBareStore : openBareStore
  const store = await open(temporary.folder)
  const { port } = store
  const requests: string[] = []
  let intervention: Intervention = {}
  const proxy = createServer(async (incoming, outgoing) => {
    const [path = '', query = ''] = (incoming.url ?? '').split('?')
    const { method = '', headers, url } = incoming
    requests.push(`${method} ${path}`)
    await intervention.before?.(method, path, query)
    if (intervention.refuse) {
      outgoing.writeHead(403, { 'content-type': 'application/xml' })
      outgoing.end(`<Error><Code>${intervention.refuse}</Code></Error>`)
      return
    }
    const forwarded = request({ host: '127.0.0.1', port, method, headers, path: url })
    forwarded.on('error', () => outgoing.destroy())
    forwarded.on('response', async (answer) => {
      await intervention.after?.(method, path, query)
      // Node dates its answers by a clock that tests do not shift.
      const date = new Date().toUTCString()
      outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, date })
      const held = method === 'GET' ? intervention.hold?.(path) : undefined
      await sendHeld(answer, outgoing, held).catch(() => outgoing.destroy())
      intervention.sent?.(method, path)
    })
    async function* body() {
      for await (const part of incoming as AsyncIterable<Buffer>)
        yield intervention.uploading?.(method, path, part) ?? part
    }
    await pipeline(body, forwarded).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const folder = join(temporary.folder, BUCKET)
  return {
    ...{ url, requests },
    intervene(how) {
      intervention = how
    },
    keys: () =>
      existsSync(folder)
        ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
            .filter((name) => name.endsWith('._S3rver_object'))
            .map((name) => name.replace(/\._S3rver_object$/, ''))
            .sort()
        : [],
    contentOf: (key) => readFileSync(join(folder, `${key}._S3rver_object`)),
    deleteObject(key) {
      for (const suffix of ['object', 'object.md5', 'metadata.json'])
        rmSync(join(folder, `${key}._S3rver_${suffix}`), { force: true })
    },
    changeObject: (key, content = Buffer.from('something else')) =>
      writeFileSync(join(folder, `${key}._S3rver_object`), content),
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections()
      proxy.close()
      await store.close()
      temporary[Symbol.dispose]()
    },
    tier: (more, settings) => tierAt(url, more, settings),
  }
}

async function sendHeld(
  answer: AsyncIterable<Buffer>,
  outgoing: NodeJS.WritableStream,
  held: ReturnType<NonNullable<Intervention['hold']>>,
): Promise<void> {
  let sent = 0
  for await (const chunk of answer) {
    const first = held ? Math.min(chunk.length, Math.max(0, held.bytes - sent)) : chunk.length
    outgoing.write(chunk.subarray(0, first))
    if (first < chunk.length) {
      await held?.until
      outgoing.write(chunk.subarray(first))
    }
    sent += chunk.length
  }
  outgoing.end()
}
