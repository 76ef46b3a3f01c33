import type { AnswerNote } from '#shared/contract/events.ts'
import { said } from '../i18n/said.ts'
import css from './events.module.css'

/** What was left out of an answer, or is not as agreed, each with its place. */
export function Notes({ title, notes }: { title: string; notes: readonly AnswerNote[] }) {
  if (notes.length === 0) return null
  return (
    <div>
      <b>{title}</b>
      <ul className={css.notes}>
        {notes.map(({ path, sentence }) => (
          <li key={`${path} ${said(sentence)}`}>
            <code>{path}</code> {said(sentence)}
          </li>
        ))}
      </ul>
    </div>
  )
}
