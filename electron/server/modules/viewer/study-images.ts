import type { Context } from '#server/context.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { type ArchiveImages, archiveImages } from './archive-images.ts'
import { sentenceOf } from './faults.ts'
import type { ImageFile } from './image-file.ts'
import { tellNotes } from './partner-files.ts'
import { type PartnerImages, type PartnerImagesDeps, partnerImages } from './partner-images.ts'
import type { AccessAnswer } from './view-images.ts'
import type { Progress } from './view-list.ts'

/** A partner that gave nothing is asked again by whoever looks again, but not at once. */
const AGAIN_AFTER_MS = 5000

export interface StudyImagesDeps extends Omit<PartnerImagesDeps, 'inArchive'> {
  readonly store: Context
  readonly clock: () => number
  readonly isPrior: boolean
  /** Undefined: it is no study that a partner could be asked for. */
  readonly ask: (() => Promise<AccessAnswer>) | undefined
}

/**
 * The images of one study of a view, or of its ephemeral session: from the archive, and what it
 * lacks from the partner.
 */
export interface StudyImages extends Progress {
  /** There is somebody to load for again. */
  wake(): void
  /** Begins; or tries again, where it is over and there was nothing or something has failed. */
  go(): void
  find(sopInstanceUid: string): ImageFile | undefined
  /** It is needed now. Returns what takes that back. */
  urge(sopInstanceUid: string): () => void
  close(): void
}

const noTaker = (event: string) =>
  `no endpoint takes ${event}: an administrator sets one up under Partner`
const NO_IMAGES = 'There are no images of this study in the archive'

export function studyImages(deps: StudyImagesDeps): StudyImages {
  const { store, clock, list, shown, studyInstanceUid, signal, ask } = deps
  const archive: ArchiveImages | undefined =
    studyInstanceUid === null ? undefined : archiveImages({ ...deps, studyInstanceUid })
  let partner: PartnerImages | undefined
  let state: 'new' | 'asking' | 'loading' | 'over' = 'new'
  let failedAt: number | undefined

  const tell = (level: 'warning' | 'note', what: string, sentence: string) =>
    list.faults.add({ level, what, sentence, studyInstanceUid })
  const become = (next: typeof state) => {
    state = next
    list.watch.changed()
  }

  async function readArchive(): Promise<void> {
    if (studyInstanceUid === null) return
    shown.announce(studyInstanceUid, deps.isPrior)
    shown.tellIdentity(studyInstanceUid)
    await archive?.run()
    shown.tellIdentity(studyInstanceUid)
    if (store.imageStudies.get(studyInstanceUid)?.state === 'receiving')
      tell(
        'note',
        'The archive',
        'Images of this study are still coming in: reload the page to see those that came later.',
      )
  }

  function isEnough(): boolean {
    if (studyInstanceUid === null || !archive?.hasReceived) return false
    return (store.imageStudies.get(studyInstanceUid)?.missing ?? 0) === 0
  }

  async function askPartner(): Promise<void> {
    if (!ask) {
      if (!archive?.files)
        tell(
          'warning',
          'The images',
          `${NO_IMAGES}, and it is no study that a partner could be asked for.`,
        )
      return
    }
    become('asking')
    try {
      const answer = await ask()
      if (answer.urls.length === 0 && answer.media.length === 0) {
        failedAt = clock()
        tellNotes(answer.notes, list, studyInstanceUid)
        if (!archive?.files)
          tell('warning', 'The partner', 'It answered that there are no images of this study.')
        return
      }
      become('loading')
      partner = await partnerImages(
        { ...deps, inArchive: (uid) => archive?.has(uid) ?? false },
        answer,
        ask,
      )
      if (signal.aborted) partner.close()
    } catch (error) {
      if (signal.aborted || !(error instanceof WebhookError)) throw error
      failedAt = clock()
      if (error.fault === 'no-endpoint') tellNoEndpoint()
      else tell('warning', 'The partner', sentenceOf(error))
    }
  }

  function tellNoEndpoint(): void {
    const missing =
      studyInstanceUid === null ? 0 : (store.imageStudies.get(studyInstanceUid)?.missing ?? 0)
    if (archive?.files) {
      if (missing > 0)
        tell('warning', 'The archive', `${missing} of the announced images have not come.`)
    } else if (studyInstanceUid === null)
      tell(
        'warning',
        'The images',
        `They cannot be asked for, since ${noTaker('ephemeral.access_requested')}.`,
      )
    else tell('warning', 'The images', `${NO_IMAGES}, and ${noTaker('study.access_requested')}.`)
  }

  async function run(): Promise<void> {
    try {
      become('loading')
      await readArchive()
      if (!partner && !isEnough()) await askPartner()
    } catch {
      // Of the store or the disk, or the view is over: it is told, and can be tried again.
      if (signal.aborted) return
      failedAt = clock()
      tell(
        'warning',
        'The images',
        'They could not be listed: reload the page, and see the log of the gateway if that does not help.',
      )
    } finally {
      become('over')
    }
  }

  return {
    get state() {
      if (state === 'new' || state === 'loading') return 'loading'
      if (state === 'asking') return 'asking'
      return partner && partner.read < partner.files ? 'loading' : 'done'
    },
    get files() {
      return (archive?.files ?? 0) + (partner?.files ?? 0)
    },
    get read() {
      return (archive?.read ?? 0) + (partner?.read ?? 0)
    },
    go() {
      if (state === 'new') return void run()
      if (state !== 'over') return
      partner?.go()
      const isDue = failedAt !== undefined && clock() - failedAt >= AGAIN_AFTER_MS
      if (!isDue && !archive?.isChanged) return
      failedAt = undefined
      for (const what of ['The images', 'The archive']) list.faults.drop(what)
      if (!partner) list.faults.drop('The partner')
      void run()
    },
    wake: () => partner?.wake(),
    find: (sopInstanceUid) => archive?.find(sopInstanceUid) ?? partner?.find(sopInstanceUid),
    urge: (sopInstanceUid) => partner?.urge(sopInstanceUid) ?? (() => undefined),
    close() {
      archive?.close()
      partner?.close()
    },
  }
}
