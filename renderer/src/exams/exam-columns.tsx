import { Tooltip } from '@mantine/core'
import { type Exam, type ExamDevice, hasStartTime } from '#shared/contract/dashboard-exams.ts'
import { PersonName } from '../components/person-name.tsx'
import { SeverityTag } from '../components/severity-tag.tsx'
import { Tag, ToneIcon } from '../components/tone.tsx'
import type { Column } from '../components/virtual-table.tsx'
import { nameOf } from '../devices/device-name.ts'
import { clockText, timeText } from '../display/dates.ts'
import type { Tone } from '../display/tones.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { useZone } from '../status.ts'
import { type ExamActions, ExamMenu } from './exam-menu.tsx'
import css from './exams.module.css'

const STATE_TONES = {
  scheduled: 'plain',
  'handed-out': 'info',
  started: 'warning',
  images: 'warning',
  completed: 'good',
  closed: 'plain',
  gone: 'warning',
} as const satisfies Record<Exam['state'], Tone>

/** The columns of the day's exams; the last one has what can be done with an exam. */
export const examColumns = (actions: ExamActions): readonly Column<Exam>[] => [
  { name: t('ui.exams.columns.time'), track: '92px', cell: (exam) => <Time exam={exam} /> },
  {
    name: t('ui.exams.columns.patient'),
    track: 'minmax(150px, 1.5fr)',
    cell: ({ patientName }) => <PersonName value={patientName} />,
  },
  {
    name: t('ui.exams.columns.mrn'),
    track: 'minmax(84px, 0.7fr)',
    cell: ({ patientId }) => <span className="mono">{patientId}</span>,
  },
  {
    name: t('ui.exams.columns.accession'),
    track: 'minmax(96px, 0.8fr)',
    rank: 2,
    cell: ({ accessionNumber }) => <span className="mono">{accessionNumber}</span>,
  },
  {
    name: t('ui.exams.columns.exam'),
    track: 'minmax(130px, 1.5fr)',
    cell: ({ modality, description }) => (
      <>
        <b>{modality}</b> {description}
      </>
    ),
  },
  {
    name: t('ui.exams.columns.devices'),
    track: 'minmax(150px, 1.8fr)',
    cell: (exam) => <Devices exam={exam} />,
  },
  { name: t('ui.exams.columns.state'), track: '158px', cell: (exam) => <State exam={exam} /> },
  {
    name: t('ui.exams.columns.actions'),
    track: '58px',
    cell: (exam, isCurrent) => <ExamMenu exam={exam} actions={actions} isCurrent={isCurrent} />,
  },
]

function Time({ exam }: { exam: Exam }) {
  const { startTime, severity, isOverdue } = exam
  return (
    <>
      <span className={css.time}>
        {!hasStartTime(exam) || startTime === ''
          ? t('ui.exams.noTime')
          : timeText(startTime.slice(0, 4))}
      </span>
      {severity !== 'normal' && (
        <div>
          <SeverityTag severity={severity} />
        </div>
      )}
      {isOverdue && (
        <div>
          <Tag tone="warning" meaning={t('ui.exams.overdueMeaning')}>
            {t('ui.exams.overdue')}
          </Tag>
        </div>
      )}
    </>
  )
}

function Devices({ exam: { devices, withheld } }: { exam: Exam }) {
  if (withheld) {
    return (
      <Tooltip label={said(withheld)} multiline>
        <span className={css.withheld}>
          <ToneIcon tone="danger" size={13} /> {t('ui.exams.withheldAll')}: {said(withheld)}
        </span>
      </Tooltip>
    )
  }
  if (devices.length === 0) return <span className={css.quiet}>{t('ui.exams.noDevice')}</span>
  return (
    <span className={css.devices}>
      {devices.map((device) => (
        <OnDevice key={device.aeTitle} device={device} />
      ))}
    </span>
  )
}

function OnDevice({ device }: { device: ExamDevice }) {
  const zone = useZone()
  const { isOnList, sentAt, withheld } = device
  const who = nameOf(device)
  if (withheld) {
    return (
      <span className={css.withheld}>
        <ToneIcon tone="danger" size={13} /> {t('ui.exams.withheldFrom', { device: who })}:{' '}
        {said(withheld)}
      </span>
    )
  }
  const at = sentAt === null ? '' : clockText(sentAt, zone, new Date())
  return (
    <Tooltip
      label={
        isOnList
          ? t('ui.exams.onList', { device: who, at })
          : t('ui.exams.wasSent', { device: who, at })
      }
    >
      <span className={css.device} data-off={!isOnList || undefined}>
        {isOnList && <ToneIcon tone="good" size={12} />}
        <span>{who}</span> <span className={css.sentAt}>{at.replace(/:\d\d$/, '')}</span>
      </span>
    </Tooltip>
  )
}

function State({ exam: { state, images } }: { exam: Exam }) {
  return (
    <>
      <Tag tone={STATE_TONES[state]} meaning={t(`ui.exams.states.${state}.meaning`)}>
        {t(`ui.exams.states.${state}.name`)}
      </Tag>
      {images > 0 && <div className={css.quiet}>{t('ui.exams.images', { count: images })}</div>}
    </>
  )
}
