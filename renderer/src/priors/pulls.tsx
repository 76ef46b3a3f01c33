import { Progress, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { dashboardDestinations, type Pull } from '#shared/contract/destinations.ts'
import { Clock } from '../components/clock.tsx'
import { Failed, Panel, Waiting } from '../components/page.tsx'
import { PersonName } from '../components/person-name.tsx'
import { Notice, Tag } from '../components/tone.tsx'
import { numberText } from '../display/amounts.ts'
import { dayText } from '../display/dates.ts'
import { useReply } from '../gateway.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { useStatus } from '../status.ts'
import { PULL_TONES } from './found.ts'
import css from './priors.module.css'

/** What was fetched lately, and how far it is. */
export function Pulls() {
  const callers = useStatus().data?.unknownCallers ?? 0
  const pulls = useReply(dashboardDestinations.pulls, {}, { every: 2000 })
  return (
    <Panel title={t('ui.priors.pulls')}>
      {pulls.isPending && <Waiting rows={2} />}
      {pulls.isError && <Failed error={pulls.error} onRetry={() => void pulls.refetch()} />}
      {pulls.data?.pulls.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('ui.priors.pullsNone')}
        </Text>
      )}
      {callers > 0 && pulls.data?.pulls[0]?.state === 'failed' && (
        <Notice tone="info">
          {t('ui.priors.caller')} <Link to="/devices">{t('ui.priors.devices')}</Link>.
        </Notice>
      )}
      {pulls.data?.pulls.map((pull) => (
        <Line key={pull.pullId} pull={pull} />
      ))}
    </Panel>
  )
}

function Line({ pull }: { pull: Pull }) {
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
  const text = t('ui.priors.progress', { done: numberText(completed), all: numberText(all) })
  return (
    <div className={css.pull}>
      <div>
        <span>
          <Clock instant={startedAt} /> {t('ui.priors.from', { name: destinationName })}
        </span>
        <Tag tone={PULL_TONES[state]}>{t(`ui.priors.states.${state}.name`)}</Tag>
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
        {failed > 0 && `, ${t('ui.priors.failedImages', { count: numberText(failed) })}`}
      </Text>
      {detail && (state !== 'done' || failed > 0 || all === 0) && (
        <Text size="sm">{said(detail)}</Text>
      )}
      {completed > 0 && (
        <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
          {t('ui.priors.open')}
        </Link>
      )}
    </div>
  )
}
