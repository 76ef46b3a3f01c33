import { expandTemplate, fieldsOf, sectionsOf } from '#shared/report-text.ts'
import { t, textsOf } from '../../i18n/t.ts'
import css from './templates.module.css'

const EXAMPLE = textsOf(
  'ui.templates.example',
  ...(['patientName', 'age', 'sex', 'scanDate'] as const),
  ...(['indication', 'comparison', 'referringPhysician'] as const),
)

/** A template as the editor would show it, its variables those of a patient who does not exist. */
export function Preview({ text }: { text: string }) {
  const shown = expandTemplate(text, EXAMPLE)
  if (shown.trim() === '') return <p className={css.quiet}>{t('ui.templates.form.previewNone')}</p>
  const headings = sectionsOf(shown).filter(({ heading }) => heading !== '')
  const marks = [
    ...headings.map(({ from, heading }) => {
      const begins = from + (/^[ \t]*/.exec(shown.slice(from))?.[0].length ?? 0)
      return { from: begins, to: begins + heading.length, className: css.heading }
    }),
    ...fieldsOf(shown).map(({ from, to, choices }) => ({
      from,
      to,
      className: choices.length > 0 ? css.choice : css.field,
    })),
  ].sort((one, other) => one.from - other.from)
  let at = 0
  const parts = marks.map(({ from, to, className }) => {
    const before = shown.slice(at, from)
    at = to
    return (
      <span key={from}>
        {before}
        <span className={className}>{shown.slice(from, to)}</span>
      </span>
    )
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
    <section className={css.preview} aria-label={t('ui.templates.form.preview')} tabIndex={0}>
      {parts}
      {shown.slice(at)}
    </section>
  )
}
