import { Link } from '@tanstack/react-router'
import type { StudyMoment } from '#shared/contract/dashboard-studies.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { useMayManage } from '../../api/session.ts'
import { useZone } from '../../api/status.ts'
import { actionText } from '../../format/audit-actions.ts'
import { detailText, shortIds } from '../../format/audit-detail.ts'
import { EVENT_NAMES } from '../../format/event-types.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { knownText, t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import css from './studies.module.css'

const isEvent = (what: string): what is EventType => Object.hasOwn(EVENT_NAMES, what)

/** Members that name the study whose history it is. */
const STUDY_ID_MEMBERS = new Set(['studyId', 'studyInstanceUid', 'reportId', 'area'])

/** Of an event what it led to; else what the trail has. */
const detailOf = ({ detail, effect, what }: StudyMoment, zone: string | undefined): string => {
  // The gateway has put names in place of ids.
  if (!isEvent(what))
    return shortIds(detailText(detail, { nameOf: () => undefined, zone, hidden: STUDY_ID_MEMBERS }))
  return effect ? translateMessage(effect) : ''
}
const actorText = (who: string): string =>
  knownText(`ui.studies.timeline.who.${who}`) ?? shortIds(who)

const nameOf = (what: string): string =>
  actionText(what) ?? (isEvent(what) ? EVENT_NAMES[what].name : what)

/** What happened to a study, the latest first. */
export function Timeline({
  moments,
  isShort,
}: {
  moments: readonly StudyMoment[]
  isShort: boolean
}) {
  const mayManage = useMayManage()
  const zone = useZone()
  if (moments.length === 0) return <p className={css.quiet}>{t('ui.studies.timeline.none')}</p>
  return (
    <ol className={css.timeline}>
      {(isShort ? moments.slice(0, 6) : moments).map((moment) => {
        const { at, what, who, eventId } = moment
        const detail = isShort ? '' : detailOf(moment, zone)
        return (
          <li key={`${at} ${what} ${who} ${eventId}`}>
            <span className={css.when}>
              <Clock instant={at} />
            </span>
            <span>
              <b>{nameOf(what)}</b> {who && <span className={css.quiet}>{actorText(who)}</span>}
              {detail && (
                <span
                  className={`${css.quiet} ${css.detail}`}
                  {...(!isEvent(what) && { translate: 'no' as const })}
                >
                  {detail}
                </span>
              )}
              {eventId !== null && mayManage && (
                <>
                  {' '}
                  <Link to="/events/$eventId" params={{ eventId }}>
                    {t('ui.studies.timeline.event')}
                  </Link>
                </>
              )}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
