import { Text } from '@mantine/core'
import type { Reading } from '#shared/contract/reports.ts'
import { Notice } from '../components/tone.tsx'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import css from './reading.module.css'
import { ReportText, SignedTexts } from './signed-text.tsx'

/** For whoever may not write now: what is signed, else the draft as it is. */
export function ReadOnly({ reading }: { reading: Reading }) {
  const { draft, whyNot, status } = reading
  return (
    <section
      className={`${css.centre} ${css.scrolls}`}
      aria-label={t('ui.reading.editor.label')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
      tabIndex={0}
    >
      {status !== 'completed' && whyNot && <Notice tone="plain">{said(whyNot)}</Notice>}
      <SignedTexts reports={reading.reports} />
      {draft && draft.text !== '' && (
        <article className={css.signedText} aria-label={t('ui.reading.draft')}>
          <header>
            <h2 className={css.signedTitle}>
              {draft.isAddendum ? t('ui.reading.editor.addendum') : t('ui.reading.draft')}
            </h2>
            <Text fz="sm" c="dimmed">
              {draft.savedBy.name}
            </Text>
          </header>
          <ReportText text={draft.text} />
        </article>
      )}
    </section>
  )
}
