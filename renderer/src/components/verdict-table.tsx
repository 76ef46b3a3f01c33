import { Button } from '@mantine/core'
import { IconCheck, IconRotate } from '@tabler/icons-react'
import type { RowVerdict } from '#shared/contract/worklist.ts'
import { dayText, timeText } from '../display/dates.ts'
import type { Tone } from '../display/tones.ts'
import { PersonName } from './person-name.tsx'
import { Tag } from './tone.tsx'
import { type Column, VirtualTable } from './virtual-table.tsx'

export const VERDICTS: Record<RowVerdict['verdict'], { tone: Tone; name: string; meaning: string }> = {
  sent: { tone: 'good', name: 'Sent', meaning: 'The device was given this exam.' },
  filtered: { tone: 'plain', name: 'Filtered', meaning: 'The exam does not fit what the device asked for.' },
  withheld: { tone: 'danger', name: 'Withheld', meaning: 'The exam cannot be sent safely; the reason says why.' },
  cut: { tone: 'warning', name: 'Cut', meaning: 'The list was longer than may be sent to one query.' },
}

const base: readonly Column<RowVerdict>[] = [
  { name: 'Verdict', track: '86px', cell: ({ verdict }) => <Tag {...VERDICTS[verdict]}>{VERDICTS[verdict].name}</Tag> },
  {
    name: 'Start',
    track: '86px',
    cell: ({ startDate, startTime }) => (
      <span className="tabular">
        {dayText(startDate) || '(no date)'}
        <br />
        <span style={{ color: 'var(--mantine-color-dimmed)' }}>{timeText(startTime)}</span>
      </span>
    ),
  },
  { name: 'Patient', track: 'minmax(130px, 1.6fr)', cell: ({ patientName }) => <PersonName value={patientName} /> },
  { name: 'Patient ID', track: 'minmax(74px, 0.7fr)', cell: ({ patientId }) => <span className="mono">{patientId}</span> },
  { name: 'Accession', track: 'minmax(104px, 0.8fr)', cell: ({ accessionNumber }) => <span className="mono">{accessionNumber}</span> },
  {
    name: 'Exam',
    track: 'minmax(120px, 1.4fr)',
    cell: ({ modality, description }) => (
      <>
        <b>{modality}</b> {description}
      </>
    ),
  },
  {
    name: 'Why, remarks',
    track: 'minmax(150px, 1.9fr)',
    cell: ({ reason, remarks }) => (
      <>
        {reason}
        {remarks.map((remark) => (
          <div key={remark} style={{ color: 'var(--mantine-color-dimmed)' }}>
            {remark}
          </div>
        ))}
      </>
    ),
  },
]

/** The partner's exams of one query, each with what became of it. With `onClose`, a step can be marked as done here, and that undone. */
export function VerdictTable(props: {
  rows: readonly RowVerdict[]
  total: number
  maxHeight?: string
  onClose?: (row: RowVerdict) => void
  onReopen?: (row: RowVerdict) => void
}) {
  const { rows, total, maxHeight = '62vh', onClose, onReopen } = props
  const act: Column<RowVerdict> = {
    name: 'Step',
    track: '104px',
    cell: (row) => {
      if (row.studyInstanceUid === '' || row.scheduledProcedureStepId === '') return null
      if (row.isClosed) {
        return (
          <Button variant="subtle" size="compact-xs" leftSection={<IconRotate size={13} />} onClick={() => onReopen?.(row)}>
            Undo done
          </Button>
        )
      }
      return (
        <Button variant="subtle" size="compact-xs" leftSection={<IconCheck size={13} />} onClick={() => onClose?.(row)}>
          Mark done
        </Button>
      )
    },
  }
  return (
    <VirtualTable
      label="Exams and what became of them"
      columns={onClose ? [...base, act] : base}
      rows={rows}
      keyOf={(row) =>
        `${row.studyInstanceUid}/${row.scheduledProcedureStepId}/${row.accessionNumber}/${row.patientId}/${row.startDate}${row.startTime}/${row.verdict}`
      }
      least={onClose ? 990 : 870}
      maxHeight={maxHeight}
      {...(total > rows.length && { end: `The first ${rows.length} of ${total} exams are shown.` })}
    />
  )
}
