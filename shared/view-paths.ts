interface Page {
  readonly location?: { readonly pathname: string }
}

/** What precedes the paths of a view: `/sandbox` on a page that a link of the sandbox opened. */
export const viewBase = (globalThis as Page).location?.pathname.startsWith('/sandbox/')
  ? '/sandbox'
  : ''

/** Paths that return bytes. `frame` starts from 1. */
export const viewPaths = {
  page: (viewId: string) => `${viewBase}/viewer#${viewId}`,
  images: (viewId: string) => `${viewBase}/viewer/${viewId}/images`,
  /** `application/octet-stream; transfer-syntax=UID`: one frame in its stored encoding. */
  frame: (viewId: string, sopInstanceUid: string, frame: number) =>
    `${viewBase}/viewer/${viewId}/instances/${encodeURIComponent(sopInstanceUid)}/frames/${frame}`,
  /** `application/dicom`: the file of an instance. */
  file: (viewId: string, sopInstanceUid: string) =>
    `${viewBase}/viewer/${viewId}/instances/${encodeURIComponent(sopInstanceUid)}/file`,
  media: (viewId: string, mediaId: number) => `${viewBase}/viewer/${viewId}/media/${mediaId}`,
} as const

/** The path to which the cookie of a view is limited. */
export const viewPrefix = (viewId: string) => `/viewer/${viewId}`
