import type { CorrectionKind, TargetChoice } from '#shared/contract/corrections.ts'
import type { IdentityDifference } from '#shared/contract/images.ts'
import { patientsOf, type StudyPatientIdentity } from './image-identities.ts'
import { type ChosenTarget, chosenOf, correctedDetails } from './resolve-target.tsx'

export interface SuggestedCorrection {
  readonly kind: CorrectionKind
  readonly target: ChosenTarget
}

/**
 * The correction that the worklist suggests for images of one patient; null where more than one may
 * be right. Images with the order’s patient ID have wrong details. Images with another one belong
 * to the only order without images that has their patient ID and name. A person checks it, and
 * gives the cause and the reason.
 */
export function suggestedCorrection(
  identities: readonly StudyPatientIdentity[],
  differences: readonly IdentityDifference[],
  targets: readonly TargetChoice[],
): SuggestedCorrection | null {
  const [patient, ...others] = patientsOf(identities)
  if (!patient?.patientId || others.length > 0) return null
  const fields = differences.flatMap(({ from, field }) => (from === 'worklist' ? [field] : []))
  if (fields.length === 0) return null
  if (!fields.includes('patientId')) {
    // Another accession number may be that of another exam of the patient.
    if (fields.includes('accessionNumber') || fields.includes('studyInstanceUid')) return null
    const { patient: right } = correctedDetails(identities, differences)
    const target = { to: 'patient', patient: right } as const
    return { kind: 'correct', target: { ...right, target, exam: null } }
  }
  const [order, ...more] = targets.filter(
    ({ target, patientId, patientName, instances }) =>
      target.to === 'order' &&
      instances === 0 &&
      patientId === patient.patientId &&
      patientName === patient.patientName,
  )
  return order && more.length === 0 ? { kind: 'reassign', target: chosenOf(order) } : null
}
