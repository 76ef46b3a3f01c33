/**
 * What windows of this browser tell each other. `session`: somebody signed in or out, or unlocked
 * it. `confirmed`: the person showed at the identity provider who they are; `provider-closed`: the
 * window for it closes. Nothing about a patient.
 */
type WindowMessage =
  | { readonly kind: 'use'; readonly at: number }
  | { readonly kind: 'lock' }
  | { readonly kind: 'session' }
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'provider-closed' }

const channel = globalThis.BroadcastChannel && new BroadcastChannel('isthmus-window')

/** Tells the other windows; this one does not hear it. */
export const postToWindows = (message: WindowMessage): void => channel?.postMessage(message)

/** Hears the other windows until the function it gives is called. */
export function onWindowMessage(listener: (message: WindowMessage) => void): () => void {
  const listen = (event: MessageEvent<WindowMessage>) => listener(event.data)
  channel?.addEventListener('message', listen)
  return () => channel?.removeEventListener('message', listen)
}
