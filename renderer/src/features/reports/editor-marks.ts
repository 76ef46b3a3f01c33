import { type Range, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { fieldsOf, sectionsOf } from '#shared/report-text.ts'

const HEADING = Decoration.mark({ class: 'cm-heading' })
const SECTION_LINE = Decoration.line({ class: 'cm-section' })
const FIELD_MARK = Decoration.mark({ class: 'cm-field' })
const CHOICE_MARK = Decoration.mark({ class: 'cm-field cm-choice' })

function marksOf(doc: Text): DecorationSet {
  const text = doc.toString()
  const marks: Range<Decoration>[] = []
  for (const { heading, from } of sectionsOf(text)) {
    if (heading === '') continue
    const line = doc.lineAt(from)
    const indent = line.text.length - line.text.trimStart().length
    const end = line.from + indent + heading.length
    marks.push(
      SECTION_LINE.range(line.from),
      HEADING.range(line.from + indent, text[end] === ':' ? end + 1 : end),
    )
  }
  for (const { from, to, choices } of fieldsOf(text))
    marks.push((choices.length > 0 ? CHOICE_MARK : FIELD_MARK).range(from, to))
  return Decoration.set(marks, true)
}

/**
 * Headings of sections stand out, and so does every place that is still to be filled in. The text
 * itself stays plain.
 */
export const reportMarks = StateField.define<DecorationSet>({
  create: ({ doc }) => marksOf(doc),
  update: (marks, { docChanged, newDoc }) => (docChanged ? marksOf(newDoc) : marks),
  provide: (field) => EditorView.decorations.from(field),
})
