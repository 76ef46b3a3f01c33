import { Fragment } from 'react'
import css from './activity.module.css'

/** One thing after another. */
export function EventSequence({ parts }: { parts: readonly string[] }) {
  return (
    <span>
      {parts.map((part, at) => (
        <Fragment key={part}>
          {at > 0 && (
            <span className={css.arrow} aria-hidden>
              →
            </span>
          )}
          {part}
        </Fragment>
      ))}
    </span>
  )
}
