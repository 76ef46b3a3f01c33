import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconArrowRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import {
  CORRECTION_CAUSES,
  type Correction,
  type CorrectionPreview,
  type CorrectionRequest,
  dashboardCorrections,
} from '#shared/contract/corrections.ts'
import type { ImageStudy } from '#shared/contract/images.ts'
import { faultsByField } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { useCutOffSince } from '../../api/status.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, FactList, LoadingPlaceholder } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { ChangesTable } from './changes-table.tsx'
import { CHANGES } from './corrections.tsx'
import { PATIENT_FIELDS } from './image-identities.ts'
import css from './resolve.module.css'
import { type ChosenTarget, TargetLine } from './resolve-target.tsx'

interface CheckProps {
  readonly study: ImageStudy
  readonly request: CorrectionRequest
  readonly target: ChosenTarget
  readonly preview: PreviewCall
  readonly onDone: (correction: Correction) => void
}
type PreviewCall = ReturnType<typeof useSend<typeof dashboardCorrections.preview>>

/** What the correction would do, and its order. Nothing is applied that was not shown. */
export function Check(props: CheckProps) {
  const { study, request, target, preview, onDone } = props
  const { studyInstanceUid } = study
  // The one that is shown stays until there is another.
  const [shown, setShown] = useState<CorrectionPreview | null>(null)
  const [isChanged, setIsChanged] = useState(false)
  if (preview.data && preview.data !== shown) {
    setIsChanged(shown !== null && shown.digest !== preview.data.digest)
    setShown(preview.data)
  }
  const ask = () => preview.mutate({ params: { studyInstanceUid }, body: request })
  if (preview.error) return <ErrorNotice error={preview.error} onRetry={ask} />
  if (!shown) return <LoadingPlaceholder rows={5} />
  return (
    <Stack gap={16}>
      {isChanged && <StalePreviewNotice />}
      <ImageMovement preview={shown} study={study} target={target} />
      <ChangesTable
        changes={allChangesOf(shown, target)}
        names={{
          before: t('ui.images.correction.check.before'),
          after: t('ui.images.correction.check.after'),
        }}
        emptyUid={t('ui.images.correction.check.newUid')}
      />
      <Consequences preview={shown} />
      {shown.obstacle ? (
        <Notice tone="danger" title={t('ui.images.correction.check.obstacle')}>
          {translateMessage(shown.obstacle)}
        </Notice>
      ) : (
        <ApplyForm
          study={study}
          request={request}
          shown={shown}
          isBusy={preview.isPending}
          onStale={ask}
          onDone={onDone}
        />
      )}
    </Stack>
  )
}

/** Leads to what has to be read again. */
function StalePreviewNotice() {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <div ref={box}>
      <Notice tone="danger" title={t('ui.images.correction.check.changedSince')}>
        {t('ui.images.correction.check.changedSinceText')}
      </Notice>
    </div>
  )
}

/**
 * The changes of the preview, and between them what all images say already, so that the whole
 * patient is seen.
 */
function allChangesOf(
  { changes, toStudyInstanceUid, fromStudyInstanceUid }: CorrectionPreview,
  target: ChosenTarget,
) {
  const known = new Map(changes.map((change) => [change.field, change]))
  const rows = PATIENT_FIELDS.map(
    (field) => known.get(field) ?? { field, before: [target[field]], after: target[field] },
  )
  const uid = known.get('studyInstanceUid')
  if (uid) return [...rows, uid]
  if (toStudyInstanceUid === fromStudyInstanceUid) return rows
  return [
    ...rows,
    {
      field: 'studyInstanceUid' as const,
      before: [fromStudyInstanceUid],
      after: toStudyInstanceUid ?? '',
    },
  ]
}

/** How many images go where, and how many stay. */
function ImageMovement({
  preview,
  study,
  target,
}: {
  preview: CorrectionPreview
  study: ImageStudy
  target: ChosenTarget
}) {
  const { kind, instances, staying } = preview
  const from: ChosenTarget = {
    ...{
      patientName: study.patientName,
      patientId: study.patientId,
      patientBirthDate: study.patientBirthDate,
    },
    ...{
      patientSex: '',
      accessionNumber: study.accessionNumber,
      target: { to: 'study', studyInstanceUid: study.studyInstanceUid },
    },
    exam: null,
  }
  if (kind === 'correct')
    return (
      <p className={css.moves}>
        {t('ui.images.correction.check.moves.correct', { count: instances })}
      </p>
    )
  return (
    <div className={css.movement}>
      <div className={css.side}>
        <TargetLine target={from} />
        <span className={css.quiet}>
          {t('ui.images.correction.check.stays', { count: staying })}
        </span>
      </div>
      <div className={css.arrow}>
        <b>{t(`ui.images.correction.check.moves.${kind}`, { count: instances })}</b>
        <IconArrowRight size={26} stroke={1.8} aria-hidden />
      </div>
      <div className={css.side}>
        <TargetLine target={target} />
        {target.target.to === 'patient' && (
          <span className={css.quiet}>{t('ui.images.correction.target.newStudy')}</span>
        )}
      </div>
    </div>
  )
}

function Consequences({
  preview: { destinations, recipients, signedReports, warnings },
}: {
  preview: CorrectionPreview
}) {
  return (
    <>
      <section aria-label={t('ui.images.correction.check.happens')}>
        <h3 className={css.part}>{t('ui.images.correction.check.happens')}</h3>
        <FactList
          facts={[
            [
              t('ui.images.correction.check.originals'),
              t('ui.images.correction.check.originalsText'),
            ],
            [
              t('ui.images.correction.check.destinations'),
              destinations.length > 0
                ? t('ui.images.correction.check.destinationsText', {
                    names: destinations.join(', '),
                  })
                : t('ui.images.correction.check.noDestinations'),
            ],
            [
              t('ui.images.correction.check.recipients'),
              recipients.length > 0
                ? t('ui.images.correction.check.recipientsText', { names: recipients.join(', ') })
                : t('ui.images.correction.check.noRecipients'),
            ],
            [
              t('ui.images.correction.check.reports'),
              signedReports > 0 ? (
                <b key="reports">
                  {t('ui.images.correction.check.reportsText', { count: signedReports })}
                </b>
              ) : (
                t('ui.images.correction.check.noReports')
              ),
            ],
          ]}
        />
      </section>
      {warnings.length > 0 && (
        <Notice tone="warning" title={t('ui.images.correction.check.warning')}>
          {warnings.map(translateMessage).map((warning) => (
            <div key={warning}>{warning}</div>
          ))}
        </Notice>
      )}
    </>
  )
}

interface ApplyFormProps {
  readonly study: ImageStudy
  readonly request: CorrectionRequest
  readonly shown: CorrectionPreview
  readonly isBusy: boolean
  /** The gateway refused: what was shown may not be what is. */
  readonly onStale: () => void
  readonly onDone: (correction: Correction) => void
}

function ApplyForm({
  study: { studyInstanceUid },
  request,
  shown,
  isBusy,
  onStale,
  onDone,
}: ApplyFormProps) {
  const apply = useSend(dashboardCorrections.apply, CHANGES)
  const isCutOff = useCutOffSince() !== null
  const form = useForm<{ cause: '' | Correction['cause']; reason: string }>({
    initialValues: { cause: '', reason: '' },
    validate: {
      cause: (cause) => (cause === '' ? t('ui.images.correction.check.causeNeeded') : null),
      reason: (reason) => (reason.trim().length < 3 ? t('ui.common.reasonNeeded') : null),
    },
  })
  const submit = form.onSubmit(({ cause, reason }) => {
    if (cause === '') return
    apply.mutate(
      { params: { studyInstanceUid }, body: { ...request, cause, reason, digest: shown.digest } },
      {
        onSuccess: onDone,
        onError: (error) => {
          form.setErrors(faultsByField(error))
          if (error.errors.length === 0 && (error.status === 409 || error.status === 422)) onStale()
        },
      },
    )
  })
  // A refusal of what is no longer shown says nothing about what is.
  const isErrorCurrent = apply.variables?.body.digest === shown.digest && !isBusy
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap={14}>
        <Radio.Group
          label={t('ui.images.correction.check.cause')}
          description={t('ui.images.correction.check.causeAbout')}
          required
          {...form.getInputProps('cause')}
        >
          <div className={css.causes}>
            {CORRECTION_CAUSES.map((cause) => (
              <Radio
                key={cause}
                value={cause}
                label={t(`ui.images.correction.check.causes.${cause}.name`)}
                description={t(`ui.images.correction.check.causes.${cause}.about`)}
              />
            ))}
          </div>
        </Radio.Group>
        <TextInput
          label={t('ui.images.correction.check.reason')}
          description={t('ui.images.correction.check.reasonAbout')}
          placeholder={t('ui.images.correction.check.reasonExample')}
          required
          maxLength={200}
          {...form.getInputProps('reason')}
        />
        {isErrorCurrent && apply.error?.errors.length === 0 && <ErrorNotice error={apply.error} />}
        {isCutOff && <Notice tone="warning">{t('ui.common.cutOff')}</Notice>}
        <Group justify="flex-end">
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }} {...props} />
            )}
          >
            {t('ui.images.correction.check.cancel')}
          </Button>
          <Button type="submit" loading={apply.isPending || isBusy} disabled={isCutOff}>
            {t(`ui.images.correction.check.apply.${shown.kind}`, { count: shown.instances })}
          </Button>
        </Group>
        <Text size="sm" c="dimmed" ta="right">
          {t('ui.images.correction.about')}
        </Text>
      </Stack>
    </form>
  )
}
