import { Button, Select, SimpleGrid, TextInput } from '@mantine/core'
import type { StudyArea } from '#shared/contract/settings.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { randomId } from '../../format/random-id.ts'
import { t } from '../../i18n/t.ts'
import { FormPart } from '../../ui/form-part.tsx'
import { AssigneePicker, CustomerPicker } from '../../ui/study-list/pickers.tsx'
import { uidOf } from './study-values.ts'
import type { StudyForm } from './use-study-form.ts'

interface AreaFieldsProps {
  readonly form: StudyForm
  readonly area: StudyArea
  /** It is made, not changed. */
  readonly isNew: boolean
}

/** What the study is called and how it stands. */
export function StudyFields({ form, area, isNew }: AreaFieldsProps) {
  return (
    <FormPart title={t('ui.studies.form.study')}>
      {isNew && (
        <TextInput
          label={t('ui.studies.form.uid')}
          description={t('ui.studies.form.uidAbout')}
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('studyInstanceUid')}
          rightSectionWidth={104}
          rightSection={
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => form.setFieldValue('studyInstanceUid', uidOf(randomId()))}
            >
              {t('ui.studies.form.newUid')}
            </Button>
          }
        />
      )}
      <TextInput
        label={t('ui.studies.form.description')}
        required
        maxLength={1000}
        {...(!isNew && { 'data-autofocus': true })}
        {...form.getInputProps('studyDescription')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('ui.studies.form.severity')}
          allowDeselect={false}
          data={SEVERITIES.toReversed().map((value) => ({
            value,
            label: t(`ui.study-list.severities.${value}.label`),
          }))}
          {...form.getInputProps('severity')}
        />
        {area === 'viewer' && !isNew && (
          <Select
            label={t('ui.studies.form.status')}
            allowDeselect={false}
            data={VIEWER_STATUSES.map((value) => ({
              value,
              label: t(`ui.study-list.statuses.${value}.label`),
            }))}
            {...form.getInputProps('studyViewerStatus')}
          />
        )}
      </SimpleGrid>
    </FormPart>
  )
}

/** Who reads it, and whose study it is. */
export function PeopleFields({ form, area, isNew }: AreaFieldsProps) {
  const isFixedCustomer = !isNew && area === 'viewer'
  return (
    <FormPart title={t('ui.studies.form.people')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <AssigneePicker
          area={area}
          label={t('ui.studies.form.assigned')}
          placeholder={t('ui.studies.form.assignedAbout')}
          {...form.getInputProps('assignedTo')}
          value={form.values.assignedTo}
        />
        {isFixedCustomer ? (
          <TextInput
            label={t('ui.studies.form.customer')}
            description={t('ui.studies.form.customerFixed')}
            readOnly
            value={form.values.expressCustomerId?.name ?? t('ui.study-list.filter.noCustomer')}
          />
        ) : (
          <CustomerPicker
            label={t('ui.studies.form.customer')}
            description={t('ui.studies.form.customerAbout')}
            {...form.getInputProps('expressCustomerId')}
            value={form.values.expressCustomerId}
          />
        )}
      </SimpleGrid>
    </FormPart>
  )
}
