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
import { timeText } from '../display/dates.ts'
import { words } from './words.ts'

export interface ExamActions {
  readonly why: (exam: Exam) => void
  readonly images: (exam: Exam) => void
  readonly study: (exam: Exam) => void
  readonly arrival: (exam: Exam) => void
  readonly close: (exam: Exam) => void
  readonly reopen: (exam: Exam) => void
}

const isNamed = ({ studyInstanceUid, scheduledProcedureStepId }: Exam) =>
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
  const { actions: names } = words
  return (
    <Menu position="bottom-end" shadow="md" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          tabIndex={isCurrent ? 0 : -1}
          aria-label={names.open(timeText(exam.startTime.slice(0, 4)))}
          onClick={(event) => event.stopPropagation()}
        >
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconHelpCircle size={16} />} onClick={() => actions.why(exam)}>
          {names.why}
        </Menu.Item>
        {exam.imageStudyUid !== null && (
          <>
            <Menu.Item leftSection={<IconPhoto size={16} />} onClick={() => actions.images(exam)}>
              {names.images}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconPhotoDown size={16} />}
              onClick={() => actions.arrival(exam)}
            >
              {names.arrival}
            </Menu.Item>
          </>
        )}
        {exam.study && (
          <Menu.Item leftSection={<IconFileText size={16} />} onClick={() => actions.study(exam)}>
            {names.study}
          </Menu.Item>
        )}
        {isNamed(exam) && (
          <>
            <Menu.Divider />
            {exam.isClosed ? (
              <Menu.Item
                leftSection={<IconRotate size={16} />}
                onClick={() => actions.reopen(exam)}
              >
                {names.reopen}
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconCheck size={16} />} onClick={() => actions.close(exam)}>
                {names.close}
              </Menu.Item>
            )}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
