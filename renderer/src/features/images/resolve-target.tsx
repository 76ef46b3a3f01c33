import { SegmentedControl, Text, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type CorrectedPatient,
  type CorrectionKind,
  type CorrectionTarget,
  dashboardCorrections,
  type TargetChoice,
} from '#shared/contract/corrections.ts'
import type { IdentityDifference } from '#shared/contract/images.ts'
import { useReply } from '../../api/queries.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { SearchField, useTypedSearch } from '../../ui/search-field.tsx'
import { Tag } from '../../ui/tone.tsx'
import { PATIENT_FIELDS, type StudyPatientIdentity, valuesOf } from './image-identities.ts'
import { PatientForm } from './patient-form.tsx'
import { PatientLine } from './patient-line.tsx'
import css from './resolve.module.css'

/** Where images go, with what a person is shown of it. */
export interface ChosenTarget extends CorrectedPatient {
  readonly target: CorrectionTarget
  readonly exam: Pick<
    TargetChoice,
    'description' | 'modality' | 'date' | 'time' | 'instances'
  > | null
}

interface TargetProps {
  readonly kind: CorrectionKind
  readonly studyInstanceUid: string
  readonly differences: readonly IdentityDifference[]
  /** Of the images that are corrected. */
  readonly identities: readonly StudyPatientIdentity[]
  readonly was: ChosenTarget | null
  readonly onChoose: (target: ChosenTarget) => void
}

const EMPTY_PATIENT: CorrectedPatient = {
  patientName: '',
  patientId: '',
  patientBirthDate: '',
  patientSex: '',
  accessionNumber: '',
}

/**
 * The order, study or patient that the images belong to; for details of the same study, the right
 * details.
 */
export function Target(props: TargetProps) {
  const { kind, studyInstanceUid, differences, identities, was, onChoose } = props
  const typedBefore = was?.target.to === 'patient' ? was.target.patient : null
  const [way, setWay] = useState<'list' | 'typed'>(typedBefore ? 'typed' : 'list')
  const type = (patient: CorrectedPatient) =>
    onChoose({ ...patient, target: { to: 'patient', patient }, exam: null })
  if (kind === 'correct') {
    const expected = correctedDetails(identities, differences)
    return (
      <PatientForm
        initial={typedBefore ?? expected.patient}
        about={
          expected.isPrefilled
            ? t('ui.images.correction.target.prefilled')
            : t('ui.images.correction.target.typedAbout')
        }
        identities={identities}
        onDone={type}
      />
    )
  }
  return (
    <>
      {kind !== 'merge' && (
        <SegmentedControl
          className={css.how}
          aria-label={t('ui.images.correction.target.how')}
          value={way}
          onChange={(next) => setWay(next as typeof way)}
          data={[
            { value: 'list', label: t('ui.images.correction.target.list') },
            { value: 'typed', label: t('ui.images.correction.target.typed') },
          ]}
        />
      )}
      {way === 'list' ? (
        <TargetList kind={kind} studyInstanceUid={studyInstanceUid} was={was} onChoose={onChoose} />
      ) : (
        <PatientForm
          initial={typedBefore ?? EMPTY_PATIENT}
          about={`${t('ui.images.correction.target.newStudy')} ${t('ui.images.correction.target.typedAbout')}`}
          identities={identities}
          onDone={type}
        />
      )}
    </>
  )
}

/** What the images say, with the values of the worklist or the study where those differ. */
export function correctedDetails(
  identities: readonly StudyPatientIdentity[],
  differences: readonly IdentityDifference[],
) {
  const patient: Record<string, string> = {}
  let isPrefilled = false
  for (const field of PATIENT_FIELDS) {
    const known = (['worklist', 'study'] as const).flatMap((from) =>
      differences.filter((one) => one.from === from && one.field === field && one.expected !== ''),
    )[0]
    patient[field] = known?.expected ?? valuesOf(identities, field)[0] ?? ''
    isPrefilled ||= known !== undefined
  }
  return { patient: { ...EMPTY_PATIENT, ...patient } as CorrectedPatient, isPrefilled }
}

const keyOf = ({ target }: Pick<TargetChoice, 'target'>): string => JSON.stringify(target)

function TargetList(props: Pick<TargetProps, 'kind' | 'studyInstanceUid' | 'was' | 'onChoose'>) {
  const { kind, studyInstanceUid, was, onChoose } = props
  const { typed, setTyped, search } = useTypedSearch()
  const reply = useReply(dashboardCorrections.targets, {
    params: { studyInstanceUid },
    query: { search },
  })
  const targets = reply.data?.targets.filter(
    ({ target, instances }) => kind !== 'merge' || (target.to === 'study' && instances > 0),
  )
  return (
    <>
      <div className={css.search}>
        <SearchField
          className={css.searchField}
          label={t('ui.images.correction.target.search')}
          placeholder={t('ui.images.correction.target.searchWhat')}
          maxLength={100}
          value={typed}
          onChange={setTyped}
        />
        {search === '' && (
          <Text size="sm" c="dimmed">
            {t('ui.images.correction.target.similar')}
          </Text>
        )}
      </div>
      {reply.isPending && <LoadingPlaceholder rows={4} height={52} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {targets?.length === 0 && (
        <EmptyState
          icon={<IconSearch size={30} stroke={1.3} />}
          title={t('ui.images.correction.target.none')}
        >
          {kind === 'merge'
            ? t('ui.images.correction.target.noneMergeText')
            : t('ui.images.correction.target.noneText')}
        </EmptyState>
      )}
      {targets && targets.length > 0 && (
        <ul className={css.targets} aria-label={t('ui.images.correction.target.label')}>
          {targets.map((choice) => (
            <li key={keyOf(choice)}>
              <UnstyledButton
                className={css.target}
                data-chosen={was !== null && keyOf(was) === keyOf(choice)}
                onClick={() => onChoose(chosenOf(choice))}
              >
                <PatientLine patient={choice} />
                <ExamLine exam={choice} to={choice.target.to} />
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** An order or a study of the list as the target of the images. */
export const chosenOf = (choice: TargetChoice): ChosenTarget => {
  const { target, description, modality, date, time, instances, ...patient } = choice
  return { ...patient, target, exam: { description, modality, date, time, instances } }
}

function ExamLine({
  exam,
  to,
}: {
  exam: NonNullable<ChosenTarget['exam']>
  to: CorrectionTarget['to']
}) {
  const { description, modality, date, time, instances } = exam
  const when = [dayText(date), timeText(time)].filter(Boolean).join(' ')
  return (
    <span className={css.exam}>
      <span>
        <b>{modality}</b> {description}
      </span>
      <span className="tabular nowrap">{when || t('ui.images.correction.target.noDate')}</span>
      <Tag tone={to === 'order' ? 'info' : 'plain'}>
        {to === 'order'
          ? t('ui.images.correction.target.order')
          : t('ui.images.correction.target.study', { count: instances })}
      </Tag>
    </span>
  )
}

/** What was chosen, in one or two lines. */
export function TargetLine({ target }: { target: ChosenTarget }) {
  return (
    <span className={css.targetLine}>
      <PatientLine patient={target} />
      {target.exam && <ExamLine exam={target.exam} to={target.target.to} />}
    </span>
  )
}
