import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Endpoint } from '#shared/contract/events.ts'
import { durationText } from '../../format/amounts.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../format/event-types.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'

type Fact = readonly [name: string, value: ReactNode]

/** What an endpoint gets, and how it is signed and reached. */
export function endpointFacts({
  endpointId,
  url,
  apiKey,
  events,
  fileHosts,
  budgets,
  secrets,
  waiting,
}: Endpoint): readonly Fact[] {
  const receivedEvents = EVENT_ORDER.filter((event) => events.includes(event))
  const times = receivedEvents.flatMap((event) => {
    const ms = budgets[event]
    return ms === undefined ? [] : [`${EVENT_NAMES[event].name} ${durationText(ms)}`]
  })
  const old = secrets.filter(({ endsAt }) => endsAt !== null)
  return [
    [
      t('ui.partner.facts.url'),
      <span key="url" className="mono">
        {url}
      </span>,
    ],
    [
      t('ui.partner.facts.studies'),
      apiKey
        ? t('ui.partner.ofKey', { description: apiKey.description })
        : t('ui.partner.allStudies'),
    ],
    [
      t('ui.partner.facts.events'),
      receivedEvents.length === EVENT_ORDER.length
        ? t('ui.partner.allEvents')
        : receivedEvents.map((event) => EVENT_NAMES[event].name).join(', ') ||
          t('ui.partner.noEvents'),
    ],
    [
      t('ui.partner.facts.secret'),
      secrets[0] ? (
        <span key="secret">
          {t('ui.partner.secretSince')} <Clock instant={secrets[0].createdAt} />
          {old.map(({ createdAt, endsAt }) => (
            <span key={createdAt}>
              {t('ui.partner.oldSecret')} {endsAt && <Clock instant={endsAt} />}
            </span>
          ))}
        </span>
      ) : (
        t('ui.partner.secretUnset')
      ),
    ],
    [
      t('ui.partner.facts.files'),
      fileHosts.length > 0 ? fileHosts.join(', ') : t('ui.partner.noFiles'),
    ],
    ...(times.length > 0 ? ([[t('ui.partner.facts.times'), times.join(', ')]] as const) : []),
    [
      t('ui.partner.facts.waiting'),
      waiting === 0 ? (
        t('ui.partner.nothingWaits')
      ) : (
        <Link key="waiting" to="/events" search={{ show: 'waiting', endpoint: endpointId }}>
          {t('ui.partner.eventCount', { count: waiting })}
        </Link>
      ),
    ],
  ]
}
