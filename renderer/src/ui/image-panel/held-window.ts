/** The images window that this window has opened, and the study in it. */
export const imagesWindow: { held: { readonly child: Window; of: string } | null } = { held: null }

export function closeImagesWindow(): void {
  imagesWindow.held?.child.close()
  imagesWindow.held = null
}

// A page that is loaded again knows nothing of its windows: one that was left open would stay at
// its study.
globalThis.addEventListener?.('pagehide', closeImagesWindow)
