import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import type {
  AssociationPolicy,
  CFindScp,
  EncodedIdentifiers,
} from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import { basicWorklist } from '#server/dicom/scp/basic-worklist.ts'
import { verification } from '#server/dicom/scp/service-classes.ts'
import { DEFAULT_LIMITS, type DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import { DimseServer } from '#server/dicom/upper-layer/server.ts'
import type { AdmittedConnections } from '#server/platform/connection-budget.ts'
import { englishText } from '#shared/messages/english.ts'

/** What the observer saw, as short lines: `opened CT1 Verification`. */
export interface Watched {
  readonly server: DimseServer
  readonly port: number
  readonly seen: string[]
  readonly reported: [reference: string, error: unknown][]
  /** Resolves when a line with this text has been seen. */
  saw(text: string): Promise<string>
}

export interface Serving {
  readonly find?: CFindScp['find']
  readonly limits?: Partial<DimseLimits>
  readonly policy?: AssociationPolicy
  /** Syntaxes of the worklist, instead of all we know. */
  readonly transferSyntaxes?: readonly string[]
  /** Beside verification and the worklist. */
  readonly services?: readonly ServiceClass[]
  readonly isExpectedHost?: (host: string) => boolean
  /** A budget that other listeners share. */
  readonly admitted?: AdmittedConnections
}

const EVERYONE: AssociationPolicy = { decide: () => ({ accept: true }) }

/** A server on a free port of 127.0.0.1, with a worklist of the test's own. */
export async function serve(serving: Serving = {}): Promise<Watched> {
  const { find = noRows, limits, policy = EVERYONE, transferSyntaxes, services = [] } = serving
  const { isExpectedHost = () => false, admitted } = serving
  const worklist = basicWorklist({ find })
  const seen: string[] = []
  const reported: [string, unknown][] = []
  const waiting: { readonly text: string; readonly resolve: (line: string) => void }[] = []
  const note = (line: string) => {
    seen.push(line)
    for (const { text, resolve } of waiting) if (line.includes(text)) resolve(line)
  }
  const server = new DimseServer(
    [verification(), { ...worklist, ...(transferSyntaxes && { transferSyntaxes }) }, ...services],
    { isExpectedHost, ...policy },
    {
      opened: ({ callingAeTitle }, services) =>
        note(`opened ${callingAeTitle} ${services.join(', ')}`),
      rejected: ({ callingAeTitle }, { result, source, reason }) =>
        note(`rejected ${callingAeTitle} ${result}/${source}/${reason}`),
      answered: ({ callingAeTitle }, { service, status, responses }) =>
        note(
          `answered ${callingAeTitle} ${service} ${status.toString(16).padStart(4, '0')} ${responses}`,
        ),
      closed: (association, { kind, detail }) =>
        note(`closed ${association?.callingAeTitle ?? '-'} ${kind}: ${englishText(detail)}`),
    },
    { ...DEFAULT_LIMITS, ...limits },
    (reference, error) => reported.push([reference, error]),
    admitted,
  )
  const port = await server.listen('127.0.0.1', 0)
  return {
    server,
    port,
    seen,
    reported,
    saw(text) {
      const line = seen.find((other) => other.includes(text))
      if (line !== undefined) return Promise.resolve(line)
      const { promise, resolve } = Promise.withResolvers<string>()
      waiting.push({ text, resolve })
      return promise
    },
  }
}

async function* noRows(): AsyncGenerator<EncodedIdentifiers, { status: number }, void> {
  yield* []
  return { status: 0x0000 }
}

/** Identifiers one after the other, as a service yields them. */
export function batchOf(identifiers: readonly Buffer[]): EncodedIdentifiers {
  let end = 0
  return {
    bytes: Buffer.concat(identifiers),
    ends: Uint32Array.from(identifiers, ({ length }) => {
      end += length
      return end
    }),
  }
}

/** An invented patient of the worklist. */
export const patient = (number: number): DataSet => [
  { tag: 0x00080050, vr: 'SH', value: Buffer.from(`ACC${String(number).padStart(7, '0')}`) },
  {
    tag: 0x00100010,
    vr: 'PN',
    value: Buffer.from(`TEST^NUMBER${String(number).padStart(5, '0')}`),
  },
  { tag: 0x00100020, vr: 'LO', value: Buffer.from(`PID${String(number).padStart(7, '0')}`) },
  {
    tag: 0x00400100,
    vr: 'SQ',
    value: [
      [
        { tag: 0x00080060, vr: 'CS', value: Buffer.from('CT') },
        { tag: 0x00400009, vr: 'SH', value: Buffer.from(`S${String(number).padStart(7, '0')}`) },
      ],
    ],
  },
]

export const patients = (count: number, transferSyntax: string): Buffer[] =>
  Array.from({ length: count }, (_, number) => writeDataSet(patient(number), transferSyntax))

/** A worklist that answers without rows once it is let go; `started`: it was asked. */
export function heldFind(): Pick<CFindScp, 'find'> & {
  readonly started: Promise<void>
  readonly letGo: () => void
} {
  const hold = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  return {
    started: started.promise,
    letGo: hold.resolve,
    async *find() {
      yield* []
      started.resolve()
      await hold.promise
      return { status: 0x0000 }
    },
  }
}
