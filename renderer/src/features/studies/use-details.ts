import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { type ScribeStudy, scribe } from '#shared/contract/scribe.ts'
import { type ViewerStudy, viewer } from '#shared/contract/viewer.ts'
import { useReply } from '../../api/queries.ts'

/** A study as partners read it, by its area. */
export type Details =
  | { readonly area: 'scribe'; readonly study: ScribeStudy }
  | { readonly area: 'viewer'; readonly study: ViewerStudy }

/** What the interface has of a study beyond its row; undefined until it is read. */
export function useDetails({
  area,
  studyId,
}: Pick<WindowStudy, 'area' | 'studyId'>): Details | undefined {
  const input = { params: { studyId } }
  const scribeStudy = useReply(scribe.read, input, { enabled: area === 'scribe' }).data
  const viewerStudy = useReply(viewer.read, input, { enabled: area === 'viewer' }).data
  if (area === 'scribe') return scribeStudy && { area, study: scribeStudy }
  return viewerStudy && { area, study: viewerStudy }
}
