import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Endpoint } from '#shared/contract/events.ts'
import { Clock } from '../components/clock.tsx'
import { countText, durationText } from '../display/amounts.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../display/event-types.ts'
import { words } from './words.ts'

type Fact = readonly [name: string, value: ReactNode]

/** What an endpoint gets, and how it is signed and reached. */
export function factsOf({
  endpointId,
  url,
  apiKey,
  events,
  fileHosts,
  budgets,
  secrets,
  waiting,
}: Endpoint): readonly Fact[] {
  const { facts } = words
  const taken = EVENT_ORDER.filter((event) => events.includes(event))
  const times = taken.flatMap((event) => {
    const ms = budgets[event]
    return ms === undefined ? [] : [`${EVENT_NAMES[event].name} ${durationText(ms)}`]
  })
  const old = secrets.filter(({ endsAt }) => endsAt !== null)
  return [
    [
      facts.url,
      <span key="url" className="mono">
        {url}
      </span>,
    ],
    [facts.studies, apiKey ? words.ofKey(apiKey.description) : words.allStudies],
    [
      facts.events,
      taken.length === EVENT_ORDER.length
        ? words.allEvents
        : taken.map((event) => EVENT_NAMES[event].name).join(', ') || words.noEvents,
    ],
    [
      facts.secret,
      secrets[0] ? (
        <span key="secret">
          {words.secretSince} <Clock instant={secrets[0].createdAt} />
          {old.map(({ createdAt, endsAt }) => (
            <span key={createdAt}>
              {words.oldSecret} {endsAt && <Clock instant={endsAt} />}
            </span>
          ))}
        </span>
      ) : (
        words.secretUnset
      ),
    ],
    [facts.files, fileHosts.length > 0 ? fileHosts.join(', ') : words.noFiles],
    ...(times.length > 0 ? ([[facts.times, times.join(', ')]] as const) : []),
    [
      facts.waiting,
      waiting === 0 ? (
        words.nothingWaits
      ) : (
        <Link key="waiting" to="/events" search={{ show: 'waiting', endpoint: endpointId }}>
          {countText(waiting, ...words.eventNouns)}
        </Link>
      ),
    ],
  ]
}
