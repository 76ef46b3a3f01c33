import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { Draft } from '#shared/contract/reports.ts'
import type { ReportId } from '#shared/ids.ts'
import { personOf } from './report-people.ts'
import type { ReportRecord } from './report-queries.ts'

/** Revisions of a draft that are kept. */
const MOST_REVISIONS = 100

/** What is being written, as the window shows it. */
export function draftView(
  { store }: Pick<DomainDeps, 'store'>,
  { reportId, isAddendum, revision, ...draft }: ReportRecord,
): Draft {
  const saved = store.reportRevisions.read(reportId, revision)
  return {
    ...{ reportId: reportId as ReportId, isAddendum, revision, text: draft.plainText ?? '' },
    savedAt: saved?.at ?? draft.updatedAt,
    savedBy: personOf({ store }, saved?.userId ?? draft.userId),
  }
}

/**
 * Whether the draft is the one a window shows, as it shows it; one that says no id is taken at its
 * revision.
 */
export const isShown = (
  { reportId, revision }: ReportRecord,
  shown: { readonly reportId?: string | undefined; readonly revision: number },
) => revision === shown.revision && reportId === (shown.reportId ?? reportId)

export interface Saving {
  readonly userId: string
  readonly windowId: string
  readonly text: string
  readonly at: string
}

/** Keeps the text as the next revision of the draft, within the open transaction. */
export function saveDraft(
  { store }: Pick<DomainDeps, 'store'>,
  draft: ReportRecord,
  { userId, windowId, text, at }: Saving,
): ReportRecord {
  const saved = { ...draft, userId, plainText: text, revision: draft.revision + 1, updatedAt: at }
  store.reports.update(withoutSeq(saved))
  store.reportRevisions.append(
    { reportId: draft.reportId, revision: saved.revision, userId, windowId, at, text },
    MOST_REVISIONS,
  )
  return saved
}

export const withoutSeq = ({ seq: _, ...report }: ReportRecord): Omit<ReportRecord, 'seq'> => report
