import { ViewedFileFault, type ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { isPassing } from './faults.ts'
import { faultSentence, LeftOut, loadFile } from './file-loading.ts'
import type { ImageFile } from './image-file.ts'
import { loadQueue } from './load-queue.ts'
import { contentOf } from './manifest-instances.ts'
import { manifestMatch } from './manifest-match.ts'
import { isDocument, type MediaFiles } from './media.ts'
import type { OpenFiles } from './open-files.ts'
import { partnerAnswer } from './partner-answer.ts'
import { imageOf, isStill, type PartnerFile, partnerFile } from './partner-file.ts'
import { MOST_FILES, tellMissing, tellNotes, urlsToLoad } from './partner-files.ts'
import { isSameFile } from './same-file.ts'
import type { ShownStudies } from './shown-studies.ts'
import { identitiesOf, matchedAnew } from './url-identity.ts'
import type { ViewCache } from './view-cache.ts'
import type { AccessAnswer } from './view-images.ts'
import type { ViewList } from './view-list.ts'

/** How long a page takes from a frame to its picture. */
const DRAWN_MS = 400

export interface PartnerImagesDeps {
  readonly downloads: Pick<Downloads, 'stream'>
  readonly cache: ViewCache
  readonly openFiles: OpenFiles
  readonly pausesMs: readonly number[]
  /**
   * Milliseconds after which the files are loaded at full speed though no image of them was asked
   * for.
   */
  readonly startMs: number
  readonly list: ViewList
  readonly shown: ShownStudies
  readonly media: MediaFiles
  /** The study that was asked for; null: any may come. */
  readonly studyInstanceUid: string | null
  /** The archive's own file of an instance wins. */
  readonly inArchive: (sopInstanceUid: string) => boolean
  /** Whether anybody waits for what is not asked for by a person. */
  readonly isWanted: () => boolean
  /** The view goes on. */
  readonly signal: AbortSignal
}

/** The images of a study, or of an ephemeral session, that a partner has. */
export interface PartnerImages {
  readonly files: number
  /** Those that have come, or have failed. */
  readonly read: number
  find(sopInstanceUid: string): ImageFile | undefined
  /** It is needed now, where it may still come. Returns what takes that back. */
  urge(sopInstanceUid: string): () => void
  /** There is somebody to load for again. */
  wake(): void
  /** As `wake`; files that the network failed are tried anew. */
  go(): void
  /** The view is over. */
  close(): void
}

export async function partnerImages(
  deps: PartnerImagesDeps,
  first: AccessAnswer,
  ask: () => Promise<AccessAnswer>,
): Promise<PartnerImages> {
  const { list, shown, media, studyInstanceUid, inArchive, openFiles, signal } = deps
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
    shown.show({ header, source: 'partner' })
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

  const loading = {
    ...deps,
    answer,
    headerCame(file: PartnerFile, header: ViewedHeader) {
      check(file, header)
      if (!bySop.has(header.instance.sopInstanceUid)) take(file, header)
    },
    async fileCame(
      file: PartnerFile,
      header: ViewedHeader,
      path: string,
      fault: string | undefined,
    ) {
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
    await loadFile(loading, file).catch((error) => fail(file, error))
    settle(file)
  }, deps.isWanted)

  let start: NodeJS.Timeout | undefined = setTimeout(() => queue.speedUp(), deps.startMs).unref()
  let isAsked = false
  /** A picture was given: once it is on the screen, the rest may come at full speed. */
  function given<T>(found: T): T {
    if (isAsked) return found
    isAsked = true
    clearTimeout(start)
    start = setTimeout(() => queue.speedUp(), Math.min(DRAWN_MS, deps.startMs)).unref()
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
    get read() {
      return read
    },
    find(sopInstanceUid) {
      const file = bySop.get(sopInstanceUid) ?? faultyOf(sopInstanceUid)
      return file && imageFile(file)
    },
    urge(sopInstanceUid) {
      const index = match.urlOf(sopInstanceUid)
      const file = index === undefined ? undefined : files[index]
      return file && !file.isSettled ? queue.urge(file.index) : () => undefined
    },
    wake: queue.go,
    go() {
      for (const file of files) {
        if (!file.isPassing) continue
        list.faults.drop(nameOf(file))
        Object.assign(file, { fault: '', isPassing: false, isSettled: false })
        read--
        queue.add(file.index)
      }
      queue.go()
    },
    close() {
      clearTimeout(start)
      for (const { hold } of files) {
        if (!hold) continue
        openFiles.drop(hold.path)
        hold.release()
      }
    },
  }
}
