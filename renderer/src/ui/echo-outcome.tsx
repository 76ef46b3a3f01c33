import type { EchoResult } from '#shared/contract/destinations.ts'
import type { ProblemError } from '../api/client.ts'
import { durationText } from '../format/amounts.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice } from './page.tsx'
import { Notice } from './tone.tsx'

/** What came of a C-ECHO; screen readers hear it when it arrives. */
export function EchoOutcome({
  result,
  error,
}: {
  result: EchoResult | undefined
  error: ProblemError | null
}) {
  return (
    <div role="status">
      {result && (
        <Notice
          tone={result.success ? 'good' : 'danger'}
          title={
            result.success
              ? t('ui.common.echo.answers', { took: durationText(result.tookMs) })
              : t('ui.common.echo.silent')
          }
        >
          {translateMessage(result.message)}
        </Notice>
      )}
      {error && <ErrorNotice error={error} />}
    </div>
  )
}
