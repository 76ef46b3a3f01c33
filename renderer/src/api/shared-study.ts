import { viewPrefix } from '#shared/view-paths.ts'

/**
 * The view that a link for dictation has opened, as the address of its page says:
 * `#/linked/VIEW-ID`; null in the window itself.
 */
export const linkedViewOf = (hash: string): string | null =>
  /^#\/linked\/([0-9a-f-]{36})$/i.exec(hash)?.[1] ?? null

/** Of this page, for as long as it lives: who came by a link stays in its study. */
export const linkedViewId: string | null = linkedViewOf(globalThis.location?.hash ?? '')

/**
 * A path of the window as a page calls it: for who came by a link, below the view, where its cookie
 * comes.
 */
export const pathWithin = (viewId: string | null, path: string): string =>
  viewId !== null && path.startsWith('/dashboard/') ? viewPrefix(viewId) + path : path

/** The path of this page's own call. */
export const ownPath = (path: string): string => pathWithin(linkedViewId, path)
