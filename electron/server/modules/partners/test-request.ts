import type { Context } from '#server/context.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { type Requester, readAnswer, WebhookError } from '#server/webhooks/request.ts'
import type { dashboard } from '#shared/contract/dashboard.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { message } from '#shared/messages/message.ts'
import type { ReplyOf } from '#shared/operation.ts'

export type PartnerTest = ReplyOf<(typeof dashboard)['testPartner']>

/**
 * Sends a test request for today's worklist on behalf of the gateway, even while the circuit is
 * open, and returns the outcome. Nothing is stored.
 */
export async function testPartner(context: Context, requester: Requester): Promise<PartnerTest> {
  const { clock } = context

  const { day } = wallClock(clock(), timeZoneOf(context.settings.get('clinic.timeZone')))
  const question: WorklistQuestion = {
    callingAe: context.settings.get('dimse.aeTitle'),
    clinicId: context.settings.get('clinic.id') ?? '',
    dateStart: day,
    dateEnd: day,
    sourceIp: '127.0.0.1',
  }
  try {
    const { items, tookMs } = await requester.request('modality_worklist.requested', question, {
      ignoresOpenCircuit: true,
      budgetMs: context.settings.get('worklist.budgetSeconds') * 1000,
      accept: (reply) => ({
        items: readAnswer('modality_worklist.requested', reply.body).items.length,
        tookMs: reply.tookMs,
      }),
    })
    return {
      success: true,
      message: message('partners.test-answered', { items, ms: Math.round(tookMs) }),
      tookMs,
      items,
    }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    const { fault, detail, tookMs } = error
    return {
      success: false,
      message:
        fault === 'refused'
          ? message('partners.test-refused', { detail })
          : message('partners.test-no-list', { detail }),
      tookMs,
      items: null,
    }
  }
}
