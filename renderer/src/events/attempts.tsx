import { Button, Stack } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import type { EventAttempt } from '#shared/contract/events.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Panel } from '../components/page.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { bytesText, durationText } from '../display/amounts.ts'
import { OUTCOMES } from '../display/event-outcomes.ts'
import { said } from '../language/said.ts'
import { BodyView } from './body-view.tsx'
import css from './events.module.css'
import { Notes } from './notes.tsx'
import { words } from './words.ts'

/** Every try of an event, the newest first and open. */
export function Attempts({ attempts }: { attempts: readonly EventAttempt[] }) {
  return (
    <Panel title={words.attempts}>
      {attempts.length === 0 && <Empty title={words.noAttempts}>{words.noAttemptsText}</Empty>}
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
              words.attempt(attempt.attempt),
              attempt.httpStatus === null ? words.noAnswer : words.http(attempt.httpStatus),
              durationText(attempt.tookMs),
              ...(attempt.bytes > 0 ? [bytesText(attempt.bytes)] : []),
            ].join(' · ')}
          </span>
        </div>
        {attempt.detail && <div className={css.detail}>{said(attempt.detail)}</div>}
        <Notes title={words.notes} notes={attempt.notes} />
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
              {isOpen ? words.answerHide : words.answerShow}
            </Button>
            {isOpen && (
              <BodyView
                text={attempt.response}
                what={words.answer}
                aside={attempt.isCut ? `${words.answer}. ${words.answerCut}` : words.answer}
              />
            )}
          </div>
        )}
      </Stack>
    </li>
  )
}
