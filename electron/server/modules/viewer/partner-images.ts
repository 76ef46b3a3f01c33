import { ViewedFileFault, type ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Manifest } from '#server/webhooks/manifest.ts'
import type { AccessAnswer } from './access-asking.ts'
import type { ImageFile } from './image-file.ts'
import { countText, type ViewList } from './list.ts'
import { loadQueue } from './load-queue.ts'
import { contentOf, manifestMatch } from './manifest.ts'
import { isDocument } from './media.ts'
import { isSameFile } from './open-files.ts'
import { identitiesOf, isPassing, matchedAnew, partnerAnswer } from './partner-answer.ts'
import {
  faultSentence,
  imageOf,
  isStill,
  LeftOut,
  type Loading,
  loadFile,
  type PartnerFile,
  partnerFile,
} from './partner-file.ts'
import type { ViewScope } from './scope.ts'

/** How long a page takes from a frame to its picture. */
const DRAWN_MS = 400

export type PartnerImages = Awaited<ReturnType<typeof partnerImages>>

/**
 * The images of a study, or of an ephemeral session, that a partner has.
 * @param studyInstanceUid the study that was asked for; null: any may come
 * @param inArchive the archive's own file of an instance wins
 * @param ask asks the partner again
 */
export async function partnerImages(
  scope: ViewScope,
  studyInstanceUid: string | null,
  inArchive: (sopInstanceUid: string) => boolean,
  first: AccessAnswer,
  ask: () => Promise<AccessAnswer>,
) {
  const { list, shown, media, openFiles, signal } = scope
  const urls = urlsToLoad(first.urls, list, studyInstanceUid)
  const identities = identitiesOf(urls)
  const files = urls.map((url, index) => partnerFile(index, url))
  const match = manifestMatch(urls, first.manifests, inArchive)
  const bySop = new Map<string, PartnerFile>()
  let read = 0
  const nameOf = ({ index }: PartnerFile) => `Image ${index + 1} of ${files.length}`

  const answer = partnerAnswer(first, ask, (second) => {
    for (const [index, url] of matchedAnew(identities, [...new Set(second.urls)]).entries()) {
      const file = files[index]
      if (file && url !== undefined) Object.assign(file, { url, generation: 1 })
    }
  })

  function check(file: PartnerFile, header: ViewedHeader): void {
    const { sopInstanceUid, studyInstanceUid: of } = header.instance
    if (studyInstanceUid !== null && of !== studyInstanceUid)
      throw new ViewedFileFault(
        'It is of another study than the one that was asked for, and is not shown.',
      )
    if (inArchive(sopInstanceUid)) throw new LeftOut()
    if (!isStill(file, header)) throw new ViewedFileFault('It is another image than it was before.')
  }

  function take(file: PartnerFile, header: ViewedHeader): void {
    if (file.sopInstanceUid !== '') return
    file.sopInstanceUid = header.instance.sopInstanceUid
    bySop.set(file.sopInstanceUid, file)
    shown.show(header, 'partner')
    if (isDocument(header))
      media.addDocument(imageOf(file, openFiles, () => queue.urge(file.index)))
  }

  /** Of two files of one instance the first is shown, as long as it can be. */
  async function yieldTo(other: PartnerFile, path: string): Promise<void> {
    while (!other.isSettled) await other.watch.next(signal)
    if (other.fault !== '') return
    if (!other.hold || (await isSameFile(path, other.hold.path))) throw new LeftOut()
    throw new ViewedFileFault(
      'Another image has the same UID and differs from it: it is not shown.',
    )
  }

  const loading: Loading = {
    answer,
    studyInstanceUid,
    headerCame(file, header) {
      check(file, header)
      if (!bySop.has(header.instance.sopInstanceUid)) take(file, header)
    },
    async fileCame(file, header, path, fault) {
      check(file, header)
      const other = bySop.get(header.instance.sopInstanceUid) ?? file
      if (other !== file) await yieldTo(other, path)
      take(file, header)
      const { sopInstanceUid, studyInstanceUid: of } = header.instance
      if (fault)
        list.faults.add({
          level: 'warning',
          what: nameOf(file),
          sentence: fault,
          studyInstanceUid: of,
          sopInstanceUid,
        })
    },
  }

  function fail(file: PartnerFile, error: unknown): void {
    if (signal.aborted) return
    if (error instanceof LeftOut) {
      // It came into the archive while the view was open, and whoever waits finds it there.
      if (file.sopInstanceUid !== '') file.fault = 'It is in the archive by now: try again.'
      return
    }
    file.fault = faultSentence(error)
    file.isPassing = isPassing(error)
    const sopInstanceUid = file.sopInstanceUid || null
    list.faults.add({
      level: 'warning',
      what: nameOf(file),
      sentence: file.fault,
      studyInstanceUid,
      sopInstanceUid,
    })
  }

  function settle(file: PartnerFile): void {
    if (!file.isSettled) {
      file.isSettled = true
      read++
    }
    file.watch.changed()
    if (read === files.length)
      tellMissing(first.manifests, (uid) => bySop.has(uid) || inArchive(uid), list)
    list.watch.changed()
  }

  const queue = loadQueue(async (index) => {
    const file = files[index]
    if (!file || file.hold || file.fault !== '' || signal.aborted) return
    await loadFile(scope, loading, file).catch((error) => fail(file, error))
    settle(file)
  }, scope.isWanted)

  let start: NodeJS.Timeout | undefined = setTimeout(() => queue.speedUp(), scope.startMs).unref()
  let isAsked = false
  /** A picture was given: once it is on the screen, the rest may come at full speed. */
  function given<T>(found: T): T {
    if (isAsked) return found
    isAsked = true
    clearTimeout(start)
    start = setTimeout(() => queue.speedUp(), Math.min(DRAWN_MS, scope.startMs)).unref()
    return found
  }

  function imageFile(file: PartnerFile): ImageFile {
    const image = imageOf(file, openFiles, () => queue.urge(file.index))
    return { ...image, frame: (number, signal) => image.frame(number, signal).then(given) }
  }

  /** The file that was to be the instance, and cannot be read: whoever waits for it is told why. */
  function faultyOf(sopInstanceUid: string): PartnerFile | undefined {
    const file = files[match.urlOf(sopInstanceUid) ?? files.length]
    return file && file.fault !== '' && file.sopInstanceUid === '' ? file : undefined
  }

  tellNotes(first.notes, list, studyInstanceUid)
  media.addLinks(answer)
  let listed = 0
  for (const manifest of first.manifests) {
    const { series, instances } = contentOf(manifest)
    shown.announce(manifest.studyInstanceUID, false, studyInstanceUid !== null)
    for (const one of series) list.putSeries(one)
    for (const instance of instances) {
      if (listed++ >= MOST_FILES) break
      // What a file says stands: one of another study, too, that has the same UID.
      if (!inArchive(instance.sopInstanceUid) && !list.instance(instance.sopInstanceUid))
        list.putInstance(instance)
      if (listed % 1000 === 0) await new Promise(setImmediate)
    }
  }
  for (const file of files) {
    const named = match.namedBy(file.index)
    if (named !== undefined && inArchive(named)) settle(file)
    else queue.add(file.index)
  }

  return {
    files: files.length,
    /** Those that have come, or have failed. */
    get read() {
      return read
    },
    find(sopInstanceUid: string) {
      const file = bySop.get(sopInstanceUid) ?? faultyOf(sopInstanceUid)
      return file && imageFile(file)
    },
    /** It is needed now, where it may still come. Returns what takes that back. */
    urge(sopInstanceUid: string) {
      const index = match.urlOf(sopInstanceUid)
      const file = index === undefined ? undefined : files[index]
      return file && !file.isSettled ? queue.urge(file.index) : () => undefined
    },
    /** There is somebody to load for again. */
    wake: queue.go,
    /** As `wake`; files that the network failed are tried anew. */
    go(): void {
      for (const file of files) {
        if (!file.isPassing) continue
        list.faults.drop(nameOf(file))
        Object.assign(file, { fault: '', isPassing: false, isSettled: false })
        read--
        queue.add(file.index)
      }
      queue.go()
    },
    /** The view is over. */
    close(): void {
      clearTimeout(start)
      for (const { hold } of files) {
        if (!hold) continue
        openFiles.drop(hold.path)
        hold.release()
      }
    },
  }
}

/** More are no study: the others are left out. */
const MOST_FILES = 20_000

/** The URLs that are loaded, each once. */
function urlsToLoad(
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
function tellMissing(
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
