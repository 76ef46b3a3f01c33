/** The images window that this window has opened, and the study in it. */
export const imagesWindow: { current: { readonly child: Window; of: string } | null } = {
  current: null,
}

export function closeImagesWindow(): void {
  imagesWindow.current?.child.close()
  imagesWindow.current = null
}

// A page that is loaded again knows nothing of its windows: one that was left open would stay at
// its study.
globalThis.addEventListener?.('pagehide', closeImagesWindow)
