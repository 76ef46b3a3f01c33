import { Button, Select, SimpleGrid, TextInput } from '@mantine/core'
import type { StudyArea } from '#shared/contract/settings.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { FormPart } from '../components/form-part.tsx'
import { CustomerPicker, PersonPicker } from '../lists/pickers.tsx'
import { words as listWords } from '../lists/words.ts'
import { uidOf } from './study-values.ts'
import type { FieldsProps } from './use-study-form.ts'
import { words } from './words.ts'

const { form: texts } = words

interface AreaFieldsProps extends FieldsProps {
  readonly area: StudyArea
  /** It is made, not changed. */
  readonly isNew: boolean
}

/** What the study is called and how it stands. */
export function StudyFields({ area, isNew, ...fields }: AreaFieldsProps) {
  const { values, set, faults } = fields
  return (
    <FormPart title={texts.study}>
      {isNew && <Uid {...fields} />}
      <TextInput
        label={texts.description}
        required
        maxLength={1000}
        {...(!isNew && { 'data-autofocus': true })}
        value={values.studyDescription}
        error={faults.studyDescription}
        onChange={(event) => set({ studyDescription: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={texts.severity}
          allowDeselect={false}
          value={values.severity}
          data={[...SEVERITIES]
            .reverse()
            .map((value) => ({ value, label: listWords.severities[value][0] }))}
          onChange={(value) =>
            set({ severity: SEVERITIES.find((one) => one === value) ?? 'normal' })
          }
        />
        {area === 'viewer' && !isNew && (
          <Select
            label={texts.status}
            allowDeselect={false}
            value={values.studyViewerStatus}
            data={VIEWER_STATUSES.map((value) => ({ value, label: listWords.statuses[value][0] }))}
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
    label={texts.uid}
    description={texts.uidAbout}
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
        onClick={() => set({ studyInstanceUid: uidOf(crypto.randomUUID()) })}
      >
        {texts.newUid}
      </Button>
    }
  />
)

/** Who reads it, and whose study it is. */
export function PeopleFields({ area, isNew, values, set, faults }: AreaFieldsProps) {
  const isFixedCustomer = !isNew && area === 'viewer'
  return (
    <FormPart title={texts.people}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <PersonPicker
          area={area}
          label={texts.assigned}
          placeholder={texts.assignedAbout}
          value={values.assignedTo}
          error={faults.assignedTo}
          onChange={(assignedTo) => set({ assignedTo })}
        />
        {isFixedCustomer ? (
          <TextInput
            label={texts.customer}
            description={texts.customerFixed}
            readOnly
            value={values.expressCustomer?.name ?? listWords.filter.noCustomer}
          />
        ) : (
          <CustomerPicker
            label={texts.customer}
            value={values.expressCustomer}
            error={faults.expressCustomerId}
            onChange={(expressCustomer) => set({ expressCustomer })}
          />
        )}
      </SimpleGrid>
    </FormPart>
  )
}
