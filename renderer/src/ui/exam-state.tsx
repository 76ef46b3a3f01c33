import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { hasStartTime } from '#shared/exam-start-time.ts'
import { timeText } from '../format/dates.ts'
import type { Tone } from '../format/tones.ts'
import { t } from '../i18n/t.ts'
import css from './exam-state.module.css'
import { SeverityTag } from './severity-tag.tsx'
import { Tag } from './tone.tsx'

const STATE_TONES = {
  scheduled: 'plain',
  'handed-out': 'info',
  started: 'warning',
  images: 'warning',
  completed: 'good',
  closed: 'plain',
  gone: 'warning',
} as const satisfies Record<Exam['state'], Tone>

export const examTone = ({ state }: Pick<Exam, 'state'>): Tone => STATE_TONES[state]

/** The start time as the partner gave it: `09:30`. */
export const examTimeText = (exam: Exam): string =>
  !hasStartTime(exam) || exam.startTime === ''
    ? t('ui.worklist.noTime')
    : timeText(exam.startTime.slice(0, 4))

/** When an exam is planned, how urgent it is, and whether it is late. */
export function ExamTime({ exam }: { exam: Exam }) {
  const { severity, isOverdue } = exam
  return (
    <>
      <span className={css.time}>{examTimeText(exam)}</span>
      {severity !== 'normal' && (
        <div>
          <SeverityTag severity={severity} />
        </div>
      )}
      {isOverdue && (
        <div>
          <Tag tone="warning" meaning={t('ui.worklist.overdueMeaning')}>
            {t('ui.worklist.overdue')}
          </Tag>
        </div>
      )}
    </>
  )
}

/** How far an exam is, and how many images of it are here. */
export function ExamState({ exam: { state, images } }: { exam: Exam }) {
  return (
    <>
      <Tag tone={STATE_TONES[state]} meaning={t(`ui.worklist.states.${state}.meaning`)}>
        {t(`ui.worklist.states.${state}.name`)}
      </Tag>
      {images > 0 && <div className={css.quiet}>{t('ui.worklist.images', { count: images })}</div>}
    </>
  )
}
