import { Progress, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { dashboardDestinations, type PriorRetrieval } from '#shared/contract/destinations.ts'
import { useReply } from '../../api/queries.ts'
import { useStatus } from '../../api/status.ts'
import { numberText } from '../../format/amounts.ts'
import { dayText } from '../../format/dates.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { RETRIEVAL_TONES } from './found.ts'
import css from './prior-studies.module.css'

/** What was fetched lately, and how far it is. */
export function Retrievals() {
  const callers = useStatus().data?.unknownCallers ?? 0
  const pulls = useReply(dashboardDestinations.pulls, {}, { every: 2000 })
  return (
    <Panel title={t('ui.prior-studies.pulls')}>
      {pulls.isPending && <LoadingPlaceholder rows={2} />}
      {pulls.isError && <ErrorNotice error={pulls.error} onRetry={() => void pulls.refetch()} />}
      {pulls.data?.pulls.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('ui.prior-studies.pullsNone')}
        </Text>
      )}
      {callers > 0 && pulls.data?.pulls[0]?.state === 'failed' && (
        <Notice tone="info">
          {t('ui.prior-studies.caller')} <Link to="/devices">{t('ui.prior-studies.devices')}</Link>.
        </Notice>
      )}
      {pulls.data?.pulls.map((pull) => (
        <Line key={pull.pullId} pull={pull} />
      ))}
    </Panel>
  )
}

function Line({ pull }: { pull: PriorRetrieval }) {
  const {
    completed,
    failed,
    remaining,
    state,
    studyInstanceUid,
    destinationName,
    detail,
    startedAt,
  } = pull
  const { patientName, patientId, studyDescription, studyDate } = pull
  const exam = [studyDescription, dayText(studyDate)].filter(Boolean).join(', ')
  const all = completed + failed + remaining
  const text = t('ui.prior-studies.progress', { done: numberText(completed), all: numberText(all) })
  return (
    <div className={css.pull}>
      <div>
        <span>
          <Clock instant={startedAt} /> {t('ui.prior-studies.from', { name: destinationName })}
        </span>
        <Tag tone={RETRIEVAL_TONES[state]}>{t(`ui.prior-studies.states.${state}.name`)}</Tag>
      </div>
      {patientName && (
        <div>
          <PersonName value={patientName} /> <span className="mono">{patientId}</span>
        </div>
      )}
      {exam && <Text size="sm">{exam}</Text>}
      {all > 0 && <Progress value={(completed / all) * 100} size={5} aria-label={text} />}
      <Text size="sm">
        {all > 0 && text}
        {failed > 0 && `, ${t('ui.prior-studies.failedImages', { count: numberText(failed) })}`}
      </Text>
      {detail && (state !== 'done' || failed > 0 || all === 0) && (
        <Text size="sm">{translateMessage(detail)}</Text>
      )}
      {completed > 0 && (
        <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
          {t('ui.prior-studies.open')}
        </Link>
      )}
    </div>
  )
}
