import type { Context } from '#server/context.ts'
import type { Feed } from '#server/live-events/feed.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import type { PartnerStatus } from '#shared/contract/dashboard.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { newestAnswerAt } from './queries.ts'
import { readPartner } from './service.ts'

export type PartnerState = ReturnType<typeof openPartnerState>

function describeState(state: 'up' | 'down' | 'refusing', detail: Message | null): Message {
  if (state === 'up') return message('partners.answers-again')
  if (state === 'refusing') return message('partners.refuses')
  return detail ? message('partners.down-because', { detail }) : message('partners.down')
}

/**
 * Tracks whether the partner answers worklist requests. Deliveries of reports and other events have
 * their own status by event and endpoint. A change is shown in the activity feed.
 */
export function openPartnerState(context: Context, feed: Feed) {
  let state: 'up' | 'down' | 'refusing' | 'unknown' = 'unknown'
  let downSince: string | null = null
  let fault: PartnerStatus['fault'] = null
  let detail: PartnerStatus['detail'] = null

  return {
    status(): PartnerStatus {
      const { url } = readPartner(context)
      // The age of the newest stored answer shows what can be served while the partner is
      // unreachable.
      const lastOkAt = newestAnswerAt(context.database) ?? null
      if (url === null)
        return { url, state: 'unset', fault: null, detail: null, lastOkAt, downSince: null }
      return { url, state, fault, detail, lastOkAt, downSince }
    },
    /** Records the outcome of a request to the partner. */
    note(outcome: PartnerOutcome): void {
      if (outcome.about.isTest === true) return
      // A reply to another request only shows that the partner is reachable, while nothing else is
      // known.
      if (
        outcome.type !== 'modality_worklist.requested' &&
        !(state === 'unknown' && outcome.fault === null)
      )
        return
      // An open circuit follows from failures that are already recorded, and without an endpoint no
      // request was sent.
      if (outcome.fault === 'circuit-open' || outcome.fault === 'no-endpoint') return
      const at = instantOf(outcome.at)
      const before = state
      state = outcome.fault === null ? 'up' : outcome.fault === 'refused' ? 'refusing' : 'down'
      downSince = outcome.fault === null ? null : before === state ? downSince : at
      fault = outcome.fault
      // The partner's text of a refusal may contain patient data; it is shown only in the
      // inspector.
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
        text: describeState(state, detail),
        inspectionId: null,
      })
    },
  }
}
