import type { EventType } from '#shared/contract/webhooks.ts'

const MIB = 1024 * 1024

export interface CallLimits {
  /** Milliseconds the whole call may take, a second try included. */
  readonly budgetMs: number
  /** Most bytes an answer may have, as sent and decompressed. */
  readonly answerBytes: number
  /** Immediate further tries where no connection was had. */
  readonly retries: 0 | 1
}

const SYNCHRONOUS: CallLimits = { budgetMs: 10_000, answerBytes: 20 * MIB, retries: 1 }
const SOFT: CallLimits = { budgetMs: 5_000, answerBytes: 2 * MIB, retries: 0 }

/** The outbox has its own schedule for `report.delivered` (`jobs/retry-schedules.ts`). */
export const CALL_LIMITS: Readonly<Record<EventType, CallLimits>> = {
  'study.access_requested': SYNCHRONOUS,
  'ephemeral.access_requested': SYNCHRONOUS,
  'secondary_capture.access_requested': SYNCHRONOUS,
  'modality_worklist.requested': { ...SYNCHRONOUS, budgetMs: 8_000 },
  'patient_study.enrichment_requested': SOFT,
  'clinical_context.enrichment_requested': SOFT,
  // Its answer says yes or no.
  'report.delivered': { budgetMs: 15_000, answerBytes: 2 * MIB, retries: 0 },
}

/** Milliseconds a connection may take, of each try. */
export const CONNECT_MS = 2_000
