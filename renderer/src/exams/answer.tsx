import { Button, Text } from '@mantine/core'
import { IconHelpCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ExamExplanation, ExplainedExam } from '#shared/contract/dashboard-exams.ts'
import type { ProblemError } from '../client.ts'
import { Empty, Failed, Panel, Waiting } from '../components/page.tsx'
import { PersonName } from '../components/person-name.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { dayText, timeText } from '../display/dates.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { CheckList } from './check-list.tsx'
import css from './exams.module.css'

interface AnswerProps {
  readonly error: ProblemError | null
  readonly isPending: boolean
  readonly explanation: ExamExplanation | undefined
  readonly aeTitle: string
  readonly onChoose: (exam: ExplainedExam) => void
}

/**
 * What is said of a question: not asked yet, refused, several exams to choose from, or the reasons.
 */
export function Answer({ error, isPending, explanation, aeTitle, onChoose }: AnswerProps) {
  if (isPending) {
    return (
      <Panel>
        <Text role="status" size="sm" c="dimmed">
          {t('ui.exams.why.waiting')}
        </Text>
        <Waiting rows={6} />
      </Panel>
    )
  }
  if (error) return <Failed error={error} />
  if (!explanation) {
    return (
      <Panel>
        <Empty icon={<IconHelpCircle size={34} stroke={1.3} />} title={t('ui.exams.why.before')}>
          {t('ui.exams.why.beforeText')}
        </Empty>
      </Panel>
    )
  }
  if (explanation.candidates.length > 0)
    return <Candidates exams={explanation.candidates} onChoose={onChoose} />
  return <Explained explanation={explanation} aeTitle={aeTitle} />
}

function Explained({ explanation, aeTitle }: { explanation: ExamExplanation; aeTitle: string }) {
  const { exam, conclusion, checks, inspectionId } = explanation
  const failed = checks.find(({ state }) => state === 'failed')
  const title =
    failed === undefined
      ? t('ui.exams.why.given')
      : exam === null
        ? t('ui.exams.why.unknownExam')
        : t('ui.exams.why.notGiven')
  return (
    <>
      <div
        className={css.conclusion}
        data-tone={failed ? 'danger' : 'good'}
        role="status"
        data-testid="conclusion"
      >
        <ToneIcon tone={failed ? 'danger' : 'good'} size={24} />
        <div>
          <div className={css.conclusionTitle}>{title}</div>
          <p>{said(conclusion)}</p>
          {failed?.remedy && <p>{said(failed.remedy)}</p>}
        </div>
      </div>
      <Panel
        isFlush
        title={
          exam && (
            <span className={css.exam}>
              <PersonName value={exam.patientName} /> <ExamFacts exam={exam} />
            </span>
          )
        }
        aside={
          inspectionId !== null && (
            <Link to="/queries/$inspectionId" params={{ inspectionId: String(inspectionId) }}>
              {t('ui.exams.why.query')}
            </Link>
          )
        }
      >
        <CheckList explanation={explanation} aeTitle={aeTitle} />
      </Panel>
    </>
  )
}

const ExamFacts = ({ exam }: { exam: ExplainedExam }) => (
  <Text component="span" size="sm" c="dimmed">
    {[
      exam.accessionNumber,
      exam.modality,
      exam.description,
      dayText(exam.startDate),
      timeText(exam.startTime.slice(0, 4)),
    ]
      .filter((part) => part !== '')
      .join(' · ')}
  </Text>
)

function Candidates({
  exams,
  onChoose,
}: {
  exams: readonly ExplainedExam[]
  onChoose: (exam: ExplainedExam) => void
}) {
  return (
    <Panel isFlush title={t('ui.exams.why.candidates')}>
      <ul className={css.candidates}>
        {exams.map((exam) => (
          <li key={`${exam.studyInstanceUid}/${exam.scheduledProcedureStepId}`}>
            <span className={css.exam}>
              <PersonName value={exam.patientName} /> <span className="mono">{exam.patientId}</span>{' '}
              <ExamFacts exam={exam} />
            </span>
            <Button
              variant="default"
              size="xs"
              disabled={exam.studyInstanceUid === ''}
              onClick={() => onChoose(exam)}
            >
              {t('ui.exams.why.choose')}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
