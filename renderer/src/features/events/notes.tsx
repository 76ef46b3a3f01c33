import type { AnswerNote } from '#shared/contract/events.ts'
import { translateMessage } from '../../i18n/messages.ts'
import css from './events.module.css'

/** What was left out of an answer, or is not as agreed, each with its place. */
export function Notes({ title, notes }: { title: string; notes: readonly AnswerNote[] }) {
  if (notes.length === 0) return null
  return (
    <div>
      <b>{title}</b>
      <ul className={css.notes}>
        {notes.map(({ path, sentence }) => (
          <li key={`${path} ${translateMessage(sentence)}`}>
            <code>{path}</code> {translateMessage(sentence)}
          </li>
        ))}
      </ul>
    </div>
  )
}
