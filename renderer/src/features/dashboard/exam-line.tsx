import { IconPhoto } from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { t } from '../../i18n/t.ts'
import { ExamState, ExamTime } from '../../ui/exam-state.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { openImages } from '../../ui/open-images.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import css from './dashboard.module.css'

/**
 * One exam of the day as an item of a list: time, patient, examination and state.
 * @param to where the patient’s name leads
 * @param hasImages whether images that have arrived can be opened here
 */
export const ExamLine = ({
  exam,
  isWithIdentifiers = false,
  to,
  hasImages = false,
}: {
  exam: Exam
  isWithIdentifiers?: boolean
  to?: LinkProps | undefined
  hasImages?: boolean
}) => (
  <li className={css.exam}>
    <div>
      <ExamTime exam={exam} />
    </div>
    <div className={css.examPatient}>
      {to ? (
        <Link {...to}>
          <PersonName value={exam.patientName} />
        </Link>
      ) : (
        <PersonName value={exam.patientName} />
      )}
      {isWithIdentifiers && <span className="mono"> {exam.patientId}</span>}
      <div className={css.quiet}>
        <b>{exam.modality}</b> {exam.description}
        {isWithIdentifiers && exam.location !== '' && ` · ${exam.location}`}
      </div>
    </div>
    <div className={css.examState}>
      <ExamState exam={exam} />
      {hasImages && exam.imageStudyUid !== null && <Images exam={exam} />}
    </div>
  </li>
)

const Images = ({ exam: { imageStudyUid, description } }: { exam: Exam }) => (
  <IconAction
    icon={IconPhoto}
    label={t('ui.study-list.openImagesOf', { study: description })}
    onClick={() => imageStudyUid !== null && void openImages({ studyInstanceUid: imageStudyUid })}
  />
)
