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

/** Whether the images are of the patient and the exam that they are reported for. */
export function IdentityTag({ state }: { state: IdentityState }) {
  const [name, meaning] = words.identity.states[state]
  return (
    <Tag tone={TONES[state]} meaning={meaning} isWrapped>
      {name}
    </Tag>
  )
}
