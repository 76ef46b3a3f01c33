import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconReportMedical } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import type { Today } from '#shared/contract/dashboard-today.ts'
import { t } from '../../i18n/t.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { SeverityTag } from '../../ui/severity-tag.tsx'
import { examText } from '../../ui/study-list/exam-text.ts'
import { SearchBox } from '../../ui/study-list/search-box.tsx'
import { useNextStudies } from '../../ui/study-list/use-next-studies.ts'
import { waitingText } from '../../ui/study-list/waiting.ts'
import { CriticalResultsPanel } from './critical-panel.tsx'
import css from './dashboard.module.css'
import { TodayItems } from './items.tsx'

const KINDS = [
  ...(['safe-mode', 'addenda-needed', 'stat-unread', 'mismatches'] as const),
  ...(['correction-notices', 'images-replaced'] as const),
  ...(['my-drafts', 'addenda', 'reports-undelivered'] as const),
]
/** Studies that the home page lists. */
const LISTED = 8
const SEARCH_DELAY_MS = 200

/** What to read next, and critical results that no clinician has been told of. */
export function RadiologistHome({ today }: { today: Today }) {
  return (
    <div className={css.columns}>
      <div className={css.main}>
        <NextStudies />
      </div>
      <div className={css.side}>
        <CriticalResultsPanel isEscalated={false} />
        <TodayItems items={today.items} kinds={KINDS} />
      </div>
    </div>
  )
}

function NextStudies() {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const isSearch = search !== ''
  const reply = useNextStudies(LISTED, true, search)
  const studies = reply.data?.studies ?? []
  const [first] = studies
  return (
    <Panel
      isFlush
      title={isSearch ? t('ui.dashboard.next.found') : t('ui.dashboard.next.title')}
      aside={
        first &&
        !isSearch && (
          <Button
            size="sm"
            renderRoot={(props) => (
              <Link {...props} to="/reading/$studyId" params={{ studyId: first.studyId }} />
            )}
          >
            {t('ui.dashboard.next.start')}
          </Button>
        )
      }
    >
      <div className={css.nextSearch}>
        <SearchBox
          label={t('ui.dashboard.next.searchLabel')}
          placeholder={t('ui.dashboard.next.search')}
          maxLength={100}
          value={typed}
          onChange={setTyped}
        />
      </div>
      {reply.isPending && <LoadingPlaceholder rows={LISTED} height={46} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.isSuccess && !first && isSearch && (
        <div className={css.roomNone}>{t('ui.dashboard.next.notFound')}</div>
      )}
      {reply.isSuccess && !first && !isSearch && (
        <EmptyState
          icon={<IconReportMedical size={38} stroke={1.3} />}
          title={t('ui.dashboard.next.none')}
        >
          {t('ui.dashboard.next.noneText')}
        </EmptyState>
      )}
      {first && (
        <ul className={css.exams}>
          {studies.map((study) => (
            <Study key={study.studyId} study={study} />
          ))}
        </ul>
      )}
      {reply.data?.hasMore && (
        <div className={css.roomActions}>
          <Link to="/reading">{t('ui.dashboard.next.all')}</Link>
        </div>
      )}
    </Panel>
  )
}

const Study = ({ study }: { study: WindowStudy }) => (
  <li className={css.exam}>
    <div>
      <SeverityTag severity={study.severity} isLight />
    </div>
    <div className={css.examPatient}>
      <Link to="/reading/$studyId" params={{ studyId: study.studyId }}>
        <PersonName value={study.patientName} />
      </Link>
      <div className={css.quiet}>
        {examText(study)}
        {study.assignedTo && ` · ${study.assignedTo.name}`}
      </div>
    </div>
    <div className={css.quiet}>{waitingText(study.createdAt, new Date())}</div>
  </li>
)
