import { Modal, SegmentedControl, Stack } from '@mantine/core'
import type { StudyArea } from '#shared/contract/settings.ts'
import type { StudyId } from '#shared/ids.ts'
import { t } from '../../i18n/t.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { MetadataFields } from '../../ui/metadata-fields.tsx'
import { ContextFields, PatientFields, PriorFields, ScanFields } from './scribe-fields.tsx'
import { PeopleFields, StudyFields } from './study-fields.tsx'
import type { Details } from './use-details.ts'
import { useStudyForm } from './use-study-form.ts'

/**
 * Makes a study, or changes one, with the fields that partners have.
 * @param details null for a new one
 */
export function StudyForm(props: {
  area: StudyArea
  details: Details | null
  onDone: (studyId: StudyId) => void
  onClose: () => void
}) {
  const { details, onDone, onClose } = props
  const { area, setArea, fields, isUntouched, submit, error, isBusy } = useStudyForm(
    props.area,
    details,
    onDone,
  )
  const isNew = details === null
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={details ? t('ui.studies.form.editTitle') : t(`ui.studies.form.newTitle.${area}`)}
      closeOnClickOutside={false}
      // What was typed is not lost by a key.
      closeOnEscape={isUntouched}
    >
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
          <StudyFields {...fields} area={area} isNew={isNew} />
          <PeopleFields {...fields} area={area} isNew={isNew} />
          {area === 'scribe' && (
            <>
              <PatientFields {...fields} />
              <ScanFields {...fields} />
              <ContextFields {...fields} />
              <PriorFields {...fields} />
            </>
          )}
          <MetadataFields
            value={fields.values.metadata}
            onChange={(metadata) => fields.set({ metadata })}
            errors={fields.faults}
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
    </Modal>
  )
}
