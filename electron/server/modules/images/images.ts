import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openOutbound } from '#server/dicom/scu/outbound.ts'
import type { SpawnWorker } from '#server/dicom/transcoding/native-process.ts'
import { openTranscoder } from '#server/dicom/transcoding/transcoder.ts'
import { openOutboxWorker } from '#server/jobs/outbox-worker.ts'
import {
  type CorrectionNotices,
  openCorrectionNotices,
} from '#server/modules/corrections/correction-notices.ts'
import {
  CORRECTION_REJECT,
  openRejectionNotes,
  type RejectionNotes,
} from '#server/modules/corrections/rejection-notes.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { type Forwarding, openForwarding } from '#server/modules/forwarding/forwarding.ts'
import { enqueueInstance, releaseInstance } from '#server/modules/forwarding/queue.ts'
import { openOrders } from '#server/modules/worklist/orders.ts'
import type { Worklist } from '#server/modules/worklist/worklist.ts'
import type { Parts } from '#server/parts.ts'
import type { Log } from '#server/platform/log.ts'
import { acceptAnswer, type Requester } from '#server/webhooks/request.ts'
import { type Intake, type News, openIntake } from './intake.ts'

export interface ImagesOptions {
  readonly feed: Feed
  readonly requester: Requester
  readonly eventLog: Pick<EventLog, 'setEffect' | 'flush'>
  readonly worklist: Pick<Worklist, 'handedOut' | 'keptList'>
  /** How the native module gets a process of its own; plain Node's fork where it is missing. */
  readonly spawnWorker?: SpawnWorker | undefined
  /** PEM: who the gateway is, shown to whom it calls by TLS. */
  readonly identity: () => { readonly key: string; readonly cert: string }
  readonly report: (reference: string, error: unknown) => void
  readonly log: Log
}

/** Images in and out. */
export interface Images extends AsyncDisposable {
  readonly intake: Intake
  readonly forwarding: Forwarding
  readonly correctionNotices: CorrectionNotices
  readonly rejectionNotes: RejectionNotes
}

const EVENT = 'patient_study.enrichment_requested'

/** Connects the intake of images with the worklist, the partner and the way on to destinations. */
export async function openImages(parts: Parts, options: ImagesOptions): Promise<Images> {
  const { deps, settings, devices, performedSteps } = parts
  const { feed, requester, eventLog, worklist, spawnWorker, identity, report, log } = options
  await using opened = new AsyncDisposableStack()
  const told = {
    onNews(news: News) {
      // What becomes of files must be found where the feed is not read any more; nothing about a
      // patient is in it.
      if (news.kind === 'disk') log.warn({ tone: news.tone }, news.text)
      feed.append(news)
    },
    onChanged() {
      feed.noteImages()
      feed.noteStatus()
    },
    onError: (error: unknown) => report(randomUUID().slice(0, 8), error),
  }
  const outbound = openOutbound(() => settings.get('dimse.aeTitle'), identity)
  const accept = acceptAnswer(EVENT)
  /** The newest question about a study, until it is known what its answer led to. */
  const asked = new Map<string, string>()
  // Where earlier versions called the native module, whose log may name patients.
  rmSync(join(parts.store.folder, 'spool', 'native'), { recursive: true, force: true })
  const transcoder = openTranscoder({ spawnWorker })
  const correctionNotices = openCorrectionNotices(deps)
  const forwarding = opened.use(
    openForwarding(parts.store, settings.get, outbound, transcoder, {
      ...told,
      onSent: (destinationId) => correctionNotices.settleSent(destinationId),
    }),
  )
  const intake = opened.use(
    await openIntake({
      ...deps,
      ...told,
      onError: report,
      setting: settings.get,
      recogniseDevice: devices.recogniseDevice,
      performedSteps,
      handedOut: worklist.handedOut,
      askEnrichment: (question, { signal, note }) =>
        requester.request(EVENT, question, {
          signal,
          accept(reply) {
            asked.set(question.studyInstanceUid, reply.webhookId)
            return accept({
              ...reply,
              note(path, sentence) {
                note(path)
                reply.note(path, sentence)
              },
            })
          },
        }),
      onEnriched({ studyInstanceUid, enrichment: { state, warnings } }) {
        const eventId = asked.get(studyInstanceUid)
        asked.delete(studyInstanceUid)
        const effect =
          state === 'done'
            ? 'It completed what is known of the study.'
            : state === 'empty'
              ? 'It added nothing to the study.'
              : ''
        // interface.md, PatientStudyEnrichmentRequestedResponse: what could not be used is a
        // warning on the event.
        if (eventId !== undefined && effect !== '')
          eventLog.setEffect(eventId, [effect, ...warnings].join(' '))
      },
      isFetching: forwarding.expectsFrom,
      onKept: (instance) => enqueueInstance(parts.store, instance),
      onReleased: (instance) => releaseInstance(parts.store, instance),
      writeEvents: eventLog.flush,
      onCorrected: (done) => rejectionNotes.corrected(done),
      isCorrectionQueued: (correctionId) =>
        parts.store.correctionNotices.noteOf(correctionId) !== undefined,
      orders: openOrders({
        store: parts.store,
        devices: devices.list,
        keptList: worklist.keptList,
      }),
      onTakenBack: (instance) => forwarding.takeBack(instance),
      transcode: transcoder.transcode,
      onSetAside: (instances) => forwarding.setAside(instances),
      sendEventReport: outbound.sendEventReport,
    }),
  )
  opened.defer(
    settings.onChange((keys) => keys.some((key) => key.startsWith('intake.')) && intake.wake()),
  )
  const rejectionNotes = openRejectionNotes({
    ...deps,
    ...{
      setting: settings.get,
      arriving: intake.arriving,
      notices: correctionNotices,
      onChanged: told.onChanged,
    },
    flushQueues: forwarding.flush,
    requeue: forwarding.correct,
  })
  opened.use(
    openOutboxWorker({
      ...{ store: parts.store, kind: CORRECTION_REJECT, clock: deps.clock, onError: told.onError },
      async deliver({ subject, payload }) {
        await rejectionNotes.send(subject, payload)
        return { outcome: 'sent' }
      },
    }),
  )
  // The gateway may have ended between the last image and the notice of it.
  correctionNotices.settleSent()
  const kept = opened.move()
  return {
    intake,
    forwarding,
    correctionNotices,
    rejectionNotes,
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}
