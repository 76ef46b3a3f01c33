import { randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { dryRun } from '#server/webhooks/dry-run.ts'
import {
  acceptAnswer,
  type PartnerOutcome,
  type Requester,
  WebhookError,
} from '#server/webhooks/request.ts'
import { signatureHeaders } from '#server/webhooks/signature.ts'
import { testEventData } from '#server/webhooks/test-event.ts'
import type { SandboxEvent } from '#shared/contract/sandbox.ts'
import { EVENTS, type EventData, type EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, uuidOf } from '#shared/ids.ts'
import { englishText } from '#shared/messages/english.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { type Message, message } from '#shared/messages/message.ts'

interface Wanted {
  readonly type: EventType
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly isDryRun?: boolean | undefined
}

/**
 * Sends an event with invented data to the webhook of the sandbox, and says what the gateway would
 * do with the response. A dry run only shows the request, as it would be signed now.
 * @throws ApiError refused: there is no webhook; malformed: the data is not that of the event
 */
export async function sendTestEvent(
  context: Context,
  requester: Pick<Requester, 'request'>,
  publicBase: string,
  apiKeyId: string,
  { type, data: given = {}, isDryRun = false }: Wanted,
): Promise<SandboxEvent> {
  const endpoint = targetFor(context, type, apiKeyId)
  if (!endpoint) throw new ApiError('refused', message('sandbox.no-webhook'))
  const id = idFromUuid('whe', context.uuid())
  const data = checkedData(type, { ...sampleData(context, publicBase, type, id), ...given })
  const body = Buffer.from(JSON.stringify({ id, type, data }))
  const at = context.clock()
  const request = {
    url: endpoint.url,
    headers: {
      'content-type': 'application/json',
      ...signatureHeaders({ id, at, body, secrets: endpoint.secrets }),
    },
    body: body.toString(),
  }
  if (isDryRun) return { eventId: id, request, response: null }
  let outcome: PartnerOutcome | undefined
  try {
    await requester.request(type, data, {
      ...{ id, endpoint, ignoresOpenCircuit: true },
      about: { subject: 'test', studyInstanceUid: null, isTest: true },
      accept: acceptAnswer(type),
      onOutcome(ended) {
        outcome = ended
      },
    })
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
  }
  return { eventId: id, request, response: outcome ? responseOf(type, outcome) : null }
}

function sampleData(context: Context, publicBase: string, type: EventType, id: string) {
  const { settings, clock } = context
  const { day } = wallClock(clock(), timeZoneOf(settings.get('clinic.timeZone')))
  return testEventData(type, {
    clinicId: settings.get('clinic.id') ?? uuidOf(id),
    callingAe: settings.get('dimse.aeTitle'),
    ...{ publicBase, day, uuid: randomUUID },
  })
}

/** @throws ApiError malformed, with the path of each fault */
function checkedData<T extends EventType>(type: T, data: object): EventData<T> {
  const parsed = EVENTS[type].data.safeParse(data)
  if (parsed.success) return parsed.data as EventData<T>
  const errors = parsed.error.issues.map((issue) => ({
    path: ['body.data', ...issue.path].join('.'),
    message: issueMessage(issue),
  }))
  throw new ApiError('malformed', message('sandbox.event-data', { type }), { errors })
}

function responseOf(
  type: EventType,
  { fault, detail, httpStatus, tookMs, response }: PartnerOutcome,
): NonNullable<SandboxEvent['response']> {
  const isRead = fault === null || fault === 'invalid' || fault === 'refused'
  const verdict = isRead && response ? dryRun(type, response) : undefined
  const sentence: Message = verdict?.sentence ?? detail ?? message('sandbox.no-response')
  return {
    ...{ outcome: fault ?? 'accepted', httpStatus, tookMs },
    verdict: englishText(sentence),
    notes: (verdict?.notes ?? []).map(({ path, sentence: why }) => ({
      path,
      message: englishText(why),
    })),
    body: response?.toString() ?? null,
  }
}
