import type { Targets } from '../worker.ts'

/** What is fed, by name. */
export const TARGETS: Targets = {
  pdu: async () => (await import('./pdu.ts')).pdu,
  'data-set': async () => (await import('./data-set.ts')).dataSet,
  part10: async () => (await import('./part10.ts')).part10,
  matching: async () => (await import('./matching.ts')).matching,
  'person-names': async () => (await import('./person-names.ts')).personNames,
  'partner-answers': async () => (await import('./partner-answers.ts')).partnerAnswers,
  manifests: async () => (await import('./manifests.ts')).manifests,
  association: async () => (await import('./association.ts')).association,
  cursors: async () => (await import('./cursors.ts')).cursors,
  json: async () => (await import('./json.ts')).json,
}
export const TARGET_NAMES: readonly string[] = Object.keys(TARGETS)
