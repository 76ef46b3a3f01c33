import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { draftCalls } from '../../api/draft-calls.ts'
import { type DraftKeeper, type KeptDraft, openDraftKeeper } from '../../api/draft-keeper.ts'
import { call, keyOf } from '../../api/queries.ts'
import { type DraftIdentity, findKeptDraft, showDraft, WINDOW_ID } from '../../api/window-drafts.ts'

/**
 * Sign of life to the gateway while this window holds the report; the least time a report stays
 * taken is 15 s.
 */
const LOCK_RENEWAL_INTERVAL_MS = 10_000

/** Another window holds the report. */
export const isHeldElsewhere = ({ lock }: Pick<Reading, 'lock'>): boolean =>
  lock !== null && lock.windowId !== WINDOW_ID

/**
 * The draft of a study, saved for as long as the caller is shown. It is begun by the first thing
 * that is written, so that a look at a study leaves it as it was.
 */
export function useDraft(
  reading: Reading,
  userId: string,
): { readonly keeper: DraftKeeper; readonly kept: KeptDraft; readonly found: InitialDraft } {
  const client = useQueryClient()
  const { studyId } = reading
  const [{ keeper, found, written }] = useState(() => {
    const of: DraftIdentity = { userId, studyId, draft: reading.draft }
    const left = findKeptDraft(of)
    const key = keyOf(dashboardReports.read, { params: { studyId } })
    const calls = draftCalls({
      ...{ call, studyId, windowId: WINDOW_ID },
      show: (change) =>
        client.setQueryData<Reading>(key, (before) =>
          typeof change === 'function' ? before && change(before) : change,
        ),
    })
    const after = (milliseconds: number, run: () => void) => {
      const timer = setTimeout(run, milliseconds)
      return () => clearTimeout(timer)
    }
    const opened: InitialDraft = {
      draft: reading.draft,
      wasUnsaved: left !== undefined && left.current().state !== 'saved',
    }
    return {
      keeper:
        left ?? openDraftKeeper(reading.draft, { calls, after, now: () => performance.now() }),
      found: opened,
      written: of,
    }
  })
  const kept = useSyncExternalStore(keeper.subscribe, keeper.current)

  useEffect(() => {
    const flushWhenHidden = () => {
      if (document.visibilityState === 'hidden') void keeper.flush()
    }
    const show = ({ persisted }: PageTransitionEvent) => {
      if (persisted) keeper.show()
    }
    const leave = showDraft(written, keeper)
    document.addEventListener('visibilitychange', flushWhenHidden)
    window.addEventListener('pagehide', keeper.close)
    window.addEventListener('pageshow', show)
    return () => {
      document.removeEventListener('visibilitychange', flushWhenHidden)
      window.removeEventListener('pagehide', keeper.close)
      window.removeEventListener('pageshow', show)
      leave()
    }
  }, [keeper, written])

  const { draft } = reading
  useEffect(() => keeper.follow(draft), [keeper, draft])

  const isMine = reading.lock?.windowId === WINDOW_ID
  useEffect(() => {
    if (!isMine) return
    const timer = setInterval(() => void hold(studyId), LOCK_RENEWAL_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isMine, studyId])
  return { keeper, kept, found }
}

/** What was there when the study was opened. */
export interface InitialDraft {
  readonly draft: Reading['draft']
  /** The text is one that this window could not save before. */
  readonly wasUnsaved: boolean
}

/**
 * A sign of life that is lost is made up for by the next one; the gateway lets go by itself when
 * there are none.
 */
async function hold(studyId: Reading['studyId']): Promise<void> {
  const body = { windowId: WINDOW_ID, isWriting: true }
  await call(dashboardReports.hold, { params: { studyId }, body }).catch(() => undefined)
}
