import { Button, Checkbox, Group, Text } from '@mantine/core'
import { OpenImages } from '../components/open-images.tsx'
import { words } from './correction-words.ts'
import { type Identity, idsOf, patientsOf } from './image-identities.ts'
import { PatientLine } from './patient-line.tsx'
import css from './resolve.module.css'

const { images: texts } = words

/** The images that leave the study: chosen by the patient they name, or by series. */
export function ChooseImages(props: {
  studyInstanceUid: string
  identities: readonly Identity[]
  chosen: ReadonlySet<number>
  onChange: (chosen: ReadonlySet<number>) => void
  onNext: () => void
}) {
  const { studyInstanceUid, identities, chosen, onChange, onNext } = props
  const all = idsOf(identities).length
  const set = (ids: readonly number[], isChosen: boolean) => {
    const next = new Set(chosen)
    for (const id of ids) isChosen ? next.add(id) : next.delete(id)
    onChange(next)
  }
  const box = (ids: readonly number[]) => {
    const count = ids.filter((id) => chosen.has(id)).length
    return {
      checked: count === ids.length,
      indeterminate: count > 0 && count < ids.length,
      // A box that stands for some of its images chooses the rest.
      onChange: () => set(ids, count < ids.length),
    }
  }
  return (
    <>
      <Group justify="space-between" align="flex-start" mb={10} gap={12}>
        <Text size="sm" maw="70ch">
          {texts.about}
        </Text>
        <OpenImages of={{ studyInstanceUid }} />
      </Group>
      {patientsOf(identities).map((patient) => (
        <fieldset key={patient.key} className={css.group}>
          <legend>
            <PatientLine patient={patient} aside={words.count(patient.count)} />
          </legend>
          <Checkbox label={texts.choosePatient(patient.count)} {...box(idsOf(patient.series))} />
          <div className={css.series}>
            {patient.series.map((one) => (
              <Checkbox
                key={one.seriesInstanceUid}
                label={
                  <>
                    <b>{one.modality}</b> {one.seriesDescription || texts.noDescription}{' '}
                    <span className={css.quiet}>{words.count(one.instanceIds.length)}</span>
                  </>
                }
                {...box(one.instanceIds)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <div className={css.foot}>
        <span className={css.chosen} role="status">
          {chosen.size === all ? texts.all : `${texts.chosen(chosen.size, all)}, ${texts.stay(all - chosen.size)}`}
        </span>
        <Button disabled={chosen.size === 0 || chosen.size === all} onClick={onNext}>
          {words.next}
        </Button>
      </div>
    </>
  )
}
