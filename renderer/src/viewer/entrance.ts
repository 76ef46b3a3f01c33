import { type View, viewing } from '#shared/contract/viewing.ts'
import { viewBase, viewPaths } from '#shared/view-paths.ts'
import { type Call, type ProblemCode, ProblemError } from '../api/client.ts'

/**
 * How somebody came to this page: with the token of a link, to a view that is open already, or
 * without either.
 */
type Entrance =
  | { readonly by: 'token'; readonly token: string }
  | { readonly by: 'view'; readonly viewId: string }
  | { readonly by: 'nothing' }

/** What an address says. A token counts before a view: the link was just followed. */
export function entranceOf(address: { readonly search: string; readonly hash: string }): Entrance {
  const token = new URLSearchParams(address.search).get('token') ?? ''
  if (token !== '') return { by: 'token', token }
  const viewId = address.hash.replace(/^#/, '')
  return /^[0-9a-f-]{36}$/i.test(viewId) ? { by: 'view', viewId } : { by: 'nothing' }
}

/**
 * What became of it. `sentence`, in the language of the page, says why; `isFinal`: asking again would not
 * help.
 */
export type OpeningState =
  | { readonly state: 'open'; readonly view: View }
  /** The page is being left for the window's reading screen. */
  | { readonly state: 'leaving' }
  | {
      readonly state: 'closed'
      readonly why: ClosedReason
      readonly sentence: string
      readonly isFinal: boolean
      readonly error?: ProblemError
    }
type ClosedReason = 'nothing' | 'link' | 'view' | 'unreachable' | 'browser' | 'broken'

export interface EntranceActions {
  readonly call: Call
  /** Puts another address in the bar, without loading anything. */
  readonly rename: (address: string) => void
  /** Loads another page in the place of this one. */
  readonly leaveFor: (address: string) => void
}

/**
 * Goes in: a token is used up, and the address names the view alone from then on, so that a reload
 * goes on by the cookie. A view for dictation goes on in the reading screen, which has these images
 * beside.
 */
export async function enter(entrance: Entrance, world: EntranceActions): Promise<OpeningState> {
  const { call, rename, leaveFor } = world
  if (entrance.by === 'nothing')
    return { state: 'closed', why: 'nothing', sentence: '', isFinal: true }
  try {
    if (entrance.by === 'view')
      return {
        state: 'open',
        view: await call(viewing.read, { params: { viewId: entrance.viewId } }),
      }
    const view = await call(viewing.open, { body: { token: entrance.token } })
    // The window, which has the reading screen, is not part of the sandbox.
    if (view.mayDictate && viewBase === '') {
      leaveFor(`/#/linked/${view.viewId}`)
      return { state: 'leaving' }
    }
    rename(viewPaths.page(view.viewId))
    return { state: 'open', view }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const why =
      error.code === 'unreachable' ? 'unreachable' : entrance.by === 'token' ? 'link' : 'view'
    return {
      state: 'closed',
      why,
      sentence: error.message,
      isFinal: !RETRYABLE_CODES.has(error.code),
      error,
    }
  }
}

/** Failures that pass by themselves. */
const RETRYABLE_CODES: ReadonlySet<ProblemCode> = new Set([
  'unreachable',
  'unavailable',
  'too-many',
  'internal',
])
export const isTransient = (code: ProblemCode): boolean => RETRYABLE_CODES.has(code)
