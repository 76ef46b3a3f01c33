import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { dashboardSetup, type SetupState } from '#shared/contract/dashboard-setup.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { Message } from '#shared/messages/message.ts'
import { useSend } from '../../api/queries.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../format/event-types.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Panel } from '../../ui/page.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './setup.module.css'

const TONES = { none: 'plain', accepted: 'good', failed: 'danger' } as const

/** A row for each event the partner gets: how its newest call ended, and a test. */
export function PartnerTests({ partner }: { partner: SetupState['partner'] }) {
  const test = useSend(dashboardEvents.test, [
    dashboardSetup.state,
    dashboardSetup.readiness,
    dashboardEvents.list,
  ])
  const [messages, setMessages] = useState<Partial<Record<EventType, Message>>>({})
  const [atWork, setAtWork] = useState<EventType | null>(null)
  const events = EVENT_ORDER.flatMap((type) => partner.events.filter((one) => one.type === type))

  /** One after the other: a partner is not to be met by seven at once. */
  async function run(types: readonly EventType[]): Promise<void> {
    for (const type of types) {
      if (partner.endpointId === null) return
      setAtWork(type)
      const message = await test
        .mutateAsync({ body: { type, endpointId: partner.endpointId } })
        .then(
          (reply) => reply.message,
          (error: Error) => error.message,
        )
      setMessages((before) => ({ ...before, [type]: message }))
    }
    setAtWork(null)
  }

  return (
    <Panel
      isFlush
      title={t('ui.setup.partner.events')}
      aside={
        <Button
          size="sm"
          variant={events.some(({ outcome }) => outcome === 'accepted') ? 'default' : 'filled'}
          loading={atWork !== null}
          onClick={() => void run(events.map(({ type }) => type))}
        >
          {t('ui.setup.partner.testAll')}
        </Button>
      }
    >
      <div className={css.row}>
        <Text size="sm" c="dimmed">
          {t('ui.setup.partner.testsAbout')}
        </Text>
      </div>
      <div aria-live="polite">
        {events.map(({ type, outcome, at }) => {
          const testState = outcome === 'none' || outcome === 'accepted' ? outcome : 'failed'
          const { name } = EVENT_NAMES[type]
          const message = messages[type]
          return (
            <div key={type} className={css.row} data-tone={TONES[testState]}>
              <ToneIcon tone={TONES[testState]} size={18} />
              <div className={css.rowText}>
                <b>{name}</b> · {t(`ui.setup.partner.outcome.${testState}`)}
                <Text size="sm" c="dimmed">
                  {message ? translateMessage(message) : at && <Clock instant={at} />}
                </Text>
              </div>
              <Button
                variant="default"
                size="xs"
                aria-label={t('ui.setup.partner.testOf', { event: name })}
                loading={atWork === type}
                disabled={atWork !== null && atWork !== type}
                onClick={() => void run([type])}
              >
                {t('ui.setup.partner.test')}
              </Button>
            </div>
          )
        })}
      </div>
    </Panel>
  )
}
