import type {
  AssociationInfo,
  AssociationObserver,
  AssociationPolicy,
} from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import type { OpenAssociations } from './association-admission.ts'
import type { DimseLimits } from './limits.ts'
import type { SlicePool } from './slice-pool.ts'

/** What an association needs of its server. */
export interface AssociationHost {
  readonly limits: DimseLimits
  readonly slices: SlicePool
  readonly dataSlices: SlicePool
  readonly policy: AssociationPolicy
  readonly observer: AssociationObserver
  serviceOf(abstractSyntax: string): ServiceClass | undefined
  /** A connection without an association keeps bytes of what may become one. */
  pendingGrew(): void
  /** All associations together have sent ahead more than is kept. */
  readonly isTooMuchAhead: boolean
  /** All associations together are gathering as much as is kept. */
  readonly isTooMuchGathered: boolean
  /** As seen by this caller. */
  openAssociations(association: AssociationInfo): OpenAssociations
  ids(): string
  report(error: unknown): string
  clock(): number
}
