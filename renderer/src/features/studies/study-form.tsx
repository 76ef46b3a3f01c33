import { SegmentedControl, Stack } from '@mantine/core'
import type { StudyArea } from '#shared/contract/settings.ts'
import type { StudyId } from '#shared/ids.ts'
import { t } from '../../i18n/t.ts'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { MetadataFields } from '../../ui/metadata-fields.tsx'
import { ContextFields, PatientFields, PriorFields, ScanFields } from './scribe-fields.tsx'
import { PeopleFields, StudyFields } from './study-fields.tsx'
import type { Details } from './use-details.ts'
import { useStudyForm } from './use-study-form.ts'

interface StudyFormProps {
  readonly area: StudyArea
  /** Null for a new study. */
  readonly details: Details | null
  readonly onDone: (studyId: StudyId) => void
  readonly onClose: () => void
}

/** Makes a study, or changes one, with the fields that partners have. */
export function StudyForm(props: StudyFormProps) {
  const { area, details, onClose } = props
  return (
    <FormDrawer
      opened
      onClose={onClose}
      size={760}
      title={details ? t('ui.studies.form.editTitle') : t(`ui.studies.form.newTitle.${area}`)}
    >
      <Fields {...props} />
    </FormDrawer>
  )
}

function Fields(props: StudyFormProps) {
  const { details, onDone, onClose } = props
  const { area, setArea, form, submit, error, isBusy } = useStudyForm(props.area, details, onDone)
  const isNew = details === null
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {isNew && (
          <SegmentedControl
            aria-label={t('ui.studies.form.area')}
            value={area}
            onChange={(next) => setArea(next === 'viewer' ? 'viewer' : 'scribe')}
            data={(['scribe', 'viewer'] as const).map((value) => ({
              value,
              label: t(`ui.studies.areas.${value}`),
            }))}
          />
        )}
        <StudyFields form={form} area={area} isNew={isNew} />
        <PeopleFields form={form} area={area} isNew={isNew} />
        {area === 'scribe' && (
          <>
            <PatientFields form={form} />
            <ScanFields form={form} />
            <ContextFields form={form} />
            <PriorFields form={form} />
          </>
        )}
        <MetadataFields
          value={form.values.metadata}
          onChange={(metadata) => {
            form.setFieldValue('metadata', metadata)
            form.clearFieldError('lines')
          }}
          errors={form.errors}
        />
        <FormEnd
          error={error}
          cancel={t('ui.studies.form.cancel')}
          submit={isNew ? t('ui.studies.form.submit') : t('ui.studies.form.save')}
          isBusy={isBusy}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
