import type { Destination } from '#shared/contract/destinations.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Notice } from '../../ui/tone.tsx'
import { stateOf } from './state.ts'

/**
 * What keeps images from their destination, and what a person can do about it. Nothing where all is
 * well.
 */
export function DestinationFault({ destination }: { destination: Destination }) {
  const { lastError, nextAttemptAt } = destination
  const isFailed = stateOf(destination) === 'failed'
  if (!isFailed && !lastError) return null
  return (
    <Notice
      tone={isFailed ? 'danger' : 'warning'}
      title={lastError ? translateMessage(lastError) : t('ui.destinations.notSent')}
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
