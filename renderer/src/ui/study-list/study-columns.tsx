import { IconLock, IconPhoto } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { WINDOW_ID } from '../../api/window-drafts.ts'
import { numberText } from '../../format/amounts.ts'
import { dayText } from '../../format/dates.ts'
import { ageText, sexName } from '../../format/patient.ts'
import { t } from '../../i18n/t.ts'
import type { Column } from '../data-table.tsx'
import { openImages } from '../open-images.tsx'
import { PersonName } from '../person-name.tsx'
import { SeverityTag } from '../severity-tag.tsx'
import { AssignCell } from './assign-cell.tsx'
import { examText } from './exam-text.ts'
import { StatusTags } from './status-tags.tsx'
import css from './study-list.module.css'
import { initialsOf, waitingText } from './waiting.ts'

type StudyColumn = Column<WindowStudy>

/** `Female · 54 years`. */
function personText({ sex, age, dateOfBirth, scanDate }: WindowStudy): string {
  const patientAge = ageText(
    { ...(age && { age }), ...(dateOfBirth && { dateOfBirth }), ...(scanDate && { scanDate }) },
    scanDate,
  )
  return [
    sex === '' ? '' : sexName(sex),
    dateOfBirth && !scanDate && !age ? dayText(dateOfBirth) : patientAge,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** `127 / 180`, or how many there are. */
export const imagesText = ({ instances, expected }: NonNullable<WindowStudy['images']>): string =>
  expected === null ? numberText(instances) : `${numberText(instances)} / ${numberText(expected)}`

/** The columns of studies; which are there depends on the table's own width. */
export const studyColumns = {
  severity: {
    name: t('ui.study-list.columns.severity'),
    track: '70px',
    cell: ({ severity }) => <SeverityTag severity={severity} isLight />,
  },
  patient: (to: '/studies/$studyId' | '/reading/$studyId'): StudyColumn => ({
    name: t('ui.study-list.columns.patient'),
    track: 'minmax(172px, 1.6fr)',
    cell: (study, isCurrent) => (
      <>
        <Link to={to} params={{ studyId: study.studyId }} tabIndex={isCurrent ? 0 : -1}>
          {study.patientName ? <PersonName value={study.patientName} /> : t('ui.study-list.noName')}
        </Link>
        <div className={css.under}>
          {study.mrn && <span className={`mono ${css.mrn}`}>{study.mrn}</span>}{' '}
          <span className="nowrap">{personText(study)}</span>
        </div>
      </>
    ),
  }),
  accession: {
    name: t('ui.study-list.columns.accession'),
    track: 'minmax(96px, 0.8fr)',
    rank: 6,
    cell: ({ accessionNumber }) => (
      <span className={`mono ${css.line}`} title={accessionNumber}>
        {accessionNumber}
      </span>
    ),
  },
  study: {
    name: t('ui.study-list.columns.study'),
    track: 'minmax(110px, 1.7fr)',
    cell: (study) => (
      <span className={css.two} title={examText(study)}>
        {examText(study)}
      </span>
    ),
  },
  scanned: {
    name: t('ui.study-list.columns.scanned'),
    track: '92px',
    rank: 1,
    cell: ({ scanDate, scanTime }) => (
      <>
        <span className={`tabular ${css.line}`}>{scanDate && dayText(scanDate)}</span>
        <span className={`tabular ${css.under}`}>{scanTime}</span>
      </>
    ),
  },
  from: {
    name: t('ui.study-list.columns.from'),
    track: 'minmax(96px, 1fr)',
    rank: 7,
    cell: ({ facilityName, expressCustomer }) => (
      <>
        <span className={css.line} title={expressCustomer?.expressCustomerName}>
          {expressCustomer?.expressCustomerName}
        </span>
        <span className={`${css.line} ${css.under}`} title={facilityName}>
          {facilityName}
        </span>
      </>
    ),
  },
  assigned: (mayAssign: boolean): StudyColumn => ({
    name: t('ui.study-list.columns.assigned'),
    track: 'minmax(122px, 1.1fr)',
    rank: 3,
    cell: (study, isCurrent) => (
      <AssignCell study={study} mayAssign={mayAssign} isCurrent={isCurrent} />
    ),
  }),
  waiting: {
    name: t('ui.study-list.columns.waiting'),
    track: '88px',
    rank: 2,
    cell: ({ createdAt, status, isCancelled }) =>
      status === 'completed' || status === 'complete' || isCancelled ? null : (
        <time className="tabular nowrap" dateTime={createdAt}>
          {waitingText(createdAt, new Date())}
        </time>
      ),
  },
  images: {
    name: t('ui.study-list.columns.images'),
    track: '98px',
    rank: 4,
    cell: (study, isCurrent) => <Images study={study} isCurrent={isCurrent} />,
  },
  status: {
    name: t('ui.study-list.columns.status'),
    track: 'minmax(136px, 1.3fr)',
    cell: (study) => (
      <span className={css.tags}>
        <StatusTags study={study} isShort />
        <Writer lock={study.lock} />
      </span>
    ),
  },
} as const satisfies Record<string, StudyColumn | ((given: never) => StudyColumn)>

/** The box that selects a row; the one at the head selects all that are there. */
export function selectColumn(options: {
  selected: ReadonlySet<string | number>
  onSelect: (study: WindowStudy, isRange: boolean) => void
}): StudyColumn {
  const { selected, onSelect } = options
  return {
    name: t('ui.study-list.columns.select'),
    track: '24px',
    head: <span />,
    cell: (study, isCurrent) => (
      <input
        type="checkbox"
        className={css.check}
        aria-label={t('ui.study-list.selectOne', { study: examText(study) })}
        tabIndex={isCurrent ? 0 : -1}
        checked={selected.has(study.studyId)}
        onChange={(event) => onSelect(study, (event.nativeEvent as PointerEvent).shiftKey === true)}
      />
    ),
  }
}

function Images({ study, isCurrent }: { study: WindowStudy; isCurrent: boolean }): ReactNode {
  const { studyId, studyDescription, images, priors } = study
  const under = [
    images?.isReceiving ? t('ui.study-list.receiving') : '',
    priors > 0 ? t('ui.study-list.priors', { count: priors }) : '',
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <>
      {images === null ? (
        <span className={css.under}>{t('ui.study-list.noImages')}</span>
      ) : (
        <span className="nowrap">
          <button
            type="button"
            className={css.icon}
            title={t('ui.study-list.openImages')}
            aria-label={t('ui.study-list.openImagesOf', { study: studyDescription })}
            tabIndex={isCurrent ? 0 : -1}
            onClick={() => void openImages({ studyId })}
          >
            <IconPhoto size={15} stroke={1.7} aria-hidden />
          </button>{' '}
          <span className="tabular">{imagesText(images)}</span>
        </span>
      )}
      {under && <span className={`${css.line} ${css.under}`}>{under}</span>}
    </>
  )
}

/** Who writes the report now. */
export function Writer({ lock }: Pick<WindowStudy, 'lock'>): ReactNode {
  if (lock === null) return null
  const isThisWindow = lock.windowId === WINDOW_ID
  const text = isThisWindow
    ? t('ui.study-list.youWrite')
    : t('ui.study-list.writing', { name: lock.name })
  return (
    <span
      className={css.writer}
      data-tone={isThisWindow ? 'info' : 'warning'}
      role="img"
      aria-label={text}
      title={text}
    >
      <IconLock size={12} aria-hidden /> {initialsOf(lock.name)}
    </span>
  )
}
