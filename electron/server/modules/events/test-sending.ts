import type { Context } from '#server/context.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { SendTest } from '#server/modules/events/routes.ts'
import { findEndpoint } from '#server/modules/partners/queries.ts'
import { findTarget } from '#server/modules/partners/targets.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { acceptAnswer, type Requester, WebhookError } from '#server/webhooks/request.ts'
import { testEventData } from '#server/webhooks/test-event.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, uuidOf } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'

/**
 * Returns a function that sends a test event with invented data to an endpoint, even if it is
 * disabled or its circuit breaker is open, and reports the outcome.
 */
export function createTestSender(
  context: Context,
  requester: Requester,
  eventLog: Pick<EventLog, 'flush'>,
  publicBase: () => string,
): SendTest {
  const send: SendTest = async (type, endpointId) => {
    const endpoint = findTarget(context, endpointId)
    if (!endpoint) throw new ApiError('not-found', message('events.no-endpoint'))
    const eventId = idFromUuid('whe', context.uuid())
    const { day } = wallClock(context.clock(), timeZoneOf(context.settings.get('clinic.timeZone')))
    const data = testEventData(type, {
      clinicId: context.settings.get('clinic.id') ?? uuidOf(eventId),
      callingAe: context.settings.get('dimse.aeTitle'),
      publicBase: publicBase(),
      uuid: context.uuid,
      day,
    })
    const accept = acceptAnswer(type)
    try {
      const { tookMs, omitted } = await requester.request(type, data, {
        ...{ id: eventId, endpoint, ignoresOpenCircuit: true },
        apiKeyId: findEndpoint(context.database, endpointId)?.apiKeyId ?? null,
        about: { subject: 'test', studyInstanceUid: null, isTest: true },
        accept(reply) {
          let omitted = 0
          const note = (path: string, sentence: Message) => {
            omitted++
            reply.note(path, sentence)
          }
          accept({ ...reply, note })
          return { tookMs: reply.tookMs, omitted }
        },
      })
      return {
        success: true,
        message: message('events.test-answered', { ms: Math.round(tookMs), left: omitted }),
        eventId,
      }
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      const { detail } = error
      return {
        success: false,
        message:
          error.fault === 'refused'
            ? message('partners.test-refused', { detail })
            : message('events.test-unusable', { detail }),
        eventId,
      }
    }
  }
  return async (type, endpointId) => {
    const reply = await send(type, endpointId)
    // Whoever starts a test looks at the event immediately.
    await eventLog.flush()
    return reply
  }
}
