import type { ReactNode } from 'react'
import type { CorrectedPatient } from '#shared/contract/corrections.ts'
import { bornText } from '../../format/image-states.ts'
import { t } from '../../i18n/t.ts'
import { PersonName } from '../../ui/person-name.tsx'
import css from './resolve.module.css'

/** By what a patient is told from another: name, ID, date of birth, sex, accession number. */
export function PatientLine({ patient, aside }: { patient: CorrectedPatient; aside?: ReactNode }) {
  const { patientName, patientId, patientBirthDate, patientSex, accessionNumber } = patient
  const born = bornText(patientBirthDate, patientSex)
  return (
    <span className={css.patient}>
      <PersonName value={patientName} />
      {patientId && <span className="mono">{patientId}</span>}
      {born && <span className="nowrap">{born}</span>}
      {accessionNumber && (
        <span className="mono">
          {t('ui.images.correction.target.accession', { number: accessionNumber })}
        </span>
      )}
      {aside && <span className={css.aside}>{aside}</span>}
    </span>
  )
}
