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
import { FormPart } from '../../ui/form-part.tsx'
import { MEASURES, type StudyValues } from './study-values.ts'
import type { FieldsProps } from './use-study-form.ts'

const MOST_PRIORS = 50
const SEXES = ['female', 'male', 'other'] as const

type TextName =
  | 'patientName'
  | 'mrn'
  | 'dateOfBirth'
  | 'age'
  | 'scanType'
  | 'scanDate'
  | 'scanTime'
  | 'facilityName'
  | 'referringPhysicianName'
const TYPES: Partial<Record<TextName, string>> = {
  dateOfBirth: 'date',
  scanDate: 'date',
  scanTime: 'time',
}
const ABOUT: Partial<Record<TextName, string>> = {
  patientName: t('ui.studies.form.patientNameAbout'),
  age: t('ui.studies.form.ageAbout'),
}

function Text({ name, values, set, faults }: FieldsProps & { readonly name: TextName }) {
  return (
    <TextInput
      label={t(`ui.studies.form.${name}`)}
      description={ABOUT[name]}
      // Below the input, so that the inputs of a row are level.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      type={TYPES[name] ?? 'text'}
      autoComplete="off"
      value={values.texts[name] ?? ''}
      error={faults[`reportMetadata.${name}`]}
      onChange={(event) => set({ texts: { ...values.texts, [name]: event.currentTarget.value } })}
    />
  )
}

function Measured({
  name,
  values,
  set,
  faults,
}: FieldsProps & { readonly name: keyof typeof MEASURES }) {
  const measure = values.measures[name]
  const put = (change: Partial<typeof measure>) =>
    set({ measures: { ...values.measures, [name]: { ...measure, ...change } } })
  return (
    <Group gap={6} wrap="nowrap" align="flex-end">
      <TextInput
        style={{ flex: 1 }}
        label={t(`ui.studies.form.${name}`)}
        inputMode="decimal"
        value={measure.value}
        error={faults[`reportMetadata.${name}`] ?? faults[`reportMetadata.${name}.value`]}
        onChange={(event) => put({ value: event.currentTarget.value })}
      />
      <Select
        w={82}
        aria-label={t('ui.studies.form.unit', { field: t(`ui.studies.form.${name}`) })}
        allowDeselect={false}
        value={measure.unit}
        data={[...MEASURES[name]]}
        onChange={(unit) => unit !== null && put({ unit })}
      />
    </Group>
  )
}

/** Who the patient is. */
export function PatientFields(props: FieldsProps) {
  const { values, set } = props
  return (
    <FormPart title={t('ui.studies.form.patient')}>
      <Text {...props} name="patientName" />
      <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
        <Text {...props} name="mrn" />
        <Select
          label={t('ui.studies.form.sex')}
          placeholder={t('ui.studies.form.unknownSex')}
          clearable
          value={values.texts.sex || null}
          data={SEXES.map((value) => ({ value, label: t(`ui.studies.form.sexes.${value}`) }))}
          onChange={(sex) => set({ texts: { ...values.texts, sex: sex ?? '' } })}
        />
        <Text {...props} name="dateOfBirth" />
        <Text {...props} name="age" />
        <Measured {...props} name="height" />
        <Measured {...props} name="weight" />
      </SimpleGrid>
    </FormPart>
  )
}

/** How and where the scan was. */
export const ScanFields = (props: FieldsProps) => (
  <FormPart title={t('ui.studies.form.scan')}>
    <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
      {(
        ['scanType', 'facilityName', 'scanDate', 'scanTime', 'referringPhysicianName'] as const
      ).map((name) => (
        <Text key={name} {...props} name={name} />
      ))}
    </SimpleGrid>
  </FormPart>
)

/** What the radiologist is to know. */
export function ContextFields({ values, set, faults }: FieldsProps) {
  const put = (change: Partial<StudyValues['context']>) =>
    set({ context: { ...values.context, ...change } })
  return (
    <FormPart title={t('ui.studies.form.context')}>
      <Textarea
        label={t('ui.studies.form.indication')}
        autosize
        maxRows={8}
        value={values.context.clinicalIndication}
        error={faults.clinicalIndication}
        onChange={(event) => put({ clinicalIndication: event.currentTarget.value })}
      />
      <Textarea
        label={t('ui.studies.form.technique')}
        autosize
        maxRows={8}
        value={values.context.technologistTechnique}
        error={faults.technologistTechnique}
        onChange={(event) => put({ technologistTechnique: event.currentTarget.value })}
      />
      <Textarea
        label={t('ui.studies.form.notes')}
        description={t('ui.studies.form.notesAbout')}
        autosize
        maxRows={8}
        value={values.notes}
        error={faultOf(faults, 'technologistNotes')}
        onChange={(event) => set({ notes: event.currentTarget.value })}
      />
      <TextInput
        label={t('ui.studies.form.externalPatientId')}
        autoComplete="off"
        value={values.context.externalPatientId}
        error={faults.externalPatientId}
        onChange={(event) => put({ externalPatientId: event.currentTarget.value })}
      />
    </FormPart>
  )
}

/** Earlier studies of this gateway, and earlier reports as text. */
export function PriorFields({ values, set, faults }: FieldsProps) {
  const { priorReportTexts } = values
  return (
    <FormPart title={t('ui.studies.form.priors')}>
      <Textarea
        label={t('ui.studies.form.priorIds')}
        description={t('ui.studies.form.priorIdsAbout')}
        autosize
        maxRows={6}
        spellCheck={false}
        value={values.priorStudyIds}
        error={faultOf(faults, 'priorStudyIds')}
        onChange={(event) => set({ priorStudyIds: event.currentTarget.value })}
      />
      {priorReportTexts.map((text, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text has no name but its place, and its field no state of its own
        <Group key={`${at + 1}`} gap={6} wrap="nowrap" align="flex-start">
          <Textarea
            style={{ flex: 1 }}
            label={t('ui.studies.form.priorText', { number: at + 1 })}
            autosize
            minRows={2}
            maxRows={10}
            value={text}
            error={faults[`priorReportTexts.${at}`]}
            onChange={(event) =>
              set({ priorReportTexts: priorReportTexts.with(at, event.currentTarget.value) })
            }
          />
          <Tooltip label={t('ui.studies.form.removePriorText', { number: at + 1 })}>
            <ActionIcon
              mt={26}
              aria-label={t('ui.studies.form.removePriorText', { number: at + 1 })}
              onClick={() => set({ priorReportTexts: priorReportTexts.toSpliced(at, 1) })}
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
          disabled={priorReportTexts.length >= MOST_PRIORS}
          onClick={() => set({ priorReportTexts: [...priorReportTexts, ''] })}
        >
          {t('ui.studies.form.addPriorText')}
        </Button>
      </div>
    </FormPart>
  )
}

/** The fault of a list, or of the first of its items that has one. */
const faultOf = (faults: Readonly<Record<string, string>>, path: string): string | undefined =>
  faults[path] ?? Object.entries(faults).find(([name]) => name.startsWith(`${path}.`))?.[1]
