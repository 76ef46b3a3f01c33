import { Fragment } from 'react'
import type { WindowReport } from '#shared/contract/reports.ts'
import { sectionsOf } from '#shared/report-text.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import css from './reports.module.css'
import { nameOf } from './signed-pane.tsx'

/** Signed texts, the report first, then its addenda: to read only, nobody changes them any more. */
export function SignedTexts({ reports }: { reports: readonly WindowReport[] }) {
  const signedReports = reports.filter(({ status }) => status === 'completed')
  return signedReports.map((report) => (
    <article
      key={report.reportId}
      className={css.signedText}
      aria-label={nameOf(report, signedReports)}
    >
      <header>
        <h2 className={css.signedTitle}>{nameOf(report, signedReports)}</h2>
        <span className={css.quiet}>
          {t('ui.reports.signed.by', { name: report.author.name })}
          {report.signedAt && (
            <>
              , <Clock instant={report.signedAt} />
            </>
          )}
        </span>
      </header>
      <ReportText text={report.text ?? ''} />
    </article>
  ))
}

/** A report's text with its headings shown as such. */
export function ReportText({ text }: { text: string }) {
  return (
    <div className={css.reportText}>
      {sectionsOf(text).map(({ heading, from, text: body }) => (
        <Fragment key={from}>
          {heading && <h3>{heading}</h3>}
          <p>{body}</p>
        </Fragment>
      ))}
    </div>
  )
}
