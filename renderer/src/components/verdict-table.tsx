import { Button } from '@mantine/core'
import { IconCheck, IconRotate } from '@tabler/icons-react'
import type { RowVerdict } from '#shared/contract/worklist.ts'
import { dayText, timeText } from '../display/dates.ts'
import type { Tone } from '../display/tones.ts'
import { said } from '../i18n/said.ts'
import { t, textsOf } from '../i18n/t.ts'
import { PersonName } from './person-name.tsx'
import { Tag } from './tone.tsx'
import { type Column, VirtualTable } from './virtual-table.tsx'

export const VERDICTS: Record<
  RowVerdict['verdict'],
  { tone: Tone; name: string; meaning: string }
> = {
  sent: { tone: 'good', ...textsOf('ui.components.verdicts.sent', 'name', 'meaning') },
  filtered: { tone: 'plain', ...textsOf('ui.components.verdicts.filtered', 'name', 'meaning') },
  withheld: { tone: 'danger', ...textsOf('ui.components.verdicts.withheld', 'name', 'meaning') },
  cut: { tone: 'warning', ...textsOf('ui.components.verdicts.cut', 'name', 'meaning') },
}
const base: readonly Column<RowVerdict>[] = [
  {
    name: t('ui.components.verdicts.columns.verdict'),
    track: '86px',
    cell: ({ verdict }) => <Tag {...VERDICTS[verdict]}>{VERDICTS[verdict].name}</Tag>,
  },
  {
    name: t('ui.components.verdicts.columns.start'),
    track: '86px',
    cell: ({ startDate, startTime }) => (
      <span className="tabular">
        {dayText(startDate) || t('ui.components.noDate')}
        <br />
        <span style={{ color: 'var(--mantine-color-dimmed)' }}>{timeText(startTime)}</span>
      </span>
    ),
  },
  {
    name: t('ui.components.verdicts.columns.patient'),
    track: 'minmax(130px, 1.6fr)',
    cell: ({ patientName }) => <PersonName value={patientName} />,
  },
  {
    name: t('ui.components.verdicts.columns.patientId'),
    track: 'minmax(74px, 0.7fr)',
    cell: ({ patientId }) => <span className="mono">{patientId}</span>,
  },
  {
    name: t('ui.components.verdicts.columns.accession'),
    track: 'minmax(104px, 0.8fr)',
    cell: ({ accessionNumber }) => <span className="mono">{accessionNumber}</span>,
  },
  {
    name: t('ui.components.verdicts.columns.exam'),
    track: 'minmax(120px, 1.4fr)',
    cell: ({ modality, description }) => (
      <>
        <b>{modality}</b> {description}
      </>
    ),
  },
  {
    name: t('ui.components.verdicts.columns.why'),
    track: 'minmax(150px, 1.9fr)',
    cell: ({ reason, remarks }) => (
      <>
        {reason && said(reason)}
        {remarks.map(said).map((remark) => (
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
  maxHeight?: string
  onClose?: (row: RowVerdict) => void
  onReopen?: (row: RowVerdict) => void
}) {
  const { rows, total, maxHeight = '62vh', onClose, onReopen } = props
  const act: Column<RowVerdict> = {
    name: t('ui.components.verdicts.columns.step'),
    track: '104px',
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
            {t('ui.components.closeStep.undo')}
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
          {t('ui.components.closeStep.submit')}
        </Button>
      )
    },
  }
  return (
    <VirtualTable
      label={t('ui.components.verdicts.label')}
      columns={onClose ? [...base, act] : base}
      rows={rows}
      keyOf={(row) =>
        `${row.studyInstanceUid}/${row.scheduledProcedureStepId}/${row.accessionNumber}/${row.patientId}/${row.startDate}${row.startTime}/${row.verdict}`
      }
      least={onClose ? 990 : 870}
      maxHeight={maxHeight}
      {...(total > rows.length && {
        end: t('ui.components.verdicts.end', { shown: rows.length, total }),
      })}
    />
  )
}
