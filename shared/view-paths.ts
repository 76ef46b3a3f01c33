/** Paths that answer with bytes, for whoever builds their addresses. `frame` is from 1. */
export const viewPaths = {
  page: (viewId: string) => `/viewer#${viewId}`,
  images: (viewId: string) => `/viewer/${viewId}/images`,
  /** `application/octet-stream; transfer-syntax=UID`: one frame as it is stored. */
  frame: (viewId: string, sopInstanceUid: string, frame: number) =>
    `/viewer/${viewId}/instances/${encodeURIComponent(sopInstanceUid)}/frames/${frame}`,
  media: (viewId: string, mediaId: number) => `/viewer/${viewId}/media/${mediaId}`,
} as const

/** Path below which a view's own cookie comes. */
export const viewPrefix = (viewId: string) => `/viewer/${viewId}`
