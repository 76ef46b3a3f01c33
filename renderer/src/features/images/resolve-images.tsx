import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { nameText } from '../../format/patient-name.ts'
import { t } from '../../i18n/t.ts'
import { OpenImagesButton } from '../../ui/open-images.tsx'
import {
  idsByNumber,
  idsOf,
  numbersOf,
  patientsOf,
  type StudyPatientIdentity,
} from './image-identities.ts'
import { PatientLine } from './patient-line.tsx'
import css from './resolve.module.css'

/** The images that leave the study: chosen by the patient they name, or by series. */
export function ChooseImages(props: {
  studyInstanceUid: string
  identities: readonly StudyPatientIdentity[]
  chosen: ReadonlySet<number>
  onChange: (chosen: ReadonlySet<number>) => void
  onNext: () => void
}) {
  const { studyInstanceUid, identities, chosen, onChange, onNext } = props
  const all = idsOf(identities).length
  const replace = (ids: readonly number[], by: readonly number[]) => {
    const replaced = new Set(ids)
    onChange(new Set([...[...chosen].filter((id) => !replaced.has(id)), ...by]))
  }
  const checkboxProps = (ids: readonly number[]) => {
    const count = ids.filter((id) => chosen.has(id)).length
    return {
      checked: count === ids.length,
      indeterminate: count > 0 && count < ids.length,
      // A box that stands for some of its images chooses the rest.
      onChange: () => replace(ids, count < ids.length ? ids : []),
    }
  }
  return (
    <>
      <Group justify="space-between" align="flex-start" mb={10} gap={12}>
        <Text size="sm" maw="70ch">
          {t('ui.images.correction.images.about')}
        </Text>
        <OpenImagesButton of={{ studyInstanceUid }} />
      </Group>
      {patientsOf(identities).map((patient) => (
        <fieldset
          key={patient.key}
          className={css.group}
          aria-label={nameText(patient.patientName)}
        >
          <PatientLine patient={patient} />
          <Checkbox
            label={t('ui.images.correction.images.choosePatient', { count: patient.count })}
            {...checkboxProps(idsOf(patient.series))}
          />
          <div className={css.series}>
            {patient.series.map((one) => (
              <div key={one.seriesInstanceUid} className={css.oneSeries}>
                <Checkbox
                  label={
                    <>
                      <b>{one.modality}</b>{' '}
                      {one.seriesDescription || t('ui.images.correction.images.noDescription')}{' '}
                      <span className={css.quiet}>
                        {t('ui.images.correction.count', { count: one.instanceIds.length })}
                      </span>
                    </>
                  }
                  {...checkboxProps(one.instanceIds)}
                />
                <ImageRangeChoice of={one} onChoose={(ids) => replace(one.instanceIds, ids)} />
              </div>
            ))}
          </div>
        </fieldset>
      ))}
      <div className={css.foot}>
        <span className={css.chosen} role="status">
          {chosen.size === all
            ? t('ui.images.correction.images.all')
            : `${t('ui.images.correction.images.chosen', { chosen: chosen.size, all })}, ${t('ui.images.correction.images.stay', { count: all - chosen.size })}`}
        </span>
        <Button disabled={chosen.size === 0 || chosen.size === all} onClick={onNext}>
          {t('ui.images.correction.next')}
        </Button>
      </div>
    </>
  )
}

/** Images of a series by their numbers, where several patients are in one. */
function ImageRangeChoice({
  of,
  onChoose,
}: {
  of: StudyPatientIdentity
  onChoose: (ids: readonly number[]) => void
}) {
  const [text, setText] = useState<string | null>(null)
  const numbers = numbersOf(of)
  if (!numbers) return null
  if (text === null) {
    return (
      <Button variant="subtle" size="compact-sm" onClick={() => setText('')}>
        {t('ui.images.correction.images.some')}…
      </Button>
    )
  }
  const isWrong = text.trim() !== '' && idsByNumber(of, text) === undefined
  return (
    <TextInput
      label={t('ui.images.correction.images.numbers')}
      description={t('ui.images.correction.images.numbersAbout', {
        least: numbers[0],
        most: numbers[1],
      })}
      placeholder={t('ui.images.correction.images.numbersExample')}
      error={isWrong && t('ui.images.correction.images.noSuchNumbers')}
      maxLength={200}
      autoFocus
      value={text}
      onChange={(event) => {
        const typed = event.currentTarget.value
        setText(typed)
        onChoose(idsByNumber(of, typed) ?? [])
      }}
    />
  )
}
