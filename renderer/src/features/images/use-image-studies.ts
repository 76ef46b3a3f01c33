import { dashboardImages, type ImageStudySummary } from '#shared/contract/images.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { call } from '../../api/queries.ts'
import { useRows } from '../../ui/study-list/use-rows.ts'

export const IMAGE_STUDY_FILTERS = [
  'all',
  'receiving',
  'incomplete',
  'mismatch',
  'replaced',
] as const
export type ImageStudyFilter = (typeof IMAGE_STUDY_FILTERS)[number]

const POLL_CUT_OFF_MS = 5000
const idOf = ({ studyInstanceUid }: ImageStudySummary) => studyInstanceUid

/** The list of studies with images, its counts kept current. */
export function useImageStudies(show: ImageStudyFilter, search: string) {
  const { imagesSeen, isOpen } = useEventStream()
  const query = { show, search, limit: 50 }
  return useRows<ImageStudySummary>({
    key: [dashboardImages.list.path, query],
    ask: async (cursor, signal) => {
      const page = await call(
        dashboardImages.list,
        { query: { ...query, ...(cursor !== undefined && { cursor }) } },
        signal,
      )
      return { rows: page.studies, cursor: page.hasMore ? page.cursor : undefined }
    },
    idOf,
    news: imagesSeen,
    every: isOpen ? undefined : POLL_CUT_OFF_MS,
  })
}
