import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type Ref, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams, type Exam, type ExamDay } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { ProblemError } from '../../api/client.ts'
import { keyOf, useSend } from '../../api/queries.ts'
import { examKey } from '../../format/matching-exams.ts'
import { t } from '../../i18n/t.ts'
import { CloseStepDialog } from '../../ui/close-step.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { TableHandle } from '../../ui/data-table-props.ts'
import { openImages } from '../../ui/open-images.tsx'
import { Panel } from '../../ui/page.tsx'
import { showRefusal } from '../../ui/refused.ts'
import { showDone } from '../../ui/undo.tsx'
import { examColumns } from './exam-columns.tsx'
import type { ExamActions } from './exam-menu.tsx'

const refused = (error: ProblemError) => showRefusal(error.message)

interface ExamTableProps {
  readonly day: ExamDay
  readonly rows: readonly Exam[]
  /** Id of the device that is chosen. */
  readonly device: string | undefined
  readonly devices: readonly Device[]
  readonly handle: Ref<TableHandle>
}

/** The exams, and what can be done about each. */
export function ExamTable({ day, rows, device, devices, handle }: ExamTableProps) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [closing, setClosing] = useState<Exam | null>(null)
  const reopen = useSend(dashboard.reopenStep, [dashboardExams.exams])
  const closeAgain = useSend(dashboard.closeStep, [dashboardExams.exams])
  const stepOf = ({ studyInstanceUid, scheduledProcedureStepId }: Exam) => ({
    studyInstanceUid,
    scheduledProcedureStepId,
  })
  const actions: ExamActions = {
    why(exam) {
      const matchingDevice = devices.find(
        ({ isEnabled, modality }) => isEnabled && modality === exam.modality,
      )
      const who =
        device ?? matchingDevice?.deviceId ?? devices.find(({ isEnabled }) => isEnabled)?.deviceId
      void navigate({
        to: '/worklist/why',
        search: {
          ...(exam.studyInstanceUid && {
            study: exam.studyInstanceUid,
            step: exam.scheduledProcedureStepId,
          }),
          ...(who && { device: who }),
          day: day.day,
        },
      })
    },
    images: (exam) =>
      exam.imageStudyUid !== null && void openImages({ studyInstanceUid: exam.imageStudyUid }),
    study: (exam) =>
      exam.study &&
      void navigate({ to: '/studies/$studyId', params: { studyId: exam.study.studyId } }),
    arrival: (exam) =>
      exam.imageStudyUid !== null &&
      void navigate({
        to: '/images/$studyInstanceUid',
        params: { studyInstanceUid: exam.imageStudyUid },
      }),
    close: setClosing,
    reopen: (exam) =>
      reopen.mutate(
        { body: stepOf(exam) },
        {
          onSuccess: () =>
            showDone(
              t('ui.worklist.reopened'),
              () =>
                void closeAgain
                  .mutateAsync({ body: { ...stepOf(exam), reason: '' } })
                  .catch(refused),
            ),
          onError: refused,
        },
      ),
  }
  return (
    <>
      <Panel isFlush className="grow">
        <DataTable
          tableId="exams"
          label={t('ui.worklist.label')}
          columns={examColumns(actions)}
          rows={rows}
          keyOf={examKey}
          least={900}
          isFilling
          handle={handle}
          topOf={day.day}
          onOpen={actions.why}
          selectsOnClick
          rowKeys={[
            { keys: 'w', name: t('ui.worklist.actions.why'), run: actions.why },
            { keys: 'i', name: t('ui.worklist.actions.images'), run: actions.images },
            {
              keys: 'c',
              name: t('ui.worklist.keyNames.close'),
              run: (exam) => (exam.isClosed ? actions.reopen(exam) : actions.close(exam)),
            },
          ]}
          {...(day.tally.all > day.exams.length &&
            rows.length === day.exams.length && {
              end: t('ui.worklist.cut', { shown: day.exams.length, all: day.tally.all }),
            })}
        />
      </Panel>
      <CloseStepDialog
        row={closing && { ...closing, verdict: 'sent', reason: null }}
        onLeave={() => setClosing(null)}
        onClosed={(row) => {
          const { studyInstanceUid, scheduledProcedureStepId } = row
          void client.invalidateQueries({ queryKey: keyOf(dashboardExams.exams) })
          showDone(
            t('ui.worklist.closed'),
            () =>
              void reopen
                .mutateAsync({ body: { studyInstanceUid, scheduledProcedureStepId } })
                .catch(refused),
          )
        }}
      />
    </>
  )
}
