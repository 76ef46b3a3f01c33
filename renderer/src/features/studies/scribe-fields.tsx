import {
  ActionIcon,
  Button,
  Group,
  Select,
  SimpleGrid,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { MEASURES, type MeasureName, type MetadataText } from './study-values.ts'
import type { StudyForm } from './use-study-form.ts'

const MAX_PRIORS = 50
const SEXES = ['female', 'male', 'other'] as const

const DAYS: readonly MetadataText[] = ['dateOfBirth', 'scanDate']
const FIELD_DESCRIPTIONS: Partial<Record<MetadataText, string>> = {
  patientName: t('ui.studies.form.patientNameAbout'),
  age: t('ui.studies.form.ageAbout'),
}

interface FieldsProps {
  readonly form: StudyForm
}

function Text({ name, form }: FieldsProps & { readonly name: MetadataText }) {
  const field = {
    label: t(`ui.studies.form.${name}`),
    autoComplete: 'off',
    ...form.getInputProps(`reportMetadata.${name}`),
  }
  if (DAYS.includes(name)) return <DayInput {...field} />
  return (
    <TextInput
      description={FIELD_DESCRIPTIONS[name]}
      // Below the input, so that the inputs of a row are level.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      type={name === 'scanTime' ? 'time' : 'text'}
      {...field}
    />
  )
}

const Measured = ({ name, form }: FieldsProps & { readonly name: MeasureName }) => (
  <Group gap={6} wrap="nowrap" align="flex-end">
    <TextInput
      style={{ flex: 1 }}
      label={t(`ui.studies.form.${name}`)}
      inputMode="decimal"
      {...form.getInputProps(`reportMetadata.${name}.value`)}
    />
    <Select
      w={82}
      aria-label={t('ui.studies.form.unit', { field: t(`ui.studies.form.${name}`) })}
      allowDeselect={false}
      data={[...MEASURES[name]]}
      {...form.getInputProps(`reportMetadata.${name}.unit`)}
    />
  </Group>
)

/** Who the patient is. */
export const PatientFields = ({ form }: FieldsProps) => (
  <FormPart title={t('ui.studies.form.patient')}>
    <Text form={form} name="patientName" />
    <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
      <Text form={form} name="mrn" />
      <Select
        label={t('ui.studies.form.sex')}
        placeholder={t('ui.studies.form.unknownSex')}
        clearable
        data={SEXES.map((value) => ({ value, label: t(`ui.studies.form.sexes.${value}`) }))}
        {...form.getInputProps('reportMetadata.sex')}
        value={form.values.reportMetadata.sex || null}
        onChange={(sex) => form.setFieldValue('reportMetadata.sex', sex ?? '')}
      />
      <Text form={form} name="dateOfBirth" />
      <Text form={form} name="age" />
      <Measured form={form} name="height" />
      <Measured form={form} name="weight" />
    </SimpleGrid>
  </FormPart>
)

/** How and where the scan was. */
export const ScanFields = ({ form }: FieldsProps) => (
  <FormPart title={t('ui.studies.form.scan')}>
    <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
      {(
        ['scanType', 'facilityName', 'scanDate', 'scanTime', 'referringPhysicianName'] as const
      ).map((name) => (
        <Text key={name} form={form} name={name} />
      ))}
    </SimpleGrid>
  </FormPart>
)

/** What the radiologist is to know. */
export const ContextFields = ({ form }: FieldsProps) => (
  <FormPart title={t('ui.studies.form.context')}>
    <Textarea
      label={t('ui.studies.form.indication')}
      autosize
      maxRows={8}
      {...form.getInputProps('clinicalIndication')}
    />
    <Textarea
      label={t('ui.studies.form.technique')}
      autosize
      maxRows={8}
      {...form.getInputProps('technologistTechnique')}
    />
    <Textarea
      label={t('ui.studies.form.notes')}
      description={t('ui.studies.form.notesAbout')}
      autosize
      maxRows={8}
      {...form.getInputProps('technologistNotes')}
    />
    <TextInput
      label={t('ui.studies.form.externalPatientId')}
      autoComplete="off"
      {...form.getInputProps('externalPatientId')}
    />
  </FormPart>
)

/** Earlier studies of this gateway, and earlier reports as text. */
export function PriorFields({ form }: FieldsProps) {
  const { priorReportTexts } = form.values
  const put = (texts: readonly string[]) => form.setFieldValue('priorReportTexts', texts)
  return (
    <FormPart title={t('ui.studies.form.priors')}>
      <Textarea
        label={t('ui.studies.form.priorIds')}
        description={t('ui.studies.form.priorIdsAbout')}
        autosize
        maxRows={6}
        spellCheck={false}
        {...form.getInputProps('priorStudyIds')}
      />
      {priorReportTexts.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text has no name but its place, and its field no state of its own
        <Group key={`${at + 1}`} gap={6} wrap="nowrap" align="flex-start">
          <Textarea
            style={{ flex: 1 }}
            label={t('ui.studies.form.priorText', { number: at + 1 })}
            autosize
            minRows={2}
            maxRows={10}
            {...form.getInputProps(`priorReportTexts.${at}`)}
          />
          <Tooltip label={t('ui.studies.form.removePriorText', { number: at + 1 })}>
            <ActionIcon
              mt={26}
              aria-label={t('ui.studies.form.removePriorText', { number: at + 1 })}
              onClick={() => put(priorReportTexts.toSpliced(at, 1))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ))}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          disabled={priorReportTexts.length >= MAX_PRIORS}
          onClick={() => put([...priorReportTexts, ''])}
        >
          {t('ui.studies.form.addPriorText')}
        </Button>
      </div>
    </FormPart>
  )
}
