import { useEffect, useSyncExternalStore } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { ProblemError } from '../../api/client.ts'
import { call, keyOf, queryClient } from '../../api/queries.ts'
import { ACTIVITY_EVENT, noteUserActivity } from '../../api/user-activity.ts'
import { onWindowMessage, postToWindows } from '../../api/window-channel.ts'
import { whenDraftsReleased } from '../../api/window-drafts.ts'
import { closeWatchedWindows } from '../../ui/image-panel/child-windows.ts'
import { closeImagesWindow } from '../../ui/image-panel/held-window.ts'
import { clearUndo } from '../../ui/undo.tsx'
import { openIdleWatch } from './idle-watch.ts'

// Not `scroll`: a list that grows scrolls by itself.
const SIGNS = [
  ...(['mousemove', 'keydown', 'pointerdown', 'wheel', 'touchmove', 'touchstart'] as const),
  ACTIVITY_EVENT,
]
const IDLE_CHECK_INTERVAL_MS = 5000
const ACTIVITY_REPORT_INTERVAL_MS = 25_000
const RETRY_DELAY_MS = 4000
const UNMOUNT_DELAY_MS = 100
/** What is not saved by then is kept in memory, and saved after unlocking. */
const SAVE_TIMEOUT_MS = 4000
/** Over a reload: the gateway may not have been told yet. */
const STORAGE_KEY = 'isthmus-locked'

let isLockedHere = globalThis.sessionStorage?.getItem(STORAGE_KEY) === '1'
/** The gateway knows of the lock. */
let isGatewayNotified = false
let retryTimer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function set(isLocked: boolean, told: boolean): void {
  isLockedHere = isLocked
  isGatewayNotified = told
  if (isLocked) sessionStorage.setItem(STORAGE_KEY, '1')
  else sessionStorage.removeItem(STORAGE_KEY)
  for (const listener of listeners) listener()
}

/** This window was locked here, whether the gateway knows it yet or not. */
export const useIsLockedHere = (): boolean => useSyncExternalStore(subscribe, () => isLockedHere)
/** The gateway does not know yet that this window is locked. */
export const useIsLockPending = (): boolean =>
  useSyncExternalStore(subscribe, () => isLockedHere && !isGatewayNotified)

/**
 * Locks every window of this browser: the screens go at once, what is being written is saved as
 * they do, then the session is locked at the gateway, tried until it is.
 */
export function lockWindow(): void {
  if (isLockedHere) return
  set(true, false)
  postToWindows({ kind: 'lock' })
  void lockSession()
}

async function lockSession(): Promise<void> {
  clearTimeout(retryTimer)
  // The screens save what is written as they go; they have to be gone from the page first.
  await new Promise((resolve) => setTimeout(resolve, UNMOUNT_DELAY_MS))
  await Promise.race([
    whenDraftsReleased(),
    new Promise((resolve) => setTimeout(resolve, SAVE_TIMEOUT_MS)),
  ])
  if (!isLockedHere) return
  try {
    await call(dashboardSecurity.lock, {})
    // It may have been unlocked again while the answer was on its way.
    if (!isLockedHere) return
    set(true, true)
    queryClient.setQueryData<ReplyOf<typeof dashboard.session>>(
      keyOf(dashboard.session, {}),
      (session) => (session?.user ? { ...session, isLocked: true } : session),
    )
  } catch (error) {
    const code = error instanceof ProblemError ? error.code : 'unreachable'
    if (code === 'locked' || code === 'not-signed-in') set(true, true)
    else if (isLockedHere) retryTimer = setTimeout(() => void lockSession(), RETRY_DELAY_MS)
  }
}

/** The password was given, or somebody else signs in. */
export function markUnlocked(): void {
  clearLock()
  postToWindows({ kind: 'session' })
}

/** Nobody is signed in: there is nothing to lock. */
export function clearLock(): void {
  clearTimeout(retryTimer)
  if (isLockedHere) set(false, false)
}

/**
 * What a locked window must not show beside itself: images in windows of their own, and messages
 * that may name somebody.
 */
export function closePatientContent(): void {
  closeImagesWindow()
  closeWatchedWindows()
  clearUndo()
}

/**
 * A browser tells of the mouse too when what is under it changes. What other windows tell is no
 * event of the browser's own.
 */
const isUnmovedMouse = (event: Event): boolean =>
  event.isTrusted &&
  event.type === 'mousemove' &&
  event instanceof MouseEvent &&
  event.movementX === 0 &&
  event.movementY === 0

/**
 * Locks the window when nobody uses this browser for as long as the setting says, and when another
 * window is locked.
 */
export function useLockWhenIdle(isOn: boolean, minutes: number): void {
  useEffect(() => {
    if (!isOn) return
    const watch = openIdleWatch({
      now: Date.now,
      limit: minutes * 60_000,
      tell: (at) => postToWindows({ kind: 'use', at }),
      onIdle: lockWindow,
    })
    const stop = onWindowMessage((news) => news.kind === 'use' && watch.usedElsewhere(news.at))
    let lastReportAt = Date.now()
    // The gateway locks a session that nobody uses, too: who only reads tells it that somebody is
    // here.
    const checkActivity = () => {
      watch.look()
      noteUserActivity(watch.lastUse())
      if (
        watch.lastUse() <= lastReportAt ||
        Date.now() - lastReportAt < ACTIVITY_REPORT_INTERVAL_MS
      )
        return
      lastReportAt = Date.now()
      void call(dashboard.session, {}).catch(() => undefined)
    }
    const timer = setInterval(checkActivity, IDLE_CHECK_INTERVAL_MS)
    const used = (event: Event) => {
      if (!isUnmovedMouse(event)) watch.used()
    }
    for (const sign of SIGNS)
      document.addEventListener(sign, used, { passive: true, capture: true })
    document.addEventListener('visibilitychange', watch.look)
    return () => {
      stop()
      clearInterval(timer)
      for (const sign of SIGNS) document.removeEventListener(sign, used, { capture: true })
      document.removeEventListener('visibilitychange', watch.look)
    }
  }, [isOn, minutes])
}

/** Follows what other windows of this browser say of the session. */
export function useSessionSync(): void {
  useEffect(() => {
    // It was reloaded before the gateway was told.
    if (isLockedHere && !isGatewayNotified) void lockSession()
    return onWindowMessage((news) => {
      if (news.kind === 'lock' && !isLockedHere) {
        set(true, false)
        void lockSession()
      }
      if (news.kind !== 'session') return
      clearLock()
      void queryClient.invalidateQueries({ queryKey: keyOf(dashboard.session) })
    })
  }, [])
}
