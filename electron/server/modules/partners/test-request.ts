import type { Context } from '#server/context.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { type Requester, readAnswer, WebhookError } from '#server/webhooks/request.ts'
import type { dashboard } from '#shared/contract/dashboard.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { ReplyOf } from '#shared/operation.ts'

export type PartnerTest = ReplyOf<(typeof dashboard)['testPartner']>

/**
 * Asks the partner for today's list as this gateway itself, even while its circuit is open, and
 * says what came of it. Nothing is kept.
 */
export async function testPartner(
  { clock }: Context,
  settings: Pick<Settings, 'get'>,
  requester: Requester,
): Promise<PartnerTest> {
  const { day } = wallClock(clock(), timeZoneOf(settings.get('clinic.timeZone')))
  const question: WorklistQuestion = {
    callingAe: settings.get('dimse.aeTitle'),
    clinicId: settings.get('clinic.id') ?? '',
    dateStart: day,
    dateEnd: day,
    sourceIp: '127.0.0.1',
  }
  try {
    const { items, tookMs } = await requester.request('modality_worklist.requested', question, {
      evenIfOpen: true,
      budgetMs: settings.get('worklist.budgetSeconds') * 1000,
      accept: (reply) => ({
        items: readAnswer('modality_worklist.requested', reply.body).items.length,
        tookMs: reply.tookMs,
      }),
    })
    return {
      success: true,
      message: `The partner answered with ${items} ${items === 1 ? 'exam' : 'exams'} for today in ${Math.round(tookMs)} ms.`,
      tookMs,
      items,
    }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    const said =
      error.fault === 'refused' ? 'The partner answered, and refuses' : 'The partner gave no list'
    return {
      success: false,
      message: `${said}: ${error.detail}.`,
      tookMs: error.tookMs,
      items: null,
    }
  }
}
