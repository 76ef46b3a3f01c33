import type { LinkMode } from './viewer-store.ts'
import { LINK_MODES } from './viewer-store.ts'

/** What one window of a view tells the others. */
export type WindowMessage =
  /** It has opened, and asks the others what they show. */
  | { readonly kind: 'hello' }
  | ({ readonly kind: 'shows' } & OtherWindowState)
  /** A person has scrolled a stack to an image, both from 0; `anchor` as in `ScrollAnchor`. */
  | {
      readonly kind: 'scrolled'
      readonly seriesKey: string
      readonly index: number
      readonly anchor: number
    }
  /** How panes follow one another was changed. */
  | { readonly kind: 'linked'; readonly link: LinkMode }
  /** Drawings on a study were saved. */
  | { readonly kind: 'drawn'; readonly studyInstanceUid: string }
  /** It is being closed; the others go on. */
  | { readonly kind: 'left' }
  /** The view was ended, for all windows. */
  | { readonly kind: 'ended' }

/** What another window shows: keys of series, and the one that a person is at. */
export interface OtherWindowState {
  readonly series: readonly string[]
  readonly active: string | null
}

/** The windows of one view in one browser. For `useSyncExternalStore`. */
export interface Windows {
  /** The other windows that are open, by an id of each. The same map until something changes. */
  others(): ReadonlyMap<string, OtherWindowState>
  subscribe(listener: () => void): () => void
  post(message: WindowMessage): void
  /** Told of every message of another window. @returns the way to stop */
  onMessage(listener: (message: WindowMessage) => void): () => void
}

type Channel = Pick<BroadcastChannel, 'postMessage'> & {
  onmessage: ((event: MessageEvent) => void) | null
}

/**
 * Joins the windows of a view.
 * @param channel reaches the other windows, and not this one
 */
export function openWindows(channel: Channel, id: string): Windows {
  let others: ReadonlyMap<string, OtherWindowState> = new Map()
  const listeners = new Set<() => void>()
  const messageListeners = new Set<(message: WindowMessage) => void>()
  const setOthers = (next: ReadonlyMap<string, OtherWindowState>) => {
    others = next
    for (const listener of listeners) listener()
  }
  const post = (message: WindowMessage) => channel.postMessage({ from: id, message })
  channel.onmessage = ({ data }) => {
    const { from, message } = (data ?? {}) as { from?: unknown; message?: unknown }
    if (typeof from !== 'string' || !isWindowMessage(message)) return
    if (message.kind === 'shows') {
      const { series, active } = message
      setOthers(new Map(others).set(from, { series, active }))
    }
    if (message.kind === 'left') {
      const rest = new Map(others)
      rest.delete(from)
      setOthers(rest)
    }
    for (const listener of messageListeners) listener(message)
  }
  post({ kind: 'hello' })
  return {
    others: () => others,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    post,
    onMessage(listener) {
      messageListeners.add(listener)
      return () => messageListeners.delete(listener)
    },
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isIndex = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

/** Whether it is a message of this version: a window that was open during an update has another. */
function isWindowMessage(given: unknown): given is WindowMessage {
  const message = (given ?? {}) as Record<string, unknown>
  switch (message.kind) {
    case 'hello':
    case 'left':
    case 'ended':
      return true
    case 'shows':
      return (
        Array.isArray(message.series) &&
        message.series.every(isText) &&
        (message.active === null || isText(message.active))
      )
    case 'scrolled':
      return isText(message.seriesKey) && isIndex(message.index) && isIndex(message.anchor)
    case 'linked':
      return LINK_MODES.some((link) => link === message.link)
    case 'drawn':
      return isText(message.studyInstanceUid)
    default:
      return false
  }
}
