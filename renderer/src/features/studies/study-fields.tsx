import { Button, Select, SimpleGrid, TextInput } from '@mantine/core'
import type { StudyArea } from '#shared/contract/settings.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { randomId } from '../../format/random-id.ts'
import { t } from '../../i18n/t.ts'
import { FormPart } from '../../ui/form-part.tsx'
import { AssigneePicker, CustomerPicker } from '../../ui/study-list/pickers.tsx'
import { uidOf } from './study-values.ts'
import type { FieldsProps } from './use-study-form.ts'

interface AreaFieldsProps extends FieldsProps {
  readonly area: StudyArea
  /** It is made, not changed. */
  readonly isNew: boolean
}

/** What the study is called and how it stands. */
export function StudyFields({ area, isNew, ...fields }: AreaFieldsProps) {
  const { values, set, faults } = fields
  return (
    <FormPart title={t('ui.studies.form.study')}>
      {isNew && <Uid {...fields} />}
      <TextInput
        label={t('ui.studies.form.description')}
        required
        maxLength={1000}
        {...(!isNew && { 'data-autofocus': true })}
        value={values.studyDescription}
        error={faults.studyDescription}
        onChange={(event) => set({ studyDescription: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('ui.studies.form.severity')}
          allowDeselect={false}
          value={values.severity}
          data={[...SEVERITIES]
            .reverse()
            .map((value) => ({ value, label: t(`ui.study-list.severities.${value}.label`) }))}
          onChange={(value) =>
            set({ severity: SEVERITIES.find((one) => one === value) ?? 'normal' })
          }
        />
        {area === 'viewer' && !isNew && (
          <Select
            label={t('ui.studies.form.status')}
            allowDeselect={false}
            value={values.studyViewerStatus}
            data={VIEWER_STATUSES.map((value) => ({
              value,
              label: t(`ui.study-list.statuses.${value}.label`),
            }))}
            onChange={(value) =>
              set({ studyViewerStatus: value === 'complete' ? 'complete' : 'incomplete' })
            }
          />
        )}
      </SimpleGrid>
    </FormPart>
  )
}

const Uid = ({ values, set, faults }: FieldsProps) => (
  <TextInput
    label={t('ui.studies.form.uid')}
    description={t('ui.studies.form.uidAbout')}
    required
    data-autofocus
    autoComplete="off"
    value={values.studyInstanceUid}
    error={faults.studyInstanceUid}
    onChange={(event) => set({ studyInstanceUid: event.currentTarget.value })}
    rightSectionWidth={104}
    rightSection={
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => set({ studyInstanceUid: uidOf(randomId()) })}
      >
        {t('ui.studies.form.newUid')}
      </Button>
    }
  />
)

/** Who reads it, and whose study it is. */
export function PeopleFields({ area, isNew, values, set, faults }: AreaFieldsProps) {
  const isFixedCustomer = !isNew && area === 'viewer'
  return (
    <FormPart title={t('ui.studies.form.people')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <AssigneePicker
          area={area}
          label={t('ui.studies.form.assigned')}
          placeholder={t('ui.studies.form.assignedAbout')}
          value={values.assignedTo}
          error={faults.assignedTo}
          onChange={(assignedTo) => set({ assignedTo })}
        />
        {isFixedCustomer ? (
          <TextInput
            label={t('ui.studies.form.customer')}
            description={t('ui.studies.form.customerFixed')}
            readOnly
            value={values.expressCustomer?.name ?? t('ui.study-list.filter.noCustomer')}
          />
        ) : (
          <CustomerPicker
            label={t('ui.studies.form.customer')}
            value={values.expressCustomer}
            error={faults.expressCustomerId}
            onChange={(expressCustomer) => set({ expressCustomer })}
          />
        )}
      </SimpleGrid>
    </FormPart>
  )
}
