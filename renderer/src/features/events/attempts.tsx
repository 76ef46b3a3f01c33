import { Button, Stack } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import type { EventAttempt } from '#shared/contract/events.ts'
import { bytesText, durationText } from '../../format/amounts.ts'
import { OUTCOMES } from '../../format/event-outcomes.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { EmptyState, Panel } from '../../ui/page.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import { BodyView } from './body-view.tsx'
import css from './events.module.css'
import { Notes } from './notes.tsx'

/** Every try of an event, the newest first and open. */
export function Attempts({ attempts }: { attempts: readonly EventAttempt[] }) {
  return (
    <Panel title={t('ui.events.attempts')}>
      {attempts.length === 0 && (
        <EmptyState title={t('ui.events.noAttempts')}>{t('ui.events.noAttemptsText')}</EmptyState>
      )}
      <ol className={css.timeline} reversed>
        {attempts.map((attempt, index) => (
          <Attempt key={attempt.attempt} attempt={attempt} isFirst={index === 0} />
        ))}
      </ol>
    </Panel>
  )
}

function Attempt({ attempt, isFirst }: { attempt: EventAttempt; isFirst: boolean }) {
  const [isOpen, setIsOpen] = useState(isFirst)
  const outcome = OUTCOMES[attempt.outcome]
  const tone = attempt.outcome === 'accepted' && attempt.notes.length > 0 ? 'warning' : outcome.tone
  return (
    <li>
      <ToneIcon tone={tone} size={18} />
      <Stack gap={6}>
        <div className={css.attemptHead}>
          <b>{outcome.name}</b>
          <Clock instant={attempt.at} />
          <span className={css.quiet}>
            {[
              t('ui.events.attempt', { count: attempt.attempt }),
              attempt.httpStatus === null
                ? t('ui.events.noAnswer')
                : t('ui.events.http', { status: attempt.httpStatus }),
              durationText(attempt.tookMs),
              ...(attempt.bytes > 0 ? [bytesText(attempt.bytes)] : []),
            ].join(' · ')}
          </span>
        </div>
        {attempt.detail && <div className={css.detail}>{translateMessage(attempt.detail)}</div>}
        <Notes title={t('ui.events.notes')} notes={attempt.notes} />
        {attempt.response !== null && (
          <div>
            <Button
              variant="subtle"
              size="compact-sm"
              ml={-8}
              aria-expanded={isOpen}
              leftSection={isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? t('ui.events.answerHide') : t('ui.events.answerShow')}
            </Button>
            {isOpen && (
              <BodyView
                text={attempt.response}
                what={t('ui.events.answer')}
                aside={
                  attempt.isCut
                    ? `${t('ui.events.answer')}. ${t('ui.events.answerCut')}`
                    : t('ui.events.answer')
                }
              />
            )}
          </div>
        )}
      </Stack>
    </li>
  )
}
