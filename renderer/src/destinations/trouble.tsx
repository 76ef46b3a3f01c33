import type { Destination } from '#shared/contract/destinations.ts'
import { Clock } from '../components/clock.tsx'
import { Notice } from '../components/tone.tsx'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { stateOf } from './state.ts'

/**
 * What keeps images from their destination, and what a person can do about it. Nothing where all is
 * well.
 */
export function Trouble({ destination }: { destination: Destination }) {
  const { lastError, nextAttemptAt } = destination
  const isFailed = stateOf(destination) === 'failed'
  if (!isFailed && !lastError) return null
  return (
    <Notice
      tone={isFailed ? 'danger' : 'warning'}
      title={lastError ? said(lastError) : t('ui.destinations.notSent')}
    >
      {isFailed && <div>{t('ui.destinations.notSentHelp')}</div>}
      {lastError && nextAttemptAt && (
        <div>
          {t('ui.destinations.facts.next')}: <Clock instant={nextAttemptAt} />
        </div>
      )}
    </Notice>
  )
}
