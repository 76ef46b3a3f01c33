import { lazyRouteComponent } from '@tanstack/react-router'
import { loadPart } from '../../i18n/messages.ts'

/**
 * A screen's program could not be loaded: the gateway does not answer, or has another version of
 * it.
 */
export class ScreenLoadError extends Error {
  override name = 'ScreenLoadError'
  /** Tries again; resolves with whether it is there now. */
  readonly retry: () => Promise<boolean>
  constructor(cause: unknown, retry: () => Promise<boolean>) {
    super('A screen of the window could not be loaded.', { cause })
    this.retry = retry
  }
}

/**
 * A screen that is loaded when it is gone to, after the part of the catalogue that has its texts. The router would load the page anew where that fails,
 * and so lose it when the gateway is away.
 */
export function lazyScreen<M extends Record<string, unknown>, N extends keyof M & string>(
  load: () => Promise<M>,
  name: N,
  texts: 'first' | 'others' = 'others',
) {
  let failures = 0
  const screen = lazyRouteComponent(async () => {
    try {
      await loadPart(texts)
      return await load()
    } catch (cause) {
      failures += 1
      throw new ScreenLoadError(cause, retry)
    }
  }, name)
  // The component forgets it once it is loaded.
  const { preload } = screen
  const retry = async () => {
    const before = failures
    await preload?.()
    return failures === before
  }
  return screen
}
