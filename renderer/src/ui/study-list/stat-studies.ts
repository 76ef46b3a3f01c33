import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { useReply } from '../../api/queries.ts'

/**
 * The newest STAT studies that nobody has begun to report. The frame reads them once when the window
 * opens, so that a study which arrives before `StatWatch` is loaded is announced, too.
 */
export const useStatStudies = (every?: number) =>
  useReply(
    dashboardStudies.list,
    {
      query: {
        ...{ area: 'scribe', cancelled: 'hide', order: 'newest', limit: 20 },
        ...{ severity: ['stat'], status: ['unassigned', 'assigned'] },
      },
    },
    every === undefined ? {} : { every },
  )
