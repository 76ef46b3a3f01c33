import { useMemo } from 'react'
import { errorReference } from '../format/error-reference.ts'
import { t } from '../i18n/t.ts'
import { Copy } from './copy.tsx'
import css from './error-reference.module.css'

/** The reference of an error screen, and a button that copies what support needs. */
export function ErrorReference({ error }: { error?: unknown }) {
  const { id, text } = useMemo(
    () => errorReference(error, new Date(), window.location.href),
    [error],
  )
  return (
    <div className={css.reference}>
      <span className="mono">{t('ui.common.reference', { id })}</span>
      <Copy value={text} what={t('ui.common.referenceName')} />
    </div>
  )
}
