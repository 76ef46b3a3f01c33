import { z } from 'zod'
import { NewReportTemplate, type ReportTemplate } from '#shared/contract/report-templates.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { type Message, verbatim } from '#shared/messages/message.ts'

const FORMAT = 'isthmus-report-templates'
const MAX_TEMPLATES = 500
/** Of a file: 500 templates of ten pages each are less. */
export const MAX_FILE_BYTES = 20_000_000

const FileTemplate = NewReportTemplate.omit({ for: true })
export type FileTemplate = z.infer<typeof FileTemplate>
const TemplateFile = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  templates: z.array(z.unknown()),
})

/** One entry of a file, by its place from 1; a fault is of the contract's schema. */
export type FileEntry =
  | { readonly at: number; readonly template: FileTemplate }
  | {
      readonly at: number
      readonly name: string
      readonly fault: { readonly field: string; readonly explanation: Message }
    }

/** The templates as a file that another gateway can read: without ids, owners and times. */
export function templateFile(templates: readonly ReportTemplate[]): string {
  const entries = templates.map(
    ({ kind, name, shortcut, modalities, sex, ageFrom, ageTo, keywords, text }) => ({
      ...{ kind, name, shortcut, modalities, sex, ageFrom, ageTo, keywords, text },
    }),
  )
  return `${JSON.stringify({ format: FORMAT, version: 1, templates: entries }, null, 2)}\n`
}

/** What a file holds; or why it is none of ours. */
export function readTemplateFile(
  text: string,
): readonly FileEntry[] | 'notJson' | 'notOurs' | 'empty' | 'tooMany' {
  let given: unknown
  try {
    given = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return 'notJson'
  }
  const file = TemplateFile.safeParse(given)
  if (!file.success) return 'notOurs'
  if (file.data.templates.length === 0) return 'empty'
  return file.data.templates.length > MAX_TEMPLATES ? 'tooMany' : file.data.templates.map(entryOf)
}

function entryOf(given: unknown, index: number): FileEntry {
  const at = index + 1
  const parsed = FileTemplate.safeParse(given)
  if (parsed.success) return { at, template: parsed.data }
  const [issue] = parsed.error.issues
  const name = z.object({ name: z.string() }).safeParse(given)
  return {
    at,
    name: name.success ? name.data.name : '',
    fault: {
      field: issue?.path.join('.') ?? '',
      explanation: issue ? issueMessage(issue) : verbatim(''),
    },
  }
}
