import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Attempt,
  Isthmus,
  NoAnswerError,
  ProblemError,
  type WebhookEvent,
  WebhookReceiver,
  Webhooks,
  WebhookVerificationError,
} from '../../../clients/typescript/src/index.ts'
import {
  clientTool,
  installClientPackages,
  TYPESCRIPT_CLIENT,
} from '../../../scripts/clients/packages.ts'
import { newUid } from '../../support/interface.ts'
import { tempFolder } from '../../support/temp-store.ts'
import { listen, type Stage, startStage } from './stage.ts'

let stage: Stage
let attempts: Attempt[]
let isthmus: Isthmus

beforeAll(async () => {
  stage = await startStage()
  isthmus = new Isthmus({
    baseUrl: stage.proxy.url,
    apiKey: stage.apiKey,
    onAttempt: (attempt) => attempts.push(attempt),
  })
  attempts = []
})
afterAll(() => stage[Symbol.asyncDispose]())

const study = () => ({
  studyInstanceUid: newUid(),
  studyDescription: 'CT chest',
  severity: 'normal' as const,
})

describe('calls of the TypeScript client', () => {
  it('create, read and change', async () => {
    const made = await isthmus.viewer.create({ ...study(), metadata: { order: '1' } })
    expect(await isthmus.viewer.read(made.studyId)).toEqual(made)
    expect(await isthmus.viewer.byUid(made.studyInstanceUid)).toEqual(made)
    const changed = await isthmus.viewer.update(made.studyId, { severity: 'stat', metadata: null })
    expect(changed).toMatchObject({ severity: 'stat' })
    expect(await isthmus.viewer.cancel({ studyId: made.studyId })).toMatchObject({ success: true })
    const { success } = await isthmus.viewer.cancel({ studyInstanceUid: made.studyInstanceUid })
    expect(success).toBe(true)
  })

  it('throw a refusal with its code, its fields and the name of the request', async () => {
    const refused = isthmus.express.create({ expressCustomerName: '' })
    const error = await refused.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof ProblemError)) throw error
    expect(error).toMatchObject({ status: 400, code: 'malformed' })
    expect(error.errors).toEqual([
      { path: 'body.expressCustomerName', message: expect.any(String) },
    ])
    expect(error.requestId).toBe(attempts.at(-1)?.requestId)
    await expect(
      isthmus.express.create({ expressCustomerName: 'A', colour: 'red' } as never, {
        isStrict: true,
      }),
    ).rejects.toThrow('colour')
  })

  it('list: the first page, all pages, all entries, lists and null as filters', async () => {
    const made: string[] = []
    for (let n = 0; n < 5; n++)
      made.unshift((await isthmus.viewer.create({ ...study(), severity: 'high' })).studyId)
    const first = await isthmus.viewer.list({ severity: 'high', limit: 2 })
    expect([first.studies.length, first.hasMore]).toEqual([2, true])
    const seen: string[] = []
    for await (const { studyId } of isthmus.viewer.list({ severity: 'high', limit: 2 }))
      seen.push(studyId)
    expect(seen).toEqual(made)
    const sizes: number[] = []
    for await (const page of isthmus.viewer.list({ severity: 'high', limit: 2 }).pages())
      sizes.push(page.studies.length)
    expect(sizes).toEqual([2, 2, 1])
    const unassigned = isthmus.viewer.list({
      severity: 'high',
      assignedTo: null,
      isCancelled: false,
    })
    expect(await unassigned.toArray({ most: 3 })).toHaveLength(3)
    expect(
      await isthmus.scribe.list({ studyReportStatus: ['assigned', 'unassigned'] }).toArray(),
    ).toEqual([])
  })

  it('are repeated after 429, 503 and a broken connection, under one key', async () => {
    const { requests, answers } = stage.proxy
    answers.push(
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503, headers: { 'retry-after': new Date().toUTCString() } },
      'hang-up',
    )
    const before = requests.length
    const { expressCustomerId } = await isthmus.express.create({ expressCustomerName: 'Once' })
    const keys = requests.slice(before).map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(attempts.slice(-4).map(({ status }) => status)).toEqual([429, 503, undefined, 201])
    const named = isthmus.express.list({ expressCustomerName: 'Once' })
    expect(await named.toArray()).toMatchObject([{ expressCustomerId }])
  })

  it('have one effect where the answer was lost, also between two programs with one key', async () => {
    const options = { idempotencyKey: 'order-4711' }
    const body = { expressCustomerName: 'Twice' }
    const first = await isthmus.express.create(body, options)
    expect(await isthmus.express.create(body, options)).toEqual(first)
  })

  it('are not repeated where that is wrong, or the wait is too long', async () => {
    const { answers, requests } = stage.proxy
    const before = requests.length
    const refusals: [number, Record<string, string>][] = [
      [422, {}],
      [409, { 'x-should-retry': 'false' }],
      [503, { 'x-should-retry': 'false' }],
      [429, { 'retry-after': '3600' }],
      [302, { location: stage.started.http }],
    ]
    for (const [status, headers] of refusals) {
      answers.push({ status, headers })
      await expect(isthmus.express.list()).rejects.toThrow()
    }
    expect(requests.length - before).toBe(refusals.length)
    await expect(
      new Isthmus({ baseUrl: 'http://127.0.0.1:9', apiKey: 'x', maxRetries: 0 }).express.list(),
    ).rejects.toThrow(NoAnswerError)
    const stopped = AbortSignal.abort(new Error('stopped by the caller'))
    await expect(isthmus.express.list({}, { signal: stopped })).rejects.toThrow(
      'stopped by the caller',
    )
  })
})

describe('webhooks of the TypeScript client', () => {
  const at = new Date('2026-11-20T09:00:00Z')
  const signed = (secret: string, event: object, when = at) => {
    const body = JSON.stringify(event)
    const id = String(Reflect.get(event, 'id'))
    return {
      body,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(when.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, when, body),
      },
    }
  }
  const event = (id = `whe_${'0'.repeat(32)}`) => ({
    id,
    type: 'report.delivered',
    data: { reportId: 'rep_1', plainText: 'Größe: 3 cm' },
  })

  it('are verified: secret, time, bytes, and the event of the headers', async () => {
    const { secret } = stage
    const webhooks = new Webhooks(secret, { clock: () => at.getTime() })
    const { body, headers } = signed(secret, event())
    expect(await webhooks.verify(body, headers)).toEqual(event())
    expect(await webhooks.verify(Buffer.from(body), new Headers(headers))).toEqual(event())
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const refused = [
      () => webhooks.verify(`${body} `, headers),
      () => webhooks.verify(body, { ...headers, 'webhook-id': 'whe_1' }),
      () => webhooks.verify(body, { ...headers, 'webhook-signature': '' }),
      () => webhooks.verify(body, { ...headers, 'webhook-signature': 'v1,%%% v2,AAAA v1' }),
      ...[-301, 301].map((seconds) => {
        const old = signed(secret, event(), new Date(at.getTime() + seconds * 1000))
        return () => webhooks.verify(old.body, old.headers)
      }),
      () => webhooks.verify(body, { ...headers, 'webhook-timestamp': '1e9' }),
      () => new Webhooks(other, { clock: () => at.getTime() }).verify(body, headers),
    ]
    for (const one of refused) await expect(one()).rejects.toThrow(WebhookVerificationError)
    const both = new Webhooks([other, secret], { clock: () => at.getTime() })
    expect(await both.verify(body, headers)).toEqual(event())
  })

  it('that come again call no handler, and get the first answer', async () => {
    const { secret } = stage
    const seen: string[] = []
    const receiver = new WebhookReceiver({
      secrets: secret,
      clock: () => at.getTime(),
      handlers: {
        'report.delivered': ({ reportId }, { id }) => {
          seen.push(`${id} ${reportId}`)
          if (seen.length === 1) throw new Error('The database is away.')
          return { success: true }
        },
      },
    })
    const { body, headers } = signed(secret, event())
    expect(await receiver.receive(body, headers)).toMatchObject({ status: 500 })
    const answers = await Promise.all([1, 2, 3].map(() => receiver.receive(body, headers)))
    expect(answers).toEqual(answers.map(() => ({ status: 200, body: '{"success":true}' })))
    expect(seen).toHaveLength(2)
    const none = signed(secret, { ...event('whe_2'), type: 'modality_worklist.requested' })
    expect(await receiver.receive(none.body, none.headers)).toMatchObject({ status: 501 })
    expect(await receiver.receive('{}', {})).toMatchObject({ status: 400 })
  })

  it('of the gateway are answered: all seven', async () => {
    const types: WebhookEvent['type'][] = []
    const noted =
      <T>(answer: T) =>
      (_: unknown, { type }: WebhookEvent) => {
        types.push(type)
        return answer
      }
    const receiver = new WebhookReceiver({
      secrets: stage.secret,
      handlers: {
        'study.access_requested': noted({ authorized: true, urls: [] }),
        'ephemeral.access_requested': noted({ authorized: true, urls: [] }),
        'secondary_capture.access_requested': noted({ authorized: true, uploadUrls: [] }),
        'modality_worklist.requested': noted({ authorized: true, items: [] }),
        'patient_study.enrichment_requested': noted({ severity: 'high' as const }),
        'clinical_context.enrichment_requested': noted({ technologistNotes: [] }),
        'report.delivered': noted({ success: true }),
      },
    })
    await using server = await listen(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { status, body } = await receiver.receive(Buffer.concat(chunks), request.headers)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
    expect(await stage.testEvents(server.url)).toEqual([])
    expect(types).toHaveLength(7)
  })
})

describe('the package of the TypeScript client', { timeout: 240_000 }, () => {
  const NODES = [...new Set([process.execPath, '/usr/bin/node'].filter(existsSync))]

  it('compiles, is packed without dependencies, and runs on each Node of this machine', async () => {
    installClientPackages()
    using temp = tempFolder()
    const { folder } = temp
    const build = spawnSync('npm', ['run', 'build'], { cwd: TYPESCRIPT_CLIENT, encoding: 'utf8' })
    expect(build.status, build.stdout).toBe(0)
    const pack = spawnSync('npm', ['pack', '--pack-destination', folder, '--json'], {
      cwd: TYPESCRIPT_CLIENT,
      encoding: 'utf8',
    })
    expect(pack.status, pack.stderr).toBe(0)
    const [{ filename, files }] = JSON.parse(pack.stdout.slice(pack.stdout.indexOf('['))) as [
      { filename: string; files: { path: string }[] },
    ]
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['README.md', 'dist/index.js', 'dist/index.d.ts']),
    )
    expect(files.some(({ path }) => path.startsWith('src'))).toBe(false)
    const home = join(folder, 'node_modules/isthmus-client')
    spawnSync('mkdir', ['-p', home])
    spawnSync('tar', ['xzf', join(folder, filename), '-C', home, '--strip-components=1'])
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as object
    expect(manifest).not.toHaveProperty('dependencies')
    // Names of patients that are not ASCII are checked by the bytes that arrive.
    writeFileSync(
      join(folder, 'program.ts'),
      `import { Isthmus, ProblemError, type ViewerStudy } from 'isthmus-client'
const isthmus = new Isthmus({ baseUrl: process.env.URL ?? '', apiKey: process.env.KEY ?? '' })
const made: ViewerStudy = await isthmus.viewer.create({
  studyInstanceUid: process.argv[2] ?? '',
  studyDescription: 'Schädel',
  severity: 'stat',
})
for await (const { studyId } of isthmus.viewer.list({ severity: 'stat', limit: 1 }))
  if (studyId === made.studyId) console.log(made.studyDescription)
try {
  await isthmus.viewer.read('stu_1')
} catch (error) {
  if (error instanceof ProblemError) console.log(error.code)
}
`,
    )
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ target: 'es2023', module: 'nodenext', types: ['node'] },
      typeRoots: [join(import.meta.dirname, '../../../node_modules/@types')],
    }
    const project = join(folder, 'tsconfig.json')
    writeFileSync(project, JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const compiled = spawnSync(
      process.execPath,
      [clientTool('typescript/bin/tsc'), '--project', project],
      { encoding: 'utf8' },
    )
    expect(compiled.stdout + compiled.stderr).toBe('')
    for (const node of NODES) {
      const { stdout, stderr } = await runAsync(node, ['program.js', newUid()], folder, {
        URL: stage.started.http,
        KEY: stage.apiKey,
      })
      expect([node, stdout, stderr]).toEqual([node, 'Schädel\nmalformed\n', ''])
    }
  })
})

/** Without blocking the gateway, which runs in this process. */
async function runAsync(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
) {
  const { execFile } = await import('node:child_process')
  return new Promise<{ stdout: string; stderr: string }>((resolve) =>
    execFile(command, args, { cwd, env: { ...process.env, ...env } }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    ),
  )
}
