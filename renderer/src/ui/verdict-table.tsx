import { Button } from '@mantine/core'
import { IconCheck, IconRotate } from '@tabler/icons-react'
import type { RowVerdict } from '#shared/contract/worklist.ts'
import { dayText, timeText } from '../format/dates.ts'
import type { Tone } from '../format/tones.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t, textsOf } from '../i18n/t.ts'
import { type Column, DataTable } from './data-table.tsx'
import { PersonName } from './person-name.tsx'
import { Tag } from './tone.tsx'

export const VERDICTS: Record<
  RowVerdict['verdict'],
  { tone: Tone; name: string; meaning: string }
> = {
  sent: { tone: 'good', ...textsOf('ui.common.verdicts.sent', 'name', 'meaning') },
  filtered: { tone: 'plain', ...textsOf('ui.common.verdicts.filtered', 'name', 'meaning') },
  withheld: { tone: 'danger', ...textsOf('ui.common.verdicts.withheld', 'name', 'meaning') },
  cut: { tone: 'warning', ...textsOf('ui.common.verdicts.cut', 'name', 'meaning') },
}
const base: readonly Column<RowVerdict>[] = [
  {
    name: t('ui.common.verdicts.columns.verdict'),
    track: '86px',
    cell: ({ verdict }) => <Tag {...VERDICTS[verdict]}>{VERDICTS[verdict].name}</Tag>,
  },
  {
    name: t('ui.common.verdicts.columns.start'),
    track: '86px',
    cell: ({ startDate, startTime }) => (
      <span className="tabular">
        {dayText(startDate) || t('ui.common.noDate')}
        <br />
        <span style={{ color: 'var(--mantine-color-dimmed)' }}>{timeText(startTime)}</span>
      </span>
    ),
  },
  {
    name: t('ui.common.verdicts.columns.patient'),
    track: 'minmax(112px, 1.6fr)',
    cell: ({ patientName }) => <PersonName value={patientName} />,
  },
  {
    name: t('ui.common.verdicts.columns.patientId'),
    track: 'minmax(96px, 0.7fr)',
    cell: ({ patientId }) => <span className="mono">{patientId}</span>,
  },
  {
    name: t('ui.common.verdicts.columns.accession'),
    track: 'minmax(104px, 0.8fr)',
    cell: ({ accessionNumber }) => <span className="mono">{accessionNumber}</span>,
  },
  {
    name: t('ui.common.verdicts.columns.exam'),
    track: 'minmax(104px, 1.4fr)',
    cell: ({ modality, description }) => (
      <>
        <b>{modality}</b> {description}
      </>
    ),
  },
  {
    name: t('ui.common.verdicts.columns.why'),
    track: 'minmax(136px, 1.9fr)',
    cell: ({ reason, remarks }) => (
      <>
        {reason && translateMessage(reason)}
        {remarks.map(translateMessage).map((remark) => (
          <div key={remark} style={{ color: 'var(--mantine-color-dimmed)' }}>
            {remark}
          </div>
        ))}
      </>
    ),
  },
]

/**
 * The partner's exams of one query, each with what became of it. With `onClose`, a step can be
 * marked as done here, and that undone.
 */
export function VerdictTable(props: {
  rows: readonly RowVerdict[]
  total: number
  onClose?: (row: RowVerdict) => void
  onReopen?: (row: RowVerdict) => void
}) {
  const { rows, total, onClose, onReopen } = props
  const act: Column<RowVerdict> = {
    name: t('ui.common.verdicts.columns.action'),
    track: '136px',
    cell: (row) => {
      if (row.studyInstanceUid === '' || row.scheduledProcedureStepId === '') return null
      if (row.isClosed) {
        return (
          <Button
            variant="subtle"
            size="compact-xs"
            leftSection={<IconRotate size={13} />}
            onClick={() => onReopen?.(row)}
          >
            {t('ui.common.closeStep.undo')}
          </Button>
        )
      }
      return (
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<IconCheck size={13} />}
          onClick={() => onClose?.(row)}
        >
          {t('ui.common.closeStep.submit')}
        </Button>
      )
    },
  }
  return (
    <DataTable
      label={t('ui.common.verdicts.label')}
      columns={onClose ? [...base, act] : base}
      rows={rows}
      keyOf={(row) =>
        `${row.studyInstanceUid}/${row.scheduledProcedureStepId}/${row.accessionNumber}/${row.patientId}/${row.startDate}${row.startTime}/${row.verdict}`
      }
      least={onClose ? 980 : 850}
      {...(total > rows.length && {
        end: t('ui.common.verdicts.end', { shown: rows.length, total }),
      })}
    />
  )
}
