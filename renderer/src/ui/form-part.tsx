import type { ReactNode } from 'react'
import css from './form-part.module.css'

/** A titled part of a form. */
export function FormPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={css.fieldset}>
      <legend className={css.legend}>{title}</legend>
      {children}
    </fieldset>
  )
}
