import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { AccessAnswer } from './access-asking.ts'
import { archiveImages } from './archive-images.ts'
import type { Progress } from './list.ts'
import { type PartnerImages, partnerImages, tellNotes } from './partner-images.ts'
import type { ViewScope } from './scope.ts'

/** A partner that gave nothing is asked again by whoever looks again, but not at once. */
const AGAIN_AFTER_MS = 5000

const noTaker = (event: string) =>
  `no endpoint takes ${event}: an administrator sets one up under Partner`
const NO_IMAGES = 'There are no images of this study in the archive'

export type StudyImages = ReturnType<typeof studyImages>

/**
 * The images of one study of a view, or of its ephemeral session: from the archive, and what it
 * lacks from the partner.
 * @param ask undefined: it is no study that a partner could be asked for
 */
export function studyImages(
  scope: ViewScope,
  studyInstanceUid: string | null,
  isPrior: boolean,
  ask: (() => Promise<AccessAnswer>) | undefined,
) {
  const { context, list, shown, signal } = scope
  const { clock, imageStudies } = context
  const archive = studyInstanceUid === null ? undefined : archiveImages(scope, studyInstanceUid)
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
    shown.announce(studyInstanceUid, isPrior)
    shown.tellIdentity(studyInstanceUid)
    await archive?.run()
    shown.tellIdentity(studyInstanceUid)
    if (imageStudies.get(studyInstanceUid)?.state === 'receiving')
      tell(
        'note',
        'The archive',
        'Images of this study are still coming in: reload the page to see those that came later.',
      )
  }

  function isEnough(): boolean {
    if (studyInstanceUid === null || !archive?.hasReceived) return false
    return (imageStudies.get(studyInstanceUid)?.missing ?? 0) === 0
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
      const inArchive = (uid: string) => archive?.has(uid) ?? false
      partner = await partnerImages(scope, studyInstanceUid, inArchive, answer, ask)
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
      studyInstanceUid === null ? 0 : (imageStudies.get(studyInstanceUid)?.missing ?? 0)
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
    get state(): Progress['state'] {
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
    /** Begins; or tries again, where it is over and there was nothing or something has failed. */
    go(): void {
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
    /** There is somebody to load for again. */
    wake: () => partner?.wake(),
    find: (sopInstanceUid: string) =>
      archive?.find(sopInstanceUid) ?? partner?.find(sopInstanceUid),
    /** It is needed now. Returns what takes that back. */
    urge: (sopInstanceUid: string) => partner?.urge(sopInstanceUid) ?? (() => undefined),
    close(): void {
      archive?.close()
      partner?.close()
    },
  }
}

/** The clause of an error of the way out, as a sentence. */
function sentenceOf({ fault, detail }: WebhookError): string {
  if (fault === 'refused') return `The partner refused: ${detail.replace(/\.$/, '')}.`
  return `The partner gave no answer that can be used: ${detail}.`
}
