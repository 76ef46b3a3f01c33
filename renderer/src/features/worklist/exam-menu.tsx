import { ActionIcon, Menu } from '@mantine/core'
import {
  IconCheck,
  IconDots,
  IconFileText,
  IconHelpCircle,
  IconPhoto,
  IconPhotoDown,
  IconRotate,
} from '@tabler/icons-react'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { timeText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'

export interface ExamActions {
  readonly why: (exam: Exam) => void
  readonly images: (exam: Exam) => void
  readonly study: (exam: Exam) => void
  readonly arrival: (exam: Exam) => void
  readonly close: (exam: Exam) => void
  readonly reopen: (exam: Exam) => void
}

const isIdentifiable = ({ studyInstanceUid, scheduledProcedureStepId }: Exam) =>
  studyInstanceUid !== '' && scheduledProcedureStepId !== ''

/** What can be done with an exam. */
export function ExamMenu({
  exam,
  actions,
  isCurrent,
}: {
  exam: Exam
  actions: ExamActions
  isCurrent: boolean
}) {
  return (
    <Menu position="bottom-end" shadow="md" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          tabIndex={isCurrent ? 0 : -1}
          aria-label={t('ui.worklist.actions.open', { time: timeText(exam.startTime.slice(0, 4)) })}
          onClick={(event) => event.stopPropagation()}
        >
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconHelpCircle size={16} />} onClick={() => actions.why(exam)}>
          {t('ui.worklist.actions.why')}
        </Menu.Item>
        {exam.imageStudyUid !== null && (
          <>
            <Menu.Item leftSection={<IconPhoto size={16} />} onClick={() => actions.images(exam)}>
              {t('ui.worklist.actions.images')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconPhotoDown size={16} />}
              onClick={() => actions.arrival(exam)}
            >
              {t('ui.worklist.actions.arrival')}
            </Menu.Item>
          </>
        )}
        {exam.study && (
          <Menu.Item leftSection={<IconFileText size={16} />} onClick={() => actions.study(exam)}>
            {t('ui.worklist.actions.study')}
          </Menu.Item>
        )}
        {isIdentifiable(exam) && (
          <>
            <Menu.Divider />
            {exam.isClosed ? (
              <Menu.Item
                leftSection={<IconRotate size={16} />}
                onClick={() => actions.reopen(exam)}
              >
                {t('ui.worklist.actions.reopen')}
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconCheck size={16} />} onClick={() => actions.close(exam)}>
                {t('ui.worklist.actions.close')}
              </Menu.Item>
            )}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
