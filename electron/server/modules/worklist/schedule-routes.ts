import { documentHeaders } from '#server/http/document.ts'
import { serveFile } from '#server/http/file-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import type { DashboardDeps } from '#server/modules/dashboard/deps.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { ExamPorts } from '#server/modules/dashboard/ports.ts'
import {
  dashboardExams,
  type ExamDay,
  ExamPrint,
  MOST_EXAMS,
} from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { ApiError } from '#shared/errors.ts'

export interface DashboardExamsDeps extends Pick<DashboardDeps, 'devices'> {
  readonly ports: ExamPorts
  /** The clinic's day, `YYYY-MM-DD`. */
  readonly today: () => string
  /** The exams as PDF, by room. */
  readonly print: (day: ExamDay, language: 'en' | 'es') => Promise<Buffer>
  readonly feed: Pick<Feed, 'noteChange'>
}

/** Declares the window's calls about the exams of a day (`shared/contract/dashboard-exams.ts`). */
export function serveDashboardExams(
  app: HttpApp,
  { devices, ports, today, print, feed }: DashboardExamsDeps,
): void {
  const existing = (deviceId: string): Device => {
    const device = devices.find(deviceId)
    if (device) return device
    const message = 'There is no such device.'
    throw new ApiError('refused', message, { errors: [{ path: 'body.deviceId', message }] })
  }

  const handlers: HandlersOf<typeof dashboardExams> = {
    exams: ({ query }) => ports.day(query, MOST_EXAMS),
    refresh({ body, user }) {
      const asked =
        body.deviceId === null
          ? devices.list().filter(({ isEnabled }) => isEnabled)
          : [existing(body.deviceId)]
      // A device that is switched off is rejected before it can ask, so the partner is not asked in
      // its name.
      if (body.deviceId !== null && asked.some(({ isEnabled }) => !isEnabled)) {
        const message =
          'This device is switched off and gets no worklist; switch it on under Devices.'
        throw new ApiError('refused', message, { errors: [{ path: 'body.deviceId', message }] })
      }
      if (asked.length === 0)
        throw new ApiError(
          'refused',
          'There is no device that is switched on, and the partner is asked in the name of devices.',
        )
      return ports.refresh(body.day ?? today(), asked, user)
    },
    explain: ({ body, user }) => ports.explain(body, existing(body.deviceId), user),
  }
  serveAll(app, dashboardExams, handlers, { afterChange: () => feed.noteChange('exams') })
  serveFile(
    app,
    '/dashboard/worklist/exams/print',
    { access: dashboardExams.exams.access, query: ExamPrint },
    async ({ query }, reply) => {
      const { day, language } = query
      const exams = await ports.day({ day, show: 'all' }, MOST_EXAMS)
      const fileName = `worklist-${exams.day}.pdf`
      return reply
        .headers(documentHeaders({ fileName, mediaType: 'application/pdf' }, ['application/pdf']))
        .send(await print(exams, language))
    },
  )
}
