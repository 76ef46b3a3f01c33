import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { json } from '#server/platform/text.ts'
import { sandbox as calls } from '#shared/contract/sandbox.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import type { InputOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'
import { textFromFile, UsageError } from './arguments.ts'
import {
  SANDBOX_EVENT_OPTIONS,
  SANDBOX_EXAM_OPTIONS,
  SANDBOX_OPTIONS,
  SANDBOX_REPORT_OPTIONS,
} from './options.ts'

// Commands for integrators: each makes one call of the sandbox, from any PC that reaches the
// gateway.

type Values = Readonly<Record<string, string | boolean | undefined>>

/** `sandbox status` */
export async function sandboxStatus(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: SANDBOX_OPTIONS })
  return await callAndPrint(
    values,
    calls.read,
    {},
    ({ webhook, studies, images, waitingReports }) => [
      `Events are sent to ${webhook === null ? 'a simulated partner, once there is one' : webhook.url}${webhook?.isSimulated ? ' (simulated)' : ''}.`,
      `Studies: ${studies}. Images: ${images}. Reports waiting: ${waitingReports}.`,
    ],
  )
}

/** `sandbox exam` */
export async function sandboxExam(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: SANDBOX_EXAM_OPTIONS })
  const accessionNumber = values['accession-number']
  const body = accessionNumber === undefined ? {} : { accessionNumber }
  return await callAndPrint(values, calls.runExam, { body }, (exam) => [
    `The device received ${exam.worklistExams} exams and sent ${exam.images} images of ${exam.accessionNumber || exam.studyInstanceUid}.`,
    ...exam.studies.map(({ area, studyId }) => `Study in the ${area} area: ${studyId}`),
  ])
}

/** `sandbox sign-report` */
export async function sandboxReport(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: SANDBOX_REPORT_OPTIONS })
  const { study, text, critical } = values
  const body = {
    ...(study !== undefined &&
      (study.startsWith('stu_') ? { studyId: study } : { studyInstanceUid: study })),
    ...(text !== undefined && { plainText: textFromFile('--text', text) }),
    ...(critical === true && { isCritical: true }),
  } as InputOf<typeof calls.signReport>['body']
  return await callAndPrint(
    values,
    calls.signReport,
    { body },
    ({ reportId, studyId, delivery }) => [
      `Signed ${reportId} of ${studyId}.`,
      deliveryLine(delivery),
    ],
  )
}

/** `sandbox event` */
export async function sandboxEvent(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: SANDBOX_EVENT_OPTIONS,
    allowPositionals: true,
  })
  const [name] = positionals
  const type = EVENT_TYPES.find((known) => known === name)
  if (!type || positionals.length > 1)
    throw new UsageError(`sandbox event takes one of ${EVENT_TYPES.join(', ')}.`)
  const body = {
    type,
    ...(values.data !== undefined && { data: dataOf(values.data) }),
    ...(values['dry-run'] === true && { isDryRun: true }),
  }
  return await callAndPrint(values, calls.sendEvent, { body }, (sent) => eventLines(type, sent))
}

/** `sandbox advance` */
export async function sandboxAdvance(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: SANDBOX_OPTIONS })
  return await callAndPrint(values, calls.advance, {}, ({ deliveries }) =>
    deliveries.length === 0 ? ['Nothing is waiting.'] : deliveries.map(deliveryLine),
  )
}

function deliveryLine({
  reportId,
  state,
  attempts,
  fault,
  nextAttemptAt,
}: ReplyOf<typeof calls.advance>['deliveries'][number]): string {
  const next = nextAttemptAt === null ? '' : ` Next attempt: ${nextAttemptAt}.`
  return `${reportId}: ${state} after ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}${fault === null ? '' : ` (${fault})`}.${next}`
}

function eventLines(
  type: EventType,
  { eventId, request, response }: ReplyOf<typeof calls.sendEvent>,
): string[] {
  if (!response)
    return [
      `POST ${request.url}`,
      ...Object.entries(request.headers).map(([header, value]) => `${header}: ${value}`),
      '',
      request.body,
    ]
  return [
    `${type} ${eventId}: ${response.outcome}, ${response.httpStatus ?? 'no response'} after ${Math.round(response.tookMs)} ms.`,
    response.verdict,
    ...response.notes.map(({ path, message }) => `  ${path}: ${message}`),
  ]
}

/** Makes a call and prints its reply, as JSON if that is wanted. */
async function callAndPrint<S extends OperationShape>(
  values: Values,
  operation: Operation<S>,
  input: { readonly body?: unknown },
  linesOf: (reply: ReplyOf<S>) => readonly string[],
): Promise<number> {
  const { url = 'http://127.0.0.1:8042', 'key-file': keyFile } = values
  const key =
    typeof keyFile === 'string'
      ? textFromFile('--key-file', keyFile)
      : process.env.ISTHMUS_TEST_KEY?.trim()
  if (!key) throw new UsageError('Give the test key by --key-file or in ISTHMUS_TEST_KEY.')
  const response = await fetch(new URL(operation.path, String(url)), {
    method: operation.method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
  }).catch((error: Error) => {
    throw new UsageError(`${url} cannot be reached: ${causeOf(error)}.`)
  })
  const reply: unknown = json(await response.text())
  if (!response.ok) {
    const { message, errors = [] } = (reply ?? {}) as Problem
    const faults = errors.map((one) => `\n  ${one.path}: ${one.message}`)
    process.stderr.write(`${response.status}: ${message ?? 'no explanation'}${faults.join('')}\n`)
    return 1
  }
  const parsed = operation.reply.parse(reply) as ReplyOf<S>
  const lines = values.json === true ? [JSON.stringify(parsed, null, 2)] : linesOf(parsed)
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

interface Problem {
  readonly message?: string
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
}

const causeOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? cause.message : message

function dataOf(file: string): Record<string, unknown> {
  let found: unknown
  try {
    found = json(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(
      `--data: ${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
  if (typeof found === 'object' && found !== null && !Array.isArray(found))
    return found as Record<string, unknown>
  throw new UsageError(`--data: ${file} must be a JSON object with fields of the event.`)
}
