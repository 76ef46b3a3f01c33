import type { SendTest } from '#server/modules/events/routes.ts'
import { findTarget } from '#server/modules/partners/targets.ts'
import type { Parts } from '#server/parts.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { acceptAnswer, type Requester, WebhookError } from '#server/webhooks/request.ts'
import { testEventData } from '#server/webhooks/test-event.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, uuidOf } from '#shared/ids.ts'

export interface TestSendingDeps {
  readonly requester: Requester
  readonly publicBase: () => string
}

/**
 * Sends an event about nobody to an endpoint, also where it is switched off or its circuit is open,
 * and says what came of it.
 */
export function testSending(
  { deps, settings }: Parts,
  { requester, publicBase }: TestSendingDeps,
): SendTest {
  return async (type, endpointId) => {
    const endpoint = findTarget(deps.store, endpointId)
    if (!endpoint)
      throw new ApiError('not-found', 'There is no such endpoint, or it has no signing secret.')
    const eventId = idFromUuid('whe', deps.uuid())
    const { day } = wallClock(deps.clock(), timeZoneOf(settings.get('clinic.timeZone')))
    const data = testEventData(type, {
      clinicId: settings.get('clinic.id') ?? uuidOf(eventId),
      callingAe: settings.get('dimse.aeTitle'),
      publicBase: publicBase(),
      uuid: deps.uuid,
      day,
    })
    const accept = acceptAnswer(type)
    try {
      const { tookMs, left } = await requester.request(type, data, {
        ...{ id: eventId, endpoint, evenIfOpen: true },
        about: { subject: 'test', studyInstanceUid: null, isTest: true },
        accept(reply) {
          let left = 0
          const note = (path: string, sentence: string) => {
            left++
            reply.note(path, sentence)
          }
          accept({ ...reply, note })
          return { tookMs: reply.tookMs, left }
        },
      })
      const but =
        left === 0
          ? ''
          : `, and ${left === 1 ? 'one part' : `${left} parts`} of the answer would be left out`
      return {
        success: true,
        message: `The partner answered in ${Math.round(tookMs)} ms${but}.`,
        eventId,
      }
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      const said =
        error.fault === 'refused'
          ? 'The partner answered, and refuses'
          : 'The partner gave no answer that can be used'
      return { success: false, message: `${said}: ${error.detail}.`, eventId }
    }
  }
}
