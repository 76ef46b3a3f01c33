import type { IdentityState } from '#shared/contract/images.ts'
import type { Tone } from '../display/tones.ts'
import { Tag } from './tone.tsx'
import { words } from './words.ts'

const TONES: Readonly<Record<IdentityState, Tone>> = {
  matched: 'good',
  unverified: 'plain',
  mismatch: 'danger',
  overridden: 'warning',
  resolved: 'good',
}

/**
 * Whether the images are of the patient and the exam that they are reported for, and that they were
 * made without an order: where nothing else can be said of them, in its place.
 */
export function IdentityTag({
  state,
  isUnscheduled,
}: {
  state: IdentityState
  isUnscheduled: boolean
}) {
  const [name, meaning] = words.identity.states[state]
  return (
    <>
      {!(isUnscheduled && state === 'unverified') && (
        <Tag tone={TONES[state]} meaning={meaning} isWrapped>
          {name}
        </Tag>
      )}
      {isUnscheduled && (
        <Tag tone="info" meaning={words.identity.unscheduled[1]} isWrapped>
          {words.identity.unscheduled[0]}
        </Tag>
      )}
    </>
  )
}
