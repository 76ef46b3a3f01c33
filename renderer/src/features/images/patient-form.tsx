import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { CorrectedPatient } from '#shared/contract/corrections.ts'
import { dayText } from '../../format/dates.ts'
import { sexText } from '../../format/image-states.ts'
import { nameText } from '../../format/patient-name.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { type PATIENT_FIELDS, type StudyPatientIdentity, valuesOf } from './image-identities.ts'
import { joinedName, type NameParts, namePartsOf } from './name-parts.ts'
import css from './resolve.module.css'

type Field = (typeof PATIENT_FIELDS)[number]
type Values = NameParts & { patientId: string; born: string; sex: string; accessionNumber: string }

/** Components of a name (PS3.5 §6.2.1) have delimiters of their own. */
const DELIMITER = /[\^=\\]/
const SEXES = ['', 'F', 'M', 'O'] as const
const SEX = CorrectedPatient.shape.patientSex

/** Details of a patient as a person types them, beside what the images say. */
export function PatientForm(props: {
  initial: CorrectedPatient
  about: string
  identities: readonly StudyPatientIdentity[]
  onDone: (patient: CorrectedPatient) => void
}) {
  const { initial, about, identities, onDone } = props
  const parts = namePartsOf(initial.patientName)
  const [isWhole, setIsWhole] = useState(
    [parts.middle, parts.prefix, parts.suffix, parts.ideographic, parts.phonetic].some(
      (part) => part !== '',
    ),
  )
  const component = (value: string) =>
    DELIMITER.test(value) ? t('ui.images.correction.target.noSigns') : null
  const form = useForm<Values>({
    initialValues: {
      ...parts,
      patientId: initial.patientId,
      born: initial.patientBirthDate.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'),
      sex: initial.patientSex,
      accessionNumber: initial.accessionNumber,
    },
    validate: {
      family: (family, { ideographic }) =>
        family.trim() || ideographic.trim()
          ? component(family)
          : t('ui.images.correction.target.nameNeeded'),
      given: component,
      middle: component,
      prefix: component,
      suffix: component,
    },
  })
  const submit = form.onSubmit((values) =>
    onDone({
      patientName: joinedName(values),
      patientId: values.patientId.trim(),
      patientBirthDate: values.born.replaceAll('-', ''),
      patientSex: SEX.safeParse(values.sex).data ?? '',
      accessionNumber: values.accessionNumber.trim(),
    }),
  )
  const imageValuesText = (field: Field) =>
    t('ui.images.correction.target.says', {
      values: valuesOf(identities, field)
        .map((value) => shownValue(field, value))
        .join('; '),
    })
  const text = (field: keyof Values, label: string) => (
    <TextInput
      label={label}
      autoComplete="off"
      spellCheck={false}
      maxLength={64}
      {...form.getInputProps(field)}
    />
  )
  return (
    <form onSubmit={submit} noValidate className={css.form}>
      <Stack>
        <Text size="sm" maw="76ch">
          {about}
        </Text>
        <div>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={t('ui.images.correction.target.familyName')}
              required
              autoComplete="off"
              spellCheck={false}
              maxLength={64}
              {...form.getInputProps('family')}
            />
            {text('given', t('ui.images.correction.target.givenName'))}
          </SimpleGrid>
          <p className={css.says}>{imageValuesText('patientName')}</p>
        </div>
        {isWhole ? (
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {text('middle', t('ui.images.correction.target.middleName'))}
            {text('prefix', t('ui.images.correction.target.prefix'))}
            {text('suffix', t('ui.images.correction.target.suffix'))}
            <TextInput
              label={t('ui.images.correction.target.ideographic')}
              description={t('ui.images.correction.target.caret')}
              maxLength={64}
              {...form.getInputProps('ideographic')}
            />
            <TextInput
              label={t('ui.images.correction.target.phonetic')}
              description={t('ui.images.correction.target.caret')}
              maxLength={64}
              {...form.getInputProps('phonetic')}
            />
          </SimpleGrid>
        ) : (
          <div>
            <Button variant="subtle" size="compact-sm" onClick={() => setIsWhole(true)}>
              {t('ui.images.correction.target.moreName')}…
            </Button>
          </div>
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <div>
            {text('patientId', t('ui.images.correction.target.patientId'))}
            <p className={css.says}>{imageValuesText('patientId')}</p>
          </div>
          <div>
            <TextInput
              label={t('ui.images.correction.target.accessionNumber')}
              autoComplete="off"
              maxLength={16}
              {...form.getInputProps('accessionNumber')}
            />
            <p className={css.says}>{imageValuesText('accessionNumber')}</p>
          </div>
          <div>
            <DayInput
              label={t('ui.images.correction.target.born')}
              {...form.getInputProps('born')}
            />
            <p className={css.says}>{imageValuesText('patientBirthDate')}</p>
          </div>
          <div>
            <NativeSelect
              label={t('ui.images.correction.target.sex')}
              data={SEXES.map((value) => ({
                value,
                label: value === '' ? t('ui.images.correction.target.noSex') : sexText(value),
              }))}
              {...form.getInputProps('sex')}
            />
            <p className={css.says}>{imageValuesText('patientSex')}</p>
          </div>
        </SimpleGrid>
        <Group justify="flex-end">
          <Button type="submit">{t('ui.images.correction.next')}</Button>
        </Group>
      </Stack>
    </form>
  )
}

function shownValue(field: Field, value: string): string {
  if (value === '') return t('ui.images.correction.missing')
  if (field === 'patientName') return nameText(value)
  if (field === 'patientBirthDate') return dayText(value)
  if (field === 'patientSex') return sexText(value)
  return value
}
