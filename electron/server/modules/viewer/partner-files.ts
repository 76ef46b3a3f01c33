import type { Manifest } from '#server/webhooks/manifest.ts'
import { countText } from './faults.ts'
import type { ViewList } from './view-list.ts'

/** More are no study: the others are left out. */
export const MOST_FILES = 20_000

/** The URLs that are loaded, each once. */
export function urlsToLoad(
  urls: readonly string[],
  list: Pick<ViewList, 'faults'>,
  studyInstanceUid: string | null,
): string[] {
  const once = [...new Set(urls)]
  if (once.length > MOST_FILES) {
    const sentence = `It named ${countText(once.length)} files: the first ${countText(MOST_FILES)} are loaded, the others are left out.`
    list.faults.add({ level: 'warning', what: 'The partner', sentence, studyInstanceUid })
  }
  return once.slice(0, MOST_FILES)
}

/** What a manifest has and no file was: told by series. */
export function tellMissing(
  manifests: readonly Manifest[],
  isHere: (sopInstanceUid: string) => boolean,
  { faults }: Pick<ViewList, 'faults'>,
): void {
  for (const { studyInstanceUID, series } of manifests) {
    for (const { sops, seriesNumber } of series) {
      const what = `Series ${seriesNumber} of the manifest`
      faults.drop(what)
      const missing = sops.filter(({ sopInstanceUID }) => !isHere(sopInstanceUID)).length
      if (missing === 0) continue
      const sentence = `${countText(missing)} of its ${countText(sops.length)} images did not come.`
      faults.add({ level: 'warning', what, sentence, studyInstanceUid: studyInstanceUID })
    }
  }
}

/** What was left out of the answer when it was read. */
export function tellNotes(
  notes: readonly string[],
  { faults }: Pick<ViewList, 'faults'>,
  studyInstanceUid: string | null,
): void {
  for (const note of notes)
    faults.add({
      level: 'note',
      what: note.startsWith('manifest') ? 'The manifest' : 'The partner',
      sentence: note,
      studyInstanceUid,
    })
}
