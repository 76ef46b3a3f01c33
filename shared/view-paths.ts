/** Paths that return bytes. `frame` starts from 1. */
export const viewPaths = {
  page: (viewId: string) => `/viewer#${viewId}`,
  images: (viewId: string) => `/viewer/${viewId}/images`,
  /** `application/octet-stream; transfer-syntax=UID`: one frame in its stored encoding. */
  frame: (viewId: string, sopInstanceUid: string, frame: number) =>
    `/viewer/${viewId}/instances/${encodeURIComponent(sopInstanceUid)}/frames/${frame}`,
  /** `application/dicom`: the file of an instance. */
  file: (viewId: string, sopInstanceUid: string) =>
    `/viewer/${viewId}/instances/${encodeURIComponent(sopInstanceUid)}/file`,
  media: (viewId: string, mediaId: number) => `/viewer/${viewId}/media/${mediaId}`,
} as const

/** The path to which the cookie of a view is limited. */
export const viewPrefix = (viewId: string) => `/viewer/${viewId}`
