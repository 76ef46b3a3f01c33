import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { ProblemError } from '../client.ts'
import { call, keyOf } from '../gateway.ts'
import { type DraftCalls, type DraftKeeper, type KeptDraft, openDraftKeeper, type SaveFault } from './draft-keeper.ts'
import { keepUnsaved, noteLeaving, unsavedText, WINDOW_ID, type Written } from './window-drafts.ts'
import { words } from './words.ts'

/** Sign of life to the gateway while this window holds the report; the least time a report stays taken is 15 s. */
const HOLD_MS = 10_000

/** Another window holds the report. */
export const isHeldElsewhere = ({ lock }: Pick<Reading, 'lock'>): boolean => lock !== null && lock.windowId !== WINDOW_ID

/**
 * The draft of a study, on its way to the gateway for as long as the caller is shown. It is begun by the first thing that is written, so that
 * a look at a study leaves it as it was.
 */
export function useDraft(
  reading: Reading,
  userId: string,
): { readonly keeper: DraftKeeper; readonly kept: KeptDraft; readonly found: Found } {
  const client = useQueryClient()
  const { studyId } = reading
  const [{ keeper, found, written }] = useState(() => {
    const of: Written = { userId, studyId, draft: reading.draft }
    const unsaved = unsavedText(of)
    const key = keyOf(dashboardReports.read, { params: { studyId } })
    const calls = callsOf(studyId, (change) =>
      client.setQueryData<Reading>(key, (before) => (typeof change === 'function' ? before && change(before) : change)),
    )
    const after = (milliseconds: number, run: () => void) => {
      const timer = setTimeout(run, milliseconds)
      return () => clearTimeout(timer)
    }
    const opened: Found = { draft: reading.draft, wasUnsaved: unsaved !== undefined }
    return { keeper: openDraftKeeper(reading.draft, { calls, after, unsaved }), found: opened, written: of }
  })
  const kept = useSyncExternalStore(keeper.subscribe, keeper.current)

  useEffect(() => {
    const stop = keeper.subscribe(() => {
      const { state, text, revision } = keeper.current()
      keepUnsaved(written, state === 'saved' ? null : { text, revision })
    })
    const end = keeper.start()
    const hide = () => {
      if (document.visibilityState === 'hidden') void keeper.flush()
    }
    const leave = () => {
      keeper.leave()
      // A page that is loaded again is another window: it must not find the report taken by the one it was.
      if (keeper.isHeld()) void hold(studyId, false, true)
    }
    document.addEventListener('visibilitychange', hide)
    window.addEventListener('pagehide', leave)
    return () => {
      document.removeEventListener('visibilitychange', hide)
      window.removeEventListener('pagehide', leave)
      end()
      // What the last save answers is still to be known: it decides whether the text is kept in memory. Only then the report is let go.
      noteLeaving(
        keeper.flush().finally(async () => {
          stop()
          if (keeper.current().state === 'failing') notifications.show({ color: 'red', autoClose: false, message: words.saving.leftBehind })
          if (keeper.isHeld()) await hold(studyId, false)
        }),
      )
    }
  }, [keeper, written, studyId])

  const { draft } = reading
  useEffect(() => keeper.follow(draft), [keeper, draft])

  const isMine = reading.lock?.windowId === WINDOW_ID
  useEffect(() => {
    if (!isMine) return
    const timer = setInterval(() => void hold(studyId, true), HOLD_MS)
    return () => clearInterval(timer)
  }, [isMine, studyId])
  return { keeper, kept, found }
}

/** What was there when the study was opened. */
export interface Found {
  readonly draft: Reading['draft']
  /** The text is one that this window could not save before. */
  readonly wasUnsaved: boolean
}

/** A sign of life that is lost is made up for by the next one; the gateway lets go by itself when there are none. */
async function hold(studyId: Reading['studyId'], isWriting: boolean, outlivesPage = false): Promise<void> {
  const body = { windowId: WINDOW_ID, isWriting }
  await call(dashboardReports.hold, { params: { studyId }, body }, undefined, { outlivesPage }).catch(() => undefined)
}

function callsOf(studyId: Reading['studyId'], show: (change: Reading | ((before: Reading) => Reading)) => void): DraftCalls {
  const params = { studyId }
  return {
    async begin(text, takeOver) {
      const reading = await call(dashboardReports.begin, { params, body: { windowId: WINDOW_ID, takeOver, text } })
      show(reading)
      if (isHeldElsewhere(reading) && reading.lock) throw new ProblemError('refused', `${words.lock.title(reading.lock.name)}.`)
      if (!reading.draft) throw new ProblemError('refused', reading.whyNot)
      return reading.draft
    },
    async save(revision, text, isLast, reportId) {
      const body = { windowId: WINDOW_ID, reportId: reportId ?? undefined, revision, text }
      const saved = await call(dashboardReports.save, { params, body }, undefined, { outlivesPage: isLast })
      // What the screen reads again when it is next opened.
      if (saved.outcome === 'saved') {
        show((before) => ({
          ...before,
          draft: before.draft && { ...before.draft, text, revision: saved.revision, savedAt: saved.savedAt },
        }))
      }
      return saved
    },
    faultOf,
  }
}

const PASSING = ['unreachable', 'unavailable', 'too-many', 'unreadable', 'internal']

function faultOf(error: unknown): SaveFault {
  const { code, message } = error instanceof ProblemError ? error : { code: 'internal', message: String(error) }
  if (code === 'not-signed-in' || code === 'locked') return { kind: 'signed-out', sentence: message }
  return { kind: PASSING.includes(code) ? 'again' : 'refused', sentence: message }
}
