import { Popover, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { cloneElement } from 'react'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { t } from '../../i18n/t.ts'
import { ExamState, examTimeText } from '../../ui/exam-state.tsx'
import { FactList } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import type { PopupProps } from '../../ui/popup-button.tsx'
import css from './timeline.module.css'

/** Who and what an exam of the timeline is, beside its button. */
export function TimelineDetails({
  exam,
  opened,
  onChange,
  children,
}: PopupProps & { readonly exam: Exam }) {
  const { patientName, patientId, accessionNumber, modality, description } = exam
  return (
    <Popover {...{ opened, onChange }} width={320} shadow="md" withinPortal trapFocus returnFocus>
      <Popover.Target>
        {cloneElement(children, { onClick: () => onChange(!opened) })}
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          <PersonName value={patientName} />
          <FactList
            facts={[
              [t('ui.worklist.columns.time'), examTimeText(exam)],
              [t('ui.worklist.columns.exam'), `${modality} ${description}`],
              [t('ui.worklist.columns.mrn'), patientId],
              [t('ui.worklist.columns.accession'), accessionNumber],
              [t('ui.worklist.columns.state'), <ExamState key="state" exam={exam} />],
            ]}
          />
          <ExamLinks exam={exam} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const ExamLinks = ({
  exam: { study, studyInstanceUid, scheduledProcedureStepId },
}: {
  exam: Exam
}) => (
  <div className={css.links}>
    {study && (
      <Link to="/studies/$studyId" params={{ studyId: study.studyId }}>
        {t('ui.dashboard.timeline.study')}
      </Link>
    )}
    <Link to="/worklist/why" search={{ study: studyInstanceUid, step: scheduledProcedureStepId }}>
      {t('ui.dashboard.rooms.why')}
    </Link>
  </div>
)
