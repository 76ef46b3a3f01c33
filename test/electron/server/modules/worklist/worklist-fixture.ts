import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import type { AssociationInfo, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import type { StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import { openDowntime } from '#server/modules/worklist/downtime.ts'
import { openWorklist, type Worklist } from '#server/modules/worklist/worklist.ts'
import { openRequester } from '#server/webhooks/request.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { idFromUuid } from '#shared/ids.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { device, EXPLICIT, identifierOf, type Keys, NOW } from './worklist-values-fixture.ts'

export * from './worklist-values-fixture.ts'

/** Performed steps as a test says they are. */
export function performedSteps() {
  const steps = new Map<string, { readonly state: StepState; readonly since: string }>()
  const keyOf = (study: string, step: string) => `${study} ${step}`
  return {
    version: 0,
    stateOf: (study: string, step: string) => steps.get(keyOf(study, step))?.state,
    since: (study: string, step: string) => steps.get(keyOf(study, step))?.since,
    /** @param state null: scheduled again */
    set(study: string, step: string, state: StepState | null, since = NOW) {
      if (state === null) steps.delete(keyOf(study, step))
      else steps.set(keyOf(study, step), { state, since })
      this.version++
    },
  }
}

/**
 * What the partner does with a question: answer with items, with a body, with a status, or not at
 * all.
 */
export type Reaction =
  | { readonly items: readonly unknown[] }
  | { readonly body: string }
  | { readonly status: number }
  | { readonly hang: true }
  | { readonly wait: Promise<unknown>; readonly items: readonly unknown[] }

/** A real HTTP server that answers worklist questions as it is told. */
export async function openPartner(first: Reaction) {
  const questions: WorklistQuestion[] = []
  let reaction = first
  let hungUp = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    questions.push(JSON.parse(Buffer.concat(chunks).toString()).data as WorklistQuestion)
    response.on('close', () => {
      if (!response.writableFinished) hungUp++
    })
    await react(reaction, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    questions,
    hungUp: () => hungUp,
    now(next: Reaction) {
      reaction = next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function react(reaction: Reaction, response: ServerResponse): Promise<void> {
  if ('hang' in reaction) return
  if ('wait' in reaction) await reaction.wait
  if ('status' in reaction) {
    response.writeHead(reaction.status).end()
    return
  }
  const body =
    'body' in reaction ? reaction.body : JSON.stringify({ authorized: true, items: reaction.items })
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

export interface Heard {
  readonly batches: readonly EncodedIdentifiers[]
  readonly final: DimseResult
  readonly rows: readonly DataSet[]
}

export interface Bench extends AsyncDisposable {
  readonly worklist: Worklist
  readonly partner: Awaited<ReturnType<typeof openPartner>>
  readonly temp: ReturnType<typeof tempStore>
  readonly downtime: ReturnType<typeof openDowntime>
  readonly steps: ReturnType<typeof performedSteps>
  readonly inspected: InspectionSummary[]
  /** What was counted on a record, and how often. */
  readonly repeated: (readonly [InspectionSummary, number])[]
  readonly errors: unknown[]
  device: Device | undefined
  /** On an association of its own unless one is given. */
  find(
    keys: Keys,
    more?: {
      transferSyntax?: string
      signal?: AbortSignal
      callingAeTitle?: string
      association?: AssociationInfo
    },
  ): Promise<Heard>
  /** Another worklist on the same store, as after a restart. */
  restart(): Worklist
}

/** The whole slice: real store, real requester, real HTTP partner, a clock that stands. */
export async function openBench(first: Reaction = { items: [] }): Promise<Bench> {
  const temp = tempStore(NOW)
  const { store, clock, uuid } = temp
  const partner = await openPartner(first)
  store.settings.set('clinic.timeZone', 'UTC')
  const downtime = openDowntime({ store, clock, uuid })
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`]
  const requester = openRequester({
    endpointFor: () => ({ endpointId: 'partner', url: partner.url, secrets }),
    plaintextHosts: () => [partner.host],
    clock,
    eventId: () => idFromUuid('whe', randomUUID()),
  })
  const steps = performedSteps()
  const inspected: InspectionSummary[] = []
  const repeated: (readonly [InspectionSummary, number])[] = []
  const errors: unknown[] = []
  const open = () =>
    openWorklist({
      store,
      clock,
      uuid,
      setting: store.settings.get,
      recogniseDevice: () => bench.device,
      downtime,
      askPartner: (question, options) =>
        requester.request('modality_worklist.requested', question, options),
      performedSteps: steps,
      onInspected: (summary) => inspected.push(summary),
      onRepeated: (summary, times) => repeated.push([summary, times]),
      onError: (_, error) => errors.push(error),
    })
  let worklist: Worklist | undefined
  const bench: Bench = {
    get worklist() {
      worklist ??= open()
      return worklist
    },
    partner,
    temp,
    downtime,
    steps,
    inspected,
    repeated,
    errors,
    device: device(),
    find: (keys, more = {}) => findOn(bench.worklist, keys, more),
    restart() {
      worklist = open()
      return worklist
    },
    async [Symbol.asyncDispose]() {
      await requester[Symbol.asyncDispose]()
      await partner.close()
      temp[Symbol.dispose]()
    },
  }
  return bench
}

export const associationOf = (callingAeTitle = 'CT1'): AssociationInfo => ({
  ...{ associationId: 'a1', callingAeTitle, calledAeTitle: 'ISTHMUS', remoteAddress: '127.0.0.1' },
})

async function findOn(
  worklist: Worklist,
  keys: Keys,
  {
    transferSyntax = EXPLICIT,
    signal = new AbortController().signal,
    callingAeTitle = 'CT1',
    association = associationOf(callingAeTitle),
  }: Parameters<Bench['find']>[1] & object,
): Promise<Heard> {
  const generator = worklist.cFindScp.find({
    association,
    messageId: 7,
    transferSyntax,
    identifier: identifierOf(keys, transferSyntax),
    signal,
  })
  const batches: EncodedIdentifiers[] = []
  for (;;) {
    const step = await generator.next()
    if (step.done)
      return {
        batches,
        final: step.value,
        rows: batches.flatMap((batch) => rowsOf(batch, transferSyntax)),
      }
    batches.push(step.value)
  }
}

export function rowsOf(
  { bytes, ends }: EncodedIdentifiers,
  transferSyntax: string = EXPLICIT,
): DataSet[] {
  return [...ends].map((end, index) =>
    readDataSet(bytes.subarray(ends[index - 1] ?? 0, end), transferSyntax),
  )
}

/** The text of an attribute, of the step sequence's item too; undefined where it is absent. */
export function text(row: DataSet | undefined, keyword: string): string | undefined {
  const tag = tagOf(keyword)
  const step = row?.find((element) => element.tag === 0x00400100)?.value
  const found =
    row?.find((element) => element.tag === tag) ??
    (Array.isArray(step) ? (step as DataSet[])[0]?.find((e) => e.tag === tag) : undefined)
  if (!found) return undefined
  return Buffer.isBuffer(found.value)
    ? found.value.toString('latin1').replace(/[\0 ]+$/, '')
    : `${found.value.length} items`
}
