import type { KeptReason, NewLifecycleRule } from '#shared/contract/lifecycle.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'

/** An instance whose file is on this PC, and where else copies of it are confirmed. */
export interface LocalInstance {
  readonly instanceId: number
  readonly file: string
  readonly localRemovedAt: null
  readonly bytes: number
  readonly modality: string
  readonly callingAeTitle: string
  /** Whether the gateway made it, such as a saved drawing or a report. */
  readonly isOwn: boolean
  readonly places: ReadonlySet<string>
}

/** What the rules look at. */
export interface StudyFacts {
  readonly studyInstanceUid: string
  /** When the last image was received, also one that was received again (ms). */
  readonly receivedAt: number
  /** When the last report was signed (ms); null if none was or one is still open. */
  readonly signedAt: number | null
  readonly isHeld: boolean
  readonly isArriving: boolean
  readonly hasQuarantinedImages: boolean
  readonly isMismatched: boolean
  readonly isBeingForwarded: boolean
  /** The current instances that are on this PC. */
  readonly local: readonly LocalInstance[]
}

/** What a rule says about a study. */
export type Verdict =
  | { readonly kind: 'remove'; readonly instances: readonly LocalInstance[] }
  | { readonly kind: 'kept'; readonly reason: KeptReason }
  /** The rule does not apply to the study, or not yet. */
  | { readonly kind: 'other' }
  | { readonly kind: 'not-due' }

const DAY_MS = 24 * 60 * 60_000
/** Documents and states that accompany images and do not decide whether a rule applies. */
const COMPANION_MODALITIES: ReadonlySet<string> = new Set(['SR', 'PR', 'KO', 'DOC'])

/**
 * Decides whether the files of a study may be removed. Only the images that devices sent are ever
 * removed, and all of them or none: objects that the gateway made are small and often have no copy
 * elsewhere.
 * @param now ms
 * @param isLow whether free space is so low that a rule that permits it ignores the age
 */
export function verdictOf(
  rule: NewLifecycleRule,
  study: StudyFacts,
  now: number,
  isLow: boolean,
): Verdict {
  const evaluation = evaluateRule(rule, study)
  if (!evaluation) return { kind: 'other' }
  const { instances, since, reason } = evaluation
  // An unsigned study has no age by its report, so it is shown as kept.
  const isDue =
    since === null || (rule.isEarlierWhenLow && isLow) || now - since >= rule.days * DAY_MS
  if (!isDue) return { kind: 'not-due' }
  return reason === undefined ? { kind: 'remove', instances } : { kind: 'kept', reason }
}

/** What a rule makes of a study, apart from its age. */
export interface RuleEvaluation {
  /** The images that the rule would remove. */
  readonly instances: readonly LocalInstance[]
  /** What the age is counted from (ms); null if the report that it is counted from is not signed. */
  readonly since: number | null
  /** Why the study is kept at any age; undefined if only its age keeps it. */
  readonly reason: KeptReason | undefined
}

/** Undefined if the rule does not apply to the study. */
export function evaluateRule(
  rule: NewLifecycleRule,
  study: StudyFacts,
): RuleEvaluation | undefined {
  const instances = study.local.filter(({ isOwn }) => !isOwn)
  if (instances.length === 0 || !isInScope(rule, instances)) return undefined
  const since = rule.since === 'signed' ? study.signedAt : study.receivedAt
  return { instances, since, reason: keptReason(rule, study, instances) }
}

function isInScope(rule: NewLifecycleRule, instances: readonly LocalInstance[]): boolean {
  const { modalities, devices } = rule
  const images = instances.filter(({ modality }) => !COMPANION_MODALITIES.has(modality))
  const decidingInstances = images.length > 0 ? images : instances
  const titles = devices.map(aeTitleKey)
  return (
    (modalities.length === 0 ||
      decidingInstances.every(({ modality }) => modalities.includes(modality))) &&
    (devices.length === 0 ||
      instances.every(({ callingAeTitle }) => titles.includes(aeTitleKey(callingAeTitle))))
  )
}

function keptReason(
  rule: NewLifecycleRule,
  study: StudyFacts,
  instances: readonly LocalInstance[],
): KeptReason | undefined {
  const needsReport = rule.requiresSignedReport || rule.since === 'signed'
  if (study.isHeld) return 'legal-hold'
  if (study.isArriving) return 'arriving'
  if (study.hasQuarantinedImages) return 'quarantine'
  if (study.isMismatched) return 'mismatch'
  if (study.isBeingForwarded) return 'forwarding'
  if (needsReport && study.signedAt === null) return 'not-signed'
  const copies = Math.max(1, rule.copies)
  if (instances.some(({ places }) => places.size < copies)) return 'not-confirmed'
  return undefined
}
