import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import type { FileEntry, FileTemplate } from './template-file.ts'

/**
 * How an entry meets what is there. new: nothing like it; same: it is there already; name: another
 * has its name; shortcut: another has its shortcut; both: two others do; repeated: the file has it
 * twice; faulty: it cannot be taken.
 */
export type ImportVerdict = 'new' | 'same' | 'name' | 'shortcut' | 'both' | 'repeated' | 'faulty'
/** plain: it is added without its shortcut. */
export type Choice = 'add' | 'replace' | 'plain' | 'leave'

export interface PlannedImport {
  readonly at: number
  readonly entry: FileEntry
  readonly standing: ImportVerdict
  /** The one that has its name. */
  readonly holder: ReportTemplate | null
}

/** What can be done about an entry; the first is what is done unless somebody chooses. */
export const CHOICES: Readonly<Record<ImportVerdict, readonly Choice[]>> = {
  new: ['add', 'leave'],
  same: ['leave'],
  name: ['leave', 'replace'],
  shortcut: ['leave', 'plain'],
  // The one that is replaced keeps its own shortcut.
  both: ['leave', 'replace'],
  repeated: ['leave'],
  faulty: ['leave'],
}

const key = (text: string) => text.toLowerCase()
const FIELDS = ['shortcut', 'modalities', 'sex', 'ageFrom', 'ageTo', 'keywords', 'text'] as const
const isSame = (one: FileTemplate, other: ReportTemplate) =>
  FIELDS.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))

/**
 * Names are one's own for each kind, shortcuts for both: as the gateway has it
 * (domain/report-templates). @param owned of who they are for
 */
export function planOf(
  entries: readonly FileEntry[],
  owned: readonly ReportTemplate[],
): readonly PlannedImport[] {
  const seen = new Set<string>()
  return entries.map((entry) => {
    const { at } = entry
    if (!('template' in entry)) return { at, entry, standing: 'faulty', holder: null }
    const { template } = entry
    const { kind, name, shortcut, ageFrom, ageTo } = template
    const marks = [`${kind} ${key(name)}`, ...(shortcut === null ? [] : [`/${key(shortcut)}`])]
    const isRepeated = marks.some((mark) => seen.has(mark))
    for (const mark of marks) seen.add(mark)
    if (isRepeated) return { at, entry, standing: 'repeated', holder: null }
    if (ageFrom !== null && ageTo !== null && ageFrom > ageTo)
      return { at, entry, standing: 'faulty', holder: null }
    const holder =
      owned.find((other) => other.kind === kind && key(other.name) === key(name)) ?? null
    const hasShortcut = owned.find(
      (other) =>
        shortcut !== null && other.shortcut !== null && key(other.shortcut) === key(shortcut),
    )
    return { at, entry, standing: verdictOf(template, holder, hasShortcut), holder }
  })
}

function verdictOf(
  template: FileTemplate,
  holder: ReportTemplate | null,
  hasShortcut: ReportTemplate | undefined,
): ImportVerdict {
  if (holder && isSame(template, holder)) return 'same'
  if (hasShortcut && hasShortcut !== holder) return holder ? 'both' : 'shortcut'
  return holder ? 'name' : 'new'
}

/** What is sent for an entry; null where nothing is. */
export function sendingOf(
  { entry, standing, holder }: PlannedImport,
  choice: Choice,
):
  | { readonly add: FileTemplate }
  | { readonly change: ReportTemplate; readonly to: Partial<Omit<FileTemplate, 'kind'>> }
  | null {
  if (!('template' in entry) || !CHOICES[standing].includes(choice) || choice === 'leave')
    return null
  const { template } = entry
  if (choice === 'add') return { add: template }
  if (choice === 'plain') return { add: { ...template, shortcut: null } }
  const { kind: _, shortcut, ...fields } = template
  return holder && { change: holder, to: standing === 'both' ? fields : { ...fields, shortcut } }
}
