import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardImages } from '#shared/contract/images.ts'

/** Who may make which of these calls; what a member may do of them is the domain's to say, by flags and customers (row 52). */
export const IMAGES_PERMISSIONS = {
  list: 'signed-in',
  read: 'signed-in',
  reviewVersions: 'signed-in',
  restoreVersion: 'signed-in',
  retryEnrichment: 'signed-in',
  quarantine: 'signed-in',
  releaseInstance: 'signed-in',
  discardInstance: 'signed-in',
  quarantineGroups: 'signed-in',
  releaseGroup: 'signed-in',
  discardGroup: 'signed-in',
  recoveredFiles: 'signed-in',
  importRecovered: 'signed-in',
  discardRecovered: 'signed-in',
} as const satisfies { readonly [K in keyof typeof dashboardImages]: Access }

/** Calls that an open window repeats by itself with each piece of news: they do not keep a session awake. */
export const IMAGES_BACKGROUND = [
  'list',
  'read',
  'quarantine',
  'quarantineGroups',
  'recoveredFiles',
] as const satisfies readonly (keyof typeof dashboardImages)[]
