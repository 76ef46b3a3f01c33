import type { IdentityState } from '#shared/contract/images.ts'
import type { Tone } from '../format/tones.ts'
import { t } from '../i18n/t.ts'
import { Tag } from './tone.tsx'

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
  return (
    <>
      {!(isUnscheduled && state === 'unverified') && (
        <Tag
          tone={TONES[state]}
          meaning={t(`ui.common.identity.states.${state}.description`)}
          isWrapped
        >
          {t(`ui.common.identity.states.${state}.label`)}
        </Tag>
      )}
      {isUnscheduled && (
        <Tag tone="info" meaning={t('ui.common.identity.unscheduled.description')} isWrapped>
          {t('ui.common.identity.unscheduled.label')}
        </Tag>
      )}
    </>
  )
}
