import { dashboardViews, type View, viewing } from '#shared/contract/viewing.ts'
import type { StudyId } from '#shared/ids.ts'
import { ProblemError } from './client.ts'
import { call } from './queries.ts'

/** Which images: of a study of the interface, or whatever there is of a study UID. */
export type StudySelector = { readonly studyId: StudyId } | { readonly studyInstanceUid: string }

const opened = new Set<string>()

/**
 * Begins a view of the images of a study. It ends with this person's session in this window.
 * @throws ProblemError
 */
export async function openView(of: StudySelector): Promise<View> {
  const view = await call(dashboardViews.open, { body: of })
  opened.add(view.viewId)
  return view
}

export function closeView(viewId: string): void {
  opened.delete(viewId)
  // One that is not closed ends by itself.
  void call(viewing.close, { params: { viewId } }, undefined, { outlivesPage: true }).catch(
    () => undefined,
  )
}

/** Ends every view that this window began: whoever signs in next must not find one open. */
export function closeViews(): void {
  for (const viewId of opened) closeView(viewId)
}

/**
 * Refusals of a view that has ended, was revoked or cancelled: the gateway's sentence says which.
 */
export const VIEW_ENDED: readonly ProblemError['code'][] = [
  'not-signed-in',
  'not-permitted',
  'not-found',
  'refused',
]

/**
 * The view as it is now; undefined where it has ended. @throws ProblemError where that cannot be
 * known
 */
export async function readOpenView(viewId: string): Promise<View | undefined> {
  try {
    return await call(viewing.read, { params: { viewId } })
  } catch (error) {
    if (error instanceof ProblemError && VIEW_ENDED.includes(error.code)) return undefined
    throw error
  }
}
