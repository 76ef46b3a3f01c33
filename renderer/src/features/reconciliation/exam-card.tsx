import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { OpenOrder, UnscheduledExam } from '#shared/contract/reconciliation.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { bornText } from '../../format/image-states.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { IdentityTag } from '../../ui/identity-tag.tsx'
import { OpenImagesButton } from '../../ui/open-images.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Candidates } from './candidates.tsx'
import { DecidedList } from './decided.tsx'
import type { PendingDecision } from './decision-dialog.tsx'
import css from './reconcile.module.css'
import type { ReconciliationActions } from './use-reconciliation.ts'

interface ExamCardProps {
  readonly exam: UnscheduledExam
  readonly orders: ReadonlyMap<string, OpenOrder>
  readonly decide: ReconciliationActions
  readonly onAsk: (question: PendingDecision) => void
}

/** An exam without an order: who it is, what was done, and the orders it may belong to. */
export function ExamCard({ exam, orders, decide, onAsk }: ExamCardProps) {
  const { studyInstanceUid, patientName, decision } = exam
  return (
    <li className={css.card}>
      <div className={css.cardHead}>
        <div>
          <div className={css.patient}>
            <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
              <PersonName value={patientName} />
            </Link>{' '}
            <span className="mono">{exam.patientId}</span>
            {exam.identity === 'mismatch' && <IdentityTag state="mismatch" isUnscheduled={false} />}
          </div>
          <ExamFacts exam={exam} />
        </div>
        <OpenImagesButton of={{ studyInstanceUid }} size="xs" variant="default" />
      </div>
      {decision ? (
        <DecidedList decision={decision} decide={decide} />
      ) : (
        <>
          <Candidates exam={exam} orders={orders} decide={decide} onAsk={onAsk} />
          <div className={css.foot}>
            <Button
              variant="subtle"
              size="compact-sm"
              renderRoot={(props) => (
                <Link
                  to="/images/$studyInstanceUid/resolve"
                  params={{ studyInstanceUid }}
                  search={{ kind: 'reassign' }}
                  {...props}
                />
              )}
            >
              {t('ui.reconciliation.exams.other')}
            </Button>
            <PermissionButton
              permission="manageStudies"
              variant="subtle"
              size="compact-sm"
              onClick={() => onAsk({ kind: 'keep', studyInstanceUid })}
            >
              {t('ui.reconciliation.exams.keep')}
            </PermissionButton>
          </div>
        </>
      )}
    </li>
  )
}

function ExamFacts({ exam }: { exam: UnscheduledExam }) {
  const {
    patientBirthDate,
    patientSex,
    accessionNumber,
    modalities,
    studyDescription,
    studyDate,
    studyTime,
  } = exam
  const facts = [
    studyDate && t('ui.reconciliation.exams.performed', { day: dayText(studyDate) }),
    timeText(studyTime.slice(0, 4)),
    exam.deviceName || exam.callingAeTitle,
    t('ui.reconciliation.exams.images', { count: exam.instances }),
  ]
  return (
    <>
      <div>
        <b>{modalities.join(', ')}</b> {studyDescription}
        {accessionNumber !== '' && <span className="mono"> · {accessionNumber}</span>}
      </div>
      <div className={css.quiet}>{facts.filter((part) => part !== '').join(' · ')}</div>
      <div className={css.quiet}>{bornText(patientBirthDate, patientSex)}</div>
    </>
  )
}
