import type { Feed } from '#server/modules/dashboard/feed.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import type { PartnerStatus } from '#shared/contract/dashboard.ts'
import type { PartnerEndpoint } from './partner-endpoint.ts'

export interface PartnerState {
  status(): PartnerStatus
  /** Told of every call's end. */
  note(outcome: PartnerOutcome): void
}

const STATES = {
  up: 'The partner answers again.',
  down: 'The partner cannot be asked',
  refusing: 'The partner refuses the request',
} as const

export interface PartnerStateDeps {
  readonly partnerEndpoint: PartnerEndpoint
  readonly feed: Feed
  /** When the newest answer that is kept came: what can be served while the partner is away. */
  readonly newestAnswerAt: () => string | undefined
}

/**
 * Whether the partner is there, from what devices ask it: how reports and enrichments fare is told
 * elsewhere, by event and endpoint. A change is a line of the feed.
 */
export function openPartnerState({
  partnerEndpoint,
  feed,
  newestAnswerAt,
}: PartnerStateDeps): PartnerState {
  let state: keyof typeof STATES | 'unknown' = 'unknown'
  let downSince: string | null = null
  let fault: PartnerStatus['fault'] = null
  let detail = ''

  return {
    status() {
      const { url } = partnerEndpoint.read()
      const lastOkAt = newestAnswerAt() ?? null
      if (url === null)
        return { url, state: 'unset', fault: null, detail: '', lastOkAt, downSince: null }
      return { url, state, fault, detail, lastOkAt, downSince }
    },
    note(outcome) {
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
      detail = outcome.fault === null || outcome.fault === 'refused' ? '' : outcome.detail
      if (before === state) return
      feed.noteStatus()
      if (before === 'unknown' && state === 'up') return
      const text = state === 'up' ? STATES.up : `${STATES[state]}${detail ? `: ${detail}` : ''}.`
      feed.append({
        associationId: '',
        kind: 'partner',
        tone: state === 'up' ? 'good' : 'danger',
        aeTitle: '',
        address: '',
        text,
        inspectionId: null,
      })
    },
  }
}
