import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Verdict } from '#shared/contract/dashboard-setup.ts'
import type { Message } from '#shared/messages/message.ts'
import type { Tone } from '../format/tones.ts'
import { translateMessage } from '../i18n/messages.ts'
import { Copy } from './copy.tsx'
import css from './findings.module.css'
import { ToneIcon } from './tone.tsx'

const TONES_BY_VERDICT: Readonly<Record<Verdict, Tone>> = {
  ok: 'good',
  warn: 'warning',
  bad: 'danger',
}

interface CheckedItem {
  readonly verdict: Verdict
  readonly sentence: Message
  readonly remedy: Message | null
}

/**
 * What was looked at, each with its shape, name, sentence and remedy. `more` adds to one, such as a
 * link.
 */
export function Findings<T extends CheckedItem>(props: {
  findings: readonly T[]
  nameOf?: (found: T) => string
  more?: (found: T) => ReactNode
}) {
  const { findings, nameOf, more } = props
  return (
    <ul className={css.findings}>
      {findings.map((found) => (
        <li
          key={translateMessage(found.sentence)}
          className={`${css.finding} ${nameOf ? '' : css.nameless}`}
          data-tone={TONES_BY_VERDICT[found.verdict]}
        >
          <ToneIcon tone={TONES_BY_VERDICT[found.verdict]} size={18} />
          {nameOf && <div className={css.findingName}>{nameOf(found)}</div>}
          <div>
            {translateMessage(found.sentence)}
            {found.remedy && <div className={css.remedy}>{translateMessage(found.remedy)}</div>}
            {more?.(found)}
          </div>
        </li>
      ))}
    </ul>
  )
}

/** A line to be copied and run. */
export function Command({
  command,
  what,
  about,
}: {
  command: string
  what: string
  about?: string
}) {
  return (
    <>
      {about && (
        <Text size="sm" c="dimmed" mt={6}>
          {about}
        </Text>
      )}
      <div className={css.command}>
        <code>{command}</code>
        <Copy value={command} what={what} />
      </div>
    </>
  )
}
