import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './activity.module.css'

export function FeedLineRow({ line }: { line: FeedLine }) {
  return (
    <LineLink line={line}>
      <ToneIcon tone={line.tone} size={15} />
      <Clock instant={line.at} />
      <span className={css.ae} title={line.address}>
        {line.aeTitle || line.address}
      </span>
      <span>{translateMessage(line.text)}</span>
      <span className={css.kind}>{t(`ui.activity.live.kinds.${line.kind}`)}</span>
    </LineLink>
  )
}

/** A link to what the line is about, where there is something. */
function LineLink({ line, children }: { line: FeedLine; children: ReactNode }) {
  const { inspectionId, studyInstanceUid, associationId } = line
  if (inspectionId !== null) {
    return (
      <Link
        to="/queries/$inspectionId"
        params={{ inspectionId: String(inspectionId) }}
        className={css.line}
      >
        {children}
      </Link>
    )
  }
  if (studyInstanceUid !== null) {
    return (
      <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }} className={css.line}>
        {children}
      </Link>
    )
  }
  // Asked from the window, there was no connection.
  if (associationId === '' || associationId === 'window')
    return <div className={css.line}>{children}</div>
  return (
    <Link
      to="/activity/associations/$associationId"
      params={{ associationId }}
      className={css.line}
    >
      {children}
    </Link>
  )
}
