import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { ExamState, ExamTime } from '../../ui/exam-state.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import css from './dashboard.module.css'

/** One exam of the day as an item of a list: time, patient, examination and state. */
export const ExamLine = ({
  exam,
  isWithIdentifiers = false,
}: {
  exam: Exam
  isWithIdentifiers?: boolean
}) => (
  <li className={css.exam}>
    <div>
      <ExamTime exam={exam} />
    </div>
    <div className={css.examPatient}>
      <PersonName value={exam.patientName} />
      {isWithIdentifiers && <span className="mono"> {exam.patientId}</span>}
      <div className={css.quiet}>
        <b>{exam.modality}</b> {exam.description}
        {isWithIdentifiers && exam.location !== '' && ` · ${exam.location}`}
      </div>
    </div>
    <div>
      <ExamState exam={exam} />
    </div>
  </li>
)
