import type { View } from '#shared/contract/viewing.ts'
import type { StudyId } from '#shared/ids.ts'
import { closeView, readOpenView, openView } from '../../api/views.ts'

let kept: { readonly of: string; readonly view: View } | null = null
let wanted = ''

/**
 * The view of the study that is being reported: opened once, and kept until another study is. One
 * that has ended is opened again.
 * @throws ProblemError
 */
export async function viewOfStudy(userId: string, studyId: StudyId): Promise<View> {
  const of = `${userId} ${studyId}`
  wanted = of
  if (kept?.of === of) {
    const view = await readOpenView(kept.view.viewId)
    if (view) return view
  }
  const view = await openView({ studyId })
  if (wanted !== of) {
    closeView(view.viewId)
    return view
  }
  if (kept) closeView(kept.view.viewId)
  kept = { of, view }
  return view
}
