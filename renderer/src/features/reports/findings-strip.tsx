import { useDeferredValue } from 'react'
import type { Reading } from '#shared/contract/reports.ts'
import { reportFindings } from '#shared/report-checks.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './reports.module.css'

/**
 * What would stand against signing, while it is written: a quiet line that never moves the text.
 */
export function FindingsStrip({
  reading,
  text,
  atOpening,
}: {
  reading: Reading
  text: string
  atOpening: Reading['reportMetadata']
}) {
  const settled = useDeferredValue(text)
  const isEmpty = settled.trim() === ''
  const findings = isEmpty
    ? []
    : reportFindings({
        ...{ text: settled, isCritical: false, isAddendum: reading.status === 'addendum_active' },
        ...{
          identity: reading.identity.state,
          metadata: reading.reportMetadata,
          studyDescription: reading.studyDescription,
        },
        ...{ indication: reading.context.clinicalIndication, patientAtOpening: atOpening },
      })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
    <section className={css.strip} aria-label={t('ui.reports.findings.label')} tabIndex={0}>
      {findings.map(({ check, level, sentence }) => (
        <div key={check}>
          <ToneIcon tone={level === 'error' ? 'danger' : 'warning'} size={14} />{' '}
          {translateMessage(sentence)}
        </div>
      ))}
      {findings.length === 0 && !isEmpty && (
        <div className={css.quiet}>
          <ToneIcon tone="good" size={14} /> {t('ui.reports.findings.none')}
        </div>
      )}
    </section>
  )
}
