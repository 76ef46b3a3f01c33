import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import {
  dashboardExams,
  type EXAM_FILTERS,
  type ExamDay,
} from '#shared/contract/dashboard-exams.ts'
import type { ProblemError } from './client.ts'
import { useEventStream } from './event-stream.ts'
import { call, keyOf } from './queries.ts'

/** No event says that an exam is overdue. */
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 30_000
/** News come in bursts: the day is read again once for all of them. */
const REFRESH_DELAY_MS = 1500

/**
 * The exams of a day, read again with each query of a device and each image, and by the minute:
 * what is overdue changes by itself.
 */
export function useExamDay(of: {
  readonly day: string | undefined
  readonly deviceId: string | undefined
  readonly show: (typeof EXAM_FILTERS)[number]
}) {
  const client = useQueryClient()
  const { queriesSeen, imagesSeen, examsSeen, isOpen } = useEventStream()
  const query = {
    show: of.show,
    ...(of.day && { day: of.day }),
    ...(of.deviceId && { deviceId: of.deviceId }),
  }
  const changeCount = queriesSeen + imagesSeen + examsSeen
  useEffect(() => {
    if (changeCount === 0) return
    const timer = setTimeout(
      () =>
        void client.invalidateQueries(
          { queryKey: keyOf(dashboardExams.exams) },
          { cancelRefetch: false },
        ),
      REFRESH_DELAY_MS,
    )
    return () => clearTimeout(timer)
  }, [changeCount, client])
  return useQuery<ExamDay, ProblemError>({
    queryKey: keyOf(dashboardExams.exams, { query }),
    queryFn: ({ signal }) => call(dashboardExams.exams, { query }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isOpen ? POLL_MS : POLL_CUT_OFF_MS,
  })
}
