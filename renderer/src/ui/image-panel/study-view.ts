import type { View } from '#shared/contract/viewing.ts'
import type { StudyId } from '#shared/ids.ts'
import { closeView, openView, readOpenView } from '../../api/views.ts'

let openedView: { readonly of: string; readonly view: View } | null = null
let wanted = ''

/**
 * The view of the study that is being reported: opened once, and kept until another study is. One
 * that has ended is opened again.
 * @throws ProblemError
 */
export async function viewOfStudy(userId: string, studyId: StudyId): Promise<View> {
  const of = `${userId} ${studyId}`
  wanted = of
  if (openedView?.of === of) {
    const view = await readOpenView(openedView.view.viewId)
    if (view) return view
  }
  const view = await openView({ studyId })
  if (wanted !== of) {
    closeView(view.viewId)
    return view
  }
  if (openedView) closeView(openedView.view.viewId)
  openedView = { of, view }
  return view
}
