import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { documentHeaders, serveFile } from '#server/http/file-route.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { findDevice, listDevices } from '#server/modules/devices/device-queries.ts'
import { closeStep, reopenStep } from '#server/modules/procedure-steps/closed-steps.ts'
import { clinicDay, timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import { dashboardWorklist } from '#shared/contract/dashboard.ts'
import {
  dashboardExams,
  type ExamDay,
  ExamPrintQuery,
  MAX_EXAMS,
} from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { endDowntime, startDowntime } from './downtime.ts'
import { explainExam } from './explain.ts'
import { listInspections } from './inspection-queries.ts'
import { findInspection } from './inspections.ts'
import { refreshDay, type Schedule } from './schedule.ts'
import type { Worklist } from './worklist.ts'

/**
 * Serves the query inspector, queries in a device's place, steps closed by staff, and downtime
 * mode.
 */
export function serveWorklist(app: HttpApp, context: Context, worklist: Worklist): void {
  const { database, feed } = context
  const handlers: HandlersOf<typeof dashboardWorklist> = {
    inspections({ query }) {
      const { items, ...rest } = listInspections(database, query)
      return { inspections: items, ...rest }
    },
    async inspection({ params, query }) {
      const found = await findInspection(context, params.inspectionId, query.verdict)
      if (!found) throw new ApiError('not-found', message('worklist.query-gone'))
      return found
    },
    askWorklist: async ({ body, user }) =>
      worklist.ask(body, requireEnabledDevice(context, body.deviceId), user),
    closeStep({ body, user }) {
      const closed = closeStep(context, body, userActor(user.userId))
      feed.noteChange('exams')
      return closed
    },
    reopenStep({ body, user }) {
      const wasClosed = reopenStep(context, body, userActor(user.userId))
      feed.noteChange('exams')
      return wasClosed
        ? { success: true }
        : { success: false, message: message('worklist.step-not-closed') }
    },
    async lintDevice({ params, user }) {
      const device = findDevice(database, params.deviceId)
      if (!device) throw new ApiError('not-found', message('devices.no-such-device'))
      return worklist.lint(device, user)
    },
    startDowntime: ({ body, user }) => startDowntime(context, body.reason, user),
    endDowntime: ({ user }) => endDowntime(context, userActor(user.userId)),
  }
  serveAll(app, dashboardWorklist, handlers, { afterChange: () => feed.noteStatus() })
}

/** Serves the exams of a day (`shared/contract/dashboard-exams.ts`). */
export function serveSchedule(
  app: HttpApp,
  context: Context,
  worklist: Worklist,
  schedule: Schedule,
): void {
  const handlers: HandlersOf<typeof dashboardExams> = {
    exams: ({ query }) => schedule.day(query, MAX_EXAMS),
    refresh({ body: { day, deviceId }, user }) {
      const asked =
        deviceId === null
          ? listDevices(context.database).filter(({ isEnabled }) => isEnabled)
          : [requireEnabledDevice(context, deviceId)]
      if (asked.length === 0) throw new ApiError('refused', message('worklist.no-device-on'))
      const zone = timeZoneOf(context.settings.get('clinic.timeZone'))
      return refreshDay(worklist, day ?? clinicDay(context.clock(), zone), asked, user)
    },
    explain: ({ body, user }) =>
      explainExam(context, worklist, schedule, body, requireDevice(context, body.deviceId), user),
  }
  serveAll(app, dashboardExams, handlers, { afterChange: () => context.feed.noteChange('exams') })
  serveFile(
    app,
    '/dashboard/worklist/exams/print',
    { access: dashboardExams.exams.access, query: ExamPrintQuery },
    async ({ query: { day, language } }, reply) => {
      const exams = await schedule.day({ day }, MAX_EXAMS)
      const fileName = `worklist-${exams.day}.pdf`
      return reply
        .headers(documentHeaders({ fileName, mediaType: 'application/pdf' }, ['application/pdf']))
        .send(await renderSheet(context, exams, language))
    },
  )
}

async function renderSheet(
  { clock, settings }: Context,
  day: ExamDay,
  language: 'en' | 'es',
): Promise<Buffer> {
  const zone = timeZoneOf(settings.get('clinic.timeZone'))
  const timeOf = (instant: number) => wallClock(instant, zone).time.slice(0, 5)
  const { receivedAt } = day.source
  // pdfkit and its fonts are loaded with the first document instead of at startup.
  const { renderWorklistSheet } = await import('./worklist-sheet.ts')
  return renderWorklistSheet({
    day,
    language,
    clinicName: settings.get('clinic.name'),
    paper: settings.get('reports.paper'),
    listedAt: receivedAt === null ? '' : timeOf(msOf(receivedAt)),
    printedAt: `${clinicDay(clock(), zone)} ${timeOf(clock())}`,
  })
}

function requireDevice({ database }: Context, deviceId: string): Device {
  const device = findDevice(database, deviceId)
  if (!device) throw refused(message('devices.no-such-device'))
  return device
}

/**
 * Returns an enabled device. A disabled device is rejected before it can query, so no query is made
 * in its place either.
 */
function requireEnabledDevice(context: Context, deviceId: string): Device {
  const device = requireDevice(context, deviceId)
  if (!device.isEnabled) throw refused(message('worklist.device-off'))
  return device
}

const refused = (fault: Message) =>
  new ApiError('refused', fault, { errors: [{ path: 'body.deviceId', message: fault }] })
