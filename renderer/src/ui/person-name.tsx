import { shownName } from '../format/patient-name.ts'
import { t } from '../i18n/t.ts'
import css from './person-name.module.css'

/**
 * A PN value as `LAST, First`, with its ideographic group beside it and the value as received on
 * hover. It wraps and is never cut: it says who the patient is.
 */
export function PersonName({ value }: { value: string }) {
  const { family, rest, ideographic } = shownName(value)
  if (family === '') return <span title={value}>{t('ui.common.noName')}</span>
  return (
    <span className={css.name} title={value}>
      <bdi>
        <span className={css.family}>{family}</span>
        {rest && `, ${rest}`}
      </bdi>
      {ideographic && <bdi className={css.ideographic}>{ideographic}</bdi>}
    </span>
  )
}
