import { Checkbox } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Endpoint, ListedEvent } from '#shared/contract/events.ts'
import { durationText } from '../../format/amounts.ts'
import { objectText, shortIds } from '../../format/audit-detail.ts'
import { eventBadge } from '../../format/event-outcomes.ts'
import { EVENT_NAMES } from '../../format/event-types.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Tag } from '../../ui/tone.tsx'
import { eventEndpointName } from './endpoint-of.ts'
import css from './events.module.css'

/** @param chosen the events that are to be sent again */
export function columnsOf(
  endpoints: readonly Endpoint[] | undefined,
  chosen: ReadonlySet<string>,
  onChoose: (eventId: string, isChosen: boolean) => void,
): readonly Column<ListedEvent>[] {
  return [
    {
      name: t('ui.events.columns.chosen'),
      track: '20px',
      // What somebody waited for then is of no use to anybody now.
      cell: ({ eventId, kind, type, isTest }) =>
        kind !== 'synchronous' &&
        !isTest && (
          <Checkbox
            size="xs"
            aria-label={t('ui.events.choose', {
              name: `${EVENT_NAMES[type].name} ${shortIds(eventId)}`,
            })}
            checked={chosen.has(eventId)}
            onChange={(event) => onChoose(eventId, event.currentTarget.checked)}
          />
        ),
    },
    {
      name: t('ui.events.columns.at'),
      track: '98px',
      cell: ({ createdAt }) => <Clock instant={createdAt} />,
    },
    {
      name: t('ui.events.columns.event'),
      track: 'minmax(112px, 1.3fr)',
      cell: ({ eventId, type, isTest }) => (
        <>
          <Link to="/events/$eventId" params={{ eventId }}>
            {EVENT_NAMES[type].name}
          </Link>
          {isTest && <div className={css.under}>{t('ui.events.test')}</div>}
        </>
      ),
    },
    {
      name: t('ui.events.columns.subject'),
      track: 'minmax(96px, 1.2fr)',
      cell: ({ subject, study }) => (
        <>
          {study && <PersonName value={study.patientName} />}
          {study?.description ? (
            <div className={css.under}>{study.description}</div>
          ) : (
            <div className={study ? css.under : undefined} title={subject} translate="no">
              {objectText(subject)}
            </div>
          )}
        </>
      ),
    },
    {
      name: t('ui.events.columns.endpoint'),
      track: 'minmax(76px, 0.9fr)',
      isWideOnly: true,
      cell: ({ endpointId }) => eventEndpointName(endpoints, endpointId),
    },
    {
      name: t('ui.events.columns.state'),
      track: 'minmax(160px, 1.8fr)',
      cell: (event) => {
        const standing = eventBadge(event)
        return (
          <>
            <Tag tone={standing.tone} meaning={standing.meaning} isWrapped>
              {standing.name}
            </Tag>
            {event.notes > 0 && (
              <div className={css.under}>{t('ui.events.notesCount', { count: event.notes })}</div>
            )}
            {event.nextAt && (
              <div className={css.under}>
                {t('ui.events.next')} <Clock instant={event.nextAt} />
              </div>
            )}
          </>
        )
      },
    },
    {
      name: t('ui.events.columns.took'),
      track: '64px',
      isRightAligned: true,
      cell: ({ tookMs, attempts }) =>
        attempts > 0 && (
          <>
            {durationText(tookMs)}
            {attempts > 1 && (
              <div className={css.under}>{t('ui.events.tries', { count: attempts })}</div>
            )}
          </>
        ),
    },
  ]
}
