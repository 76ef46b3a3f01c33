import type { SetupState } from '#shared/contract/dashboard-setup.ts'

export interface StepProps {
  readonly state: SetupState
  /** To the next step. */
  readonly onNext: () => void
}
