import { join } from 'node:path'
import { STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import type { SpawnWorker } from '#server/dicom/transcoding/native-process.ts'
import { TranscodedCopies } from '#server/dicom/transcoding/transcoded-copies.ts'
import { CONVERTIBLE_FIRST_CHOICES, openTranscoder } from '#server/dicom/transcoding/transcoder.ts'
import type { Context } from './context.ts'
import type { CFindScp } from './dicom/dimse/service.ts'
import { basicWorklist } from './dicom/scp/basic-worklist.ts'
import { query } from './dicom/scp/query.ts'
import { getService, moveService } from './dicom/scp/retrieval.ts'
import {
  mpps,
  storage,
  storageCommitment,
  verification,
  whenReady,
} from './dicom/scp/service-classes.ts'
import type { Certificates } from './http/certificates.ts'
import { OutboxWorker } from './jobs/outbox-worker.ts'
import { Commitments } from './modules/commitment/commitment.ts'
import { Confirmations } from './modules/commitment/confirmations.ts'
import { closeSentNotices } from './modules/corrections/correction-notices.ts'
import type { Orders } from './modules/corrections/correction-targets.ts'
import { Corrections } from './modules/corrections/corrections.ts'
import {
  CORRECTION_REJECT,
  queueCorrection,
  sendRejection,
} from './modules/corrections/rejection-notes.ts'
import { observeAssociations } from './modules/devices/association-feed.ts'
import type { AssociationLog } from './modules/devices/association-log.ts'
import { associationPolicy } from './modules/devices/association-policy.ts'
import type { AssociationTraces } from './modules/devices/association-traces.ts'
import { Dicom } from './modules/devices/dicom-services.ts'
import type { Metrics } from './modules/diagnostics/metrics.ts'
import type { Telemetry } from './modules/diagnostics/telemetry.ts'
import { Dicomweb } from './modules/dicomweb/routes.ts'
import { Forwarding } from './modules/forwarding/forwarding.ts'
import { enqueueInstance, noteReadBack, releaseInstance } from './modules/forwarding/queue.ts'
import { Arrivals } from './modules/images/arrivals.ts'
import { AssociationStatistics } from './modules/images/association-statistics.ts'
import { DiskSpace } from './modules/images/disk-space.ts'
import { ImageReceiver, type IsFetching as IsRetrieving } from './modules/images/image-receiver.ts'
import type { OnInstanceChange } from './modules/images/instance-queries.ts'
import { PerformedStepScp } from './modules/images/performed-step-scp.ts'
import { Quarantine } from './modules/images/quarantine.ts'
import { ImageRecovery, sweepSpool } from './modules/images/recovery.ts'
import { StudyCompletion } from './modules/images/study-completion.ts'
import { StudyCreation } from './modules/images/study-creation.ts'
import { Thumbnails } from './modules/images/thumbnails.ts'
import type { FindWorklistRow } from './modules/images/worklist-lookup.ts'
import { WrongSteps } from './modules/images/wrong-steps.ts'
import { Lifecycle } from './modules/lifecycle/lifecycle.ts'
import { Queries } from './modules/query-retrieve/queries.ts'
import { Retrievals } from './modules/query-retrieve/retrievals.ts'
import { Tiers } from './modules/tiers/tiers.ts'
import type { DeviceLists } from './modules/worklist/device-lists.ts'
import { findOrder, listOrders } from './modules/worklist/orders.ts'
import { findSentRow } from './modules/worklist/worklist-correlation.ts'
import type { AdmittedConnections } from './platform/connection-budget.ts'
import type { IsOwnListener } from './webhooks/address.ts'
import type { Requester } from './webhooks/request.ts'

export type ImagingServices = Awaited<ReturnType<typeof openImages>>

/**
 * Opens the services that receive and forward images, and resumes what the previous run left
 * unfinished. Disposed of after the listeners have drained.
 * @param identity the gateway's TLS client certificate and key, PEM
 * @param spawnWorker starts the native module in a separate process; defaults to Node's `fork`
 * @param isOwn the gateway's own listeners, which tiers must not be
 */
export async function openImages(
  context: Context,
  requester: Requester,
  { eventLog: events, accesses }: Pick<Telemetry, 'eventLog' | 'accesses'>,
  worklist: CFindScp,
  lists: DeviceLists,
  identity: () => { readonly key: string; readonly cert: string },
  spawnWorker: SpawnWorker | undefined,
  isOwn: IsOwnListener,
) {
  const { settings, imageFiles } = context
  await using opened = new AsyncDisposableStack()
  const wasInterrupted = sweepSpool(context)
  opened.defer(() => imageFiles.close())
  const outbound = new OutboundRequests(() => settings.get('dimse.aeTitle'), identity)
  const transcoder = openTranscoder({ spawnWorker })
  const confirmations = opened.use(new Confirmations(context, outbound))
  const forwarding = opened.use(
    new Forwarding(context, outbound, transcoder, (destinationId) => {
      closeSentNotices(context, destinationId)
      confirmations.wake()
    }),
  )
  const onChange: OnInstanceChange = (change, instances) => {
    if (change === 'stored' || change === 'released')
      for (const instance of instances) tiers.enqueue(instance)
    if (change === 'returned') tiers.noteReturned(instances)
    else if (change === 'quarantined') forwarding.instancesQuarantined(instances)
    else for (const instance of instances) QUEUE_ACTIONS[change](context, forwarding, instance)
  }
  const disk = new DiskSpace(context)
  const statistics = new AssociationStatistics(context)
  const wrongSteps = new WrongSteps(context, onChange)
  const arrivals = new Arrivals(context, wrongSteps, statistics, transcoder.transcode, onChange)
  const creation = opened.use(new StudyCreation(context, requester, events))
  const findRow: FindWorklistRow = (query) => findSentRow(context, query)
  const completion = opened.use(
    new StudyCompletion(context, arrivals, statistics, creation, findRow),
  )
  const commitments = opened.use(new Commitments(context, outbound, completion))
  const orders: Orders = {
    onDays: (days) => listOrders(lists, days),
    get: (orderId) => findOrder(lists, orderId),
  }
  const corrections = opened.use(
    new Corrections(
      context,
      orders,
      () => events.flush(),
      (done) => queueCorrection(context, forwarding, done),
    ),
  )
  opened.use(new OutboxWorker(context, CORRECTION_REJECT, (row) => sendRejection(context, row)))
  // The previous run may have stopped after sending the last image, before closing its notice.
  closeSentNotices(context)
  const quarantine = new Quarantine(context, onChange, (...found) => corrections.restore(...found))
  const recovery = opened.use(new ImageRecovery(context, arrivals, statistics, completion))
  const wakeIntakeWorkers = (keys: readonly string[]) => {
    if (!keys.some((key) => key.startsWith('intake.'))) return
    for (const part of [completion, creation, commitments]) part.wake()
  }
  opened.defer(settings.onChange(wakeIntakeWorkers))
  const isFetching: IsRetrieving = (...instance) =>
    forwarding.pulls.expects(...instance) || tiers.expects(...instance)
  const receiver = new ImageReceiver(
    context,
    arrivals,
    disk,
    statistics,
    completion,
    isFetching,
    onChange,
  )
  const tiers = opened.use(new Tiers(context, isOwn, forwarding, receiver, completion))
  recovery.start(wasInterrupted, onChange)
  const lifecycle = opened.use(new Lifecycle(context, disk, forwarding))
  const thumbnails = opened.use(new Thumbnails(context))
  const dicomweb = opened.use(new Dicomweb(context, receiver, completion, transcoder))
  const performedSteps = new PerformedStepScp(context, wrongSteps, completion, findRow)
  const copies = new TranscodedCopies(
    join(context.folder, 'spool', 'retrieval'),
    transcoder.transcode,
    context.uuid,
  )
  const retrievals = new Retrievals(context, outbound, copies, accesses)
  const receivingServices = [
    storage(
      receiver,
      () => settings.get('intake.acceptUnknownClasses'),
      () => {
        if (settings.get('dimse.acceptLossyForGet')) return STORAGE_TRANSFER_SYNTAXES
        return transcoder.available().isAvailable ? CONVERTIBLE_FIRST_CHOICES : []
      },
    ),
    mpps(performedSteps),
    storageCommitment(commitments, () => settings.get('commitment.isOn'), confirmations),
  ]
  const resources = opened.move()
  return {
    ...{ disk, completion, creation, quarantine, recovery, corrections, forwarding, thumbnails },
    ...{ dicomweb, confirmations, lifecycle, tiers },
    /** The DICOM services offered to devices. */
    services: [
      verification(),
      basicWorklist(worklist),
      // Nothing is acknowledged into a database that may be damaged.
      ...receivingServices.map((service) => whenReady(context.database.integrity.passed, service)),
      query(new Queries(context, accesses)),
      moveService(retrievals),
      getService(retrievals),
    ],
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

/** Opens the DICOM listeners. */
export async function openDevices(
  context: Context,
  {
    images,
    associationLog,
    traces,
    metrics,
    certificates,
  }: {
    readonly images: ImagingServices
    readonly associationLog: AssociationLog
    readonly traces: AssociationTraces
    readonly metrics: Metrics
    readonly certificates: Certificates
  },
  admitted: AdmittedConnections,
): Promise<Dicom> {
  await using opened = new AsyncDisposableStack()
  const { disk, forwarding, completion, confirmations } = images
  const expectsInstance = (...of: Parameters<typeof forwarding.pulls.expects>) =>
    forwarding.pulls.expects(...of)
  const storageFault = () => (disk.takesImages() ? undefined : disk.storage().detail)
  const dicom = opened.use(
    new Dicom(
      context,
      associationPolicy(context, storageFault, expectsInstance, (title) =>
        confirmations.expects(title),
      ),
    ),
  )
  // When the sender disconnects, the study completes sooner or is marked as interrupted.
  const observer = observeAssociations(context, associationLog, expectsInstance, (id, how) =>
    completion.associationClosed(id, how),
  )
  await dicom.listen(
    images.services,
    metrics.observing(traces.observing(observer)),
    certificates,
    admitted,
  )
  opened.move()
  return dicom
}

/** How the forwarding queue reacts to each change of an instance. */
const QUEUE_ACTIONS = {
  stored: (context, _, instance) => enqueueInstance(context, instance),
  released: (context, _, instance) => releaseInstance(context, instance),
  deleted: (_, forwarding, instance) => forwarding.instanceDeleted(instance),
  'read-back'(context, forwarding, instance) {
    const source = forwarding.pulls.sourceOf(instance.studyInstanceUid)
    if (source) noteReadBack(context, source, instance)
  },
} as const satisfies Record<
  Exclude<Parameters<OnInstanceChange>[0], 'quarantined' | 'returned'>,
  (
    context: Context,
    forwarding: Forwarding,
    instance: Parameters<OnInstanceChange>[1][number],
  ) => void
>
