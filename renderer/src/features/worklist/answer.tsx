import { Button, Text } from '@mantine/core'
import { IconHelpCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ExamExplanation, ExplainedExam } from '#shared/contract/dashboard-exams.ts'
import type { ProblemError } from '../../api/client.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import { CheckList } from './check-list.tsx'
import css from './worklist.module.css'

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
          {t('ui.worklist.why.waiting')}
        </Text>
        <LoadingPlaceholder rows={6} />
      </Panel>
    )
  }
  if (error) return <ErrorNotice error={error} />
  if (!explanation) {
    return (
      <Panel>
        <EmptyState
          icon={<IconHelpCircle size={34} stroke={1.3} />}
          title={t('ui.worklist.why.before')}
        >
          {t('ui.worklist.why.beforeText')}
        </EmptyState>
      </Panel>
    )
  }
  if (explanation.candidates.length > 0)
    return <Candidates exams={explanation.candidates} onChoose={onChoose} />
  return <ExplanationDetails explanation={explanation} aeTitle={aeTitle} />
}

function ExplanationDetails({
  explanation,
  aeTitle,
}: {
  explanation: ExamExplanation
  aeTitle: string
}) {
  const { exam, conclusion, checks, inspectionId } = explanation
  const failed = checks.find(({ state }) => state === 'failed')
  const title =
    failed === undefined
      ? t('ui.worklist.why.given')
      : exam === null
        ? t('ui.worklist.why.unknownExam')
        : t('ui.worklist.why.notGiven')
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
          <p>{translateMessage(conclusion)}</p>
          {failed?.remedy && <p>{translateMessage(failed.remedy)}</p>}
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
              {t('ui.worklist.why.query')}
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
    <Panel isFlush title={t('ui.worklist.why.candidates')}>
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
              {t('ui.worklist.why.choose')}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
