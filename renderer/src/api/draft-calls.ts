import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { verbatim } from '#shared/messages/message.ts'
import { t } from '../i18n/t.ts'
import { type Call, ProblemError } from './client.ts'
import type { DraftCalls, SaveFault } from './draft-keeper.ts'

interface DraftCallOptions {
  readonly call: Call
  readonly studyId: Reading['studyId']
  readonly windowId: string
  /** Takes into the window what the gateway answered of the study. */
  readonly show: (change: Reading | ((before: Reading) => Reading)) => void
}

/** The calls that keep the draft of a study. */
export function draftCalls({ call, studyId, windowId, show }: DraftCallOptions): DraftCalls {
  const params = { studyId }
  return {
    async begin({ text, takeOver, isLast }, signal) {
      const body = { windowId, takeOver, text, isLast }
      const reading = await call(
        dashboardReports.begin,
        { params, body },
        isLast ? undefined : signal,
        { outlivesPage: isLast },
      )
      show(reading)
      if (!isLast && reading.lock && reading.lock.windowId !== windowId)
        throw new ProblemError(
          'refused',
          verbatim(`${t('ui.reports.lock.title', { name: reading.lock.name })}.`),
        )
      if (!reading.draft) throw new ProblemError('refused', reading.whyNot ?? verbatim(''))
      return reading.draft
    },
    async save({ reportId, revision, text, isLast }, signal) {
      const body = { windowId, reportId, revision, text, isLast }
      const saved = await call(
        dashboardReports.save,
        { params, body },
        isLast ? undefined : signal,
        { outlivesPage: isLast },
      )
      // What the screen reads again when it is next opened.
      if (saved.outcome === 'saved') {
        show((before) => ({
          ...before,
          draft: before.draft && {
            ...before.draft,
            text,
            revision: saved.revision,
            savedAt: saved.savedAt,
          },
        }))
      }
      return saved
    },
    release: ({ isLast }) =>
      call(dashboardReports.hold, { params, body: { windowId, isWriting: false } }, undefined, {
        outlivesPage: isLast,
      }),
    faultOf,
  }
}

const TRANSIENT_CODES = ['unreachable', 'unavailable', 'too-many', 'unreadable', 'internal']

function faultOf(error: unknown): SaveFault {
  const { code, message } =
    error instanceof ProblemError ? error : { code: 'internal', message: String(error) }
  if (code === 'not-signed-in' || code === 'locked')
    return { kind: 'signed-out', sentence: message }
  return { kind: TRANSIENT_CODES.includes(code) ? 'again' : 'refused', sentence: message }
}
