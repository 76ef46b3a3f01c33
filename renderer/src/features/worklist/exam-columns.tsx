import { Tooltip } from '@mantine/core'
import type { Exam, ExamDevice } from '#shared/contract/dashboard-exams.ts'
import { useZone } from '../../api/status.ts'
import { clockText } from '../../format/dates.ts'
import { nameOf } from '../../format/device-name.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import type { Column } from '../../ui/data-table.tsx'
import { ExamState, ExamTime } from '../../ui/exam-state.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import { type ExamActions, ExamMenu } from './exam-menu.tsx'
import css from './worklist.module.css'

/** The columns of the day's exams; the last one has what can be done with an exam. */
export const examColumns = (actions: ExamActions): readonly Column<Exam>[] => [
  {
    name: t('ui.worklist.columns.time'),
    track: '84px',
    sortBy: ({ startTime }) => startTime,
    cell: (exam) => <ExamTime exam={exam} />,
  },
  {
    name: t('ui.worklist.columns.patient'),
    isFixed: true,
    sortBy: ({ patientName }) => patientName,
    track: 'minmax(138px, 1.5fr)',
    cell: ({ patientName }) => <PersonName value={patientName} />,
  },
  {
    name: t('ui.worklist.columns.mrn'),
    sortBy: ({ patientId }) => patientId,
    track: 'minmax(114px, 0.8fr)',
    cell: ({ patientId }) => <span className="mono">{patientId}</span>,
  },
  {
    name: t('ui.worklist.columns.accession'),
    sortBy: ({ accessionNumber }) => accessionNumber,
    track: 'minmax(96px, 0.8fr)',
    rank: 2,
    cell: ({ accessionNumber }) => <span className="mono">{accessionNumber}</span>,
  },
  {
    name: t('ui.worklist.columns.exam'),
    sortBy: ({ modality, description }) => `${modality} ${description}`,
    track: 'minmax(112px, 1.5fr)',
    cell: ({ modality, description }) => (
      <>
        <b>{modality}</b> {description}
      </>
    ),
  },
  {
    name: t('ui.worklist.columns.devices'),
    track: 'minmax(142px, 1.8fr)',
    cell: (exam) => <Devices exam={exam} />,
  },
  {
    name: t('ui.worklist.columns.state'),
    track: '150px',
    cell: (exam) => <ExamState exam={exam} />,
  },
  {
    name: t('ui.worklist.columns.actions'),
    head: <span />,
    isFixed: true,
    track: '44px',
    cell: (exam, isCurrent) => <ExamMenu exam={exam} actions={actions} isCurrent={isCurrent} />,
  },
]

function Devices({ exam: { devices, withheld } }: { exam: Exam }) {
  if (withheld) {
    return (
      <Tooltip label={translateMessage(withheld)} multiline>
        <span className={css.withheld}>
          <ToneIcon tone="danger" size={13} /> {t('ui.worklist.withheldAll')}:{' '}
          {translateMessage(withheld)}
        </span>
      </Tooltip>
    )
  }
  if (devices.length === 0) return <span className={css.quiet}>{t('ui.worklist.noDevice')}</span>
  return (
    <span className={css.devices}>
      {devices.map((device) => (
        <DeviceStatus key={device.aeTitle} device={device} />
      ))}
    </span>
  )
}

function DeviceStatus({ device }: { device: ExamDevice }) {
  const zone = useZone()
  const { isOnList, sentAt, withheld } = device
  const who = nameOf(device)
  if (withheld) {
    return (
      <span className={css.withheld}>
        <ToneIcon tone="danger" size={13} /> {t('ui.worklist.withheldFrom', { device: who })}:{' '}
        {translateMessage(withheld)}
      </span>
    )
  }
  const at = sentAt === null ? '' : clockText(sentAt, zone, new Date())
  return (
    <Tooltip
      label={
        isOnList
          ? t('ui.worklist.onList', { device: who, at })
          : t('ui.worklist.wasSent', { device: who, at })
      }
    >
      <span className={css.device} data-off={!isOnList || undefined}>
        {isOnList && <ToneIcon tone="good" size={12} />}
        <span>{who}</span> <span className={css.sentAt}>{at.replace(/:\d\d$/, '')}</span>
      </span>
    </Tooltip>
  )
}
