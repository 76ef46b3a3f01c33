import type { Context } from '#server/context.ts'
import type { Feed } from '#server/live-events/feed.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import type { PartnerStatus } from '#shared/contract/dashboard.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { newestAnswerAt } from './queries.ts'
import { readPartner } from './service.ts'

export type PartnerState = ReturnType<typeof openPartnerState>

function stateText(state: 'up' | 'down' | 'refusing', detail: Message | null): Message {
  if (state === 'up') return message('partners.answers-again')
  if (state === 'refusing') return message('partners.refuses')
  return detail ? message('partners.down-because', { detail }) : message('partners.down')
}

/**
 * Whether the partner answers, from what devices ask it. How reports and enrichments fare is shown
 * elsewhere, by event and endpoint. A change is a line of the feed.
 */
export function openPartnerState(context: Context, feed: Feed) {
  let state: 'up' | 'down' | 'refusing' | 'unknown' = 'unknown'
  let downSince: string | null = null
  let fault: PartnerStatus['fault'] = null
  let detail: PartnerStatus['detail'] = null

  return {
    status(): PartnerStatus {
      const { url } = readPartner(context)
      // When the newest answer that is kept came: what can be served while the partner is away.
      const lastOkAt = newestAnswerAt(context.database) ?? null
      if (url === null)
        return { url, state: 'unset', fault: null, detail: null, lastOkAt, downSince: null }
      return { url, state, fault, detail, lastOkAt, downSince }
    },
    /** Notes how a call of the partner ended. */
    note(outcome: PartnerOutcome): void {
      if (outcome.about.isTest === true) return
      // That another question is answered says that it is there, until a worklist says more.
      if (
        outcome.type !== 'modality_worklist.requested' &&
        !(state === 'unknown' && outcome.fault === null)
      )
        return
      // An open circuit is our own decision on faults already told; where no endpoint is set
      // nothing was asked.
      if (outcome.fault === 'circuit-open' || outcome.fault === 'no-endpoint') return
      const at = instantOf(outcome.at)
      const before = state
      state = outcome.fault === null ? 'up' : outcome.fault === 'refused' ? 'refusing' : 'down'
      downSince = outcome.fault === null ? null : before === state ? downSince : at
      fault = outcome.fault
      // What a partner writes beside a refusal may name a patient: it stays in the inspector.
      detail = outcome.fault === null || outcome.fault === 'refused' ? null : outcome.detail
      if (before === state) return
      feed.noteStatus()
      if (before === 'unknown' && state === 'up') return
      feed.append({
        associationId: '',
        kind: 'partner',
        tone: state === 'up' ? 'good' : 'danger',
        aeTitle: '',
        address: '',
        text: stateText(state, detail),
        inspectionId: null,
      })
    },
  }
}
