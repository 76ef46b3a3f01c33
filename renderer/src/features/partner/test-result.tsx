import type { ReactNode } from 'react'
import type { Message } from '#shared/messages/message.ts'
import type { ProblemError } from '../../api/client.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'

interface Verdict {
  readonly success: boolean
  readonly message: Message
}

/** What came of a test of the partner, said where it was asked for. */
export function TestResult(props: {
  test: {
    readonly isPending: boolean
    readonly data: Verdict | undefined
    readonly error: ProblemError | null
  }
  good: string
  bad: string
  children?: ReactNode
}) {
  const { test, good, bad, children } = props
  return (
    <div role="status" style={{ alignSelf: 'stretch' }}>
      {test.data && !test.isPending && (
        <Notice tone={test.data.success ? 'good' : 'danger'} title={test.data.success ? good : bad}>
          {translateMessage(test.data.message)} {children}
        </Notice>
      )}
      {test.error && <ErrorNotice error={test.error} />}
    </div>
  )
}
