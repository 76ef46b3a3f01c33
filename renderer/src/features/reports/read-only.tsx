import { Text } from '@mantine/core'
import type { Reading } from '#shared/contract/reports.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'
import css from './reports.module.css'
import { ReportText, SignedTexts } from './signed-text.tsx'

/** For whoever may not write now: what is signed, else the draft as it is. */
export function ReadOnlyReport({ reading }: { reading: Reading }) {
  const { draft, whyNot, status } = reading
  return (
    <section
      className={`${css.centre} ${css.scrolls}`}
      aria-label={t('ui.reports.editor.label')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
      tabIndex={0}
    >
      {status !== 'completed' && whyNot && <Notice tone="plain">{translateMessage(whyNot)}</Notice>}
      <SignedTexts reports={reading.reports} />
      {draft && draft.text !== '' && (
        <article className={css.signedText} aria-label={t('ui.reports.draft')}>
          <header>
            <h2 className={css.signedTitle}>
              {draft.isAddendum ? t('ui.reports.editor.addendum') : t('ui.reports.draft')}
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
